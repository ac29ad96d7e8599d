// Helpers for several tests: repeatable random numbers, UUIDs in the RFC's notation, given times.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fields.hpp"
#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// Prints a UUID in hexadecimal for GoogleTest, which finds the function by its name.
inline void PrintTo(const Uuid &id, std::ostream *os) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx-%016llx", static_cast<unsigned long long>(id.hi),
                static_cast<unsigned long long>(id.lo));
  *os << text;
}

}  // namespace uuidx

namespace uuidx_test {

using namespace uuidx;

// Returns the generator of random numbers, the same in every run, so that a failure repeats.
inline std::mt19937_64 &rng() {
  static std::mt19937_64 engine{9562};
  return engine;
}

// Returns a random number from `low` to `high`, both included.
inline std::int64_t random_between(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>{low, high}(rng());
}

// Reads the usual text format of a UUID; hyphens may be anywhere.
inline Uuid parse(const std::string &text) {
  Uuid id;
  for (const char c : text) {
    if (c != '-') {
      id.hi = id.hi << 4 | id.lo >> 60;
      id.lo = id.lo << 4 | static_cast<std::uint64_t>(std::stoi(std::string(1, c), nullptr, 16));
    }
  }
  return id;
}

// Returns the clock reading this many nanoseconds after another, or before it if negative.
inline ClockReading after(ClockReading from, std::int64_t nanoseconds) {
  std::int64_t total = from.nanoseconds + nanoseconds;
  std::int64_t seconds = total / 1'000'000'000;
  total %= 1'000'000'000;
  if (total < 0) {
    total += 1'000'000'000;
    --seconds;
  }
  return {from.seconds + seconds, static_cast<std::uint32_t>(total)};
}

// 2022-02-22 19:22:22 UTC, the time of RFC 9562's test vectors.
inline constexpr std::int64_t kVectorSeconds = 1'645'557'742;
inline constexpr ClockReading kVectorClock{kVectorSeconds, 0};
inline constexpr UnixMicros kVectorMicros = kVectorSeconds * kMicrosPerSecond;

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::int64_t kNanosPerDay = 86'400 * kNanosPerSecond;

// Expects that a version's bounds compare with one of its UUIDs as the times do: at its time and
// the given ones, near to them, and at both infinities.
template <auto min, auto max, auto read = time_of>
void expect_bounds_hold(Uuid id, std::vector<UnixMicros> times) {
  const UnixMicros own = *read(id);
  times.push_back(own);
  for (const UnixMicros given : times) {
    for (const UnixMicros step : {-1000, -999, -1, 0, 1, 999, 1000}) {
      const UnixMicros time = given + step;
      EXPECT_EQ(id >= min(time), own >= time) << time;
      EXPECT_EQ(id <= max(time), own <= time) << time;
    }
  }
  constexpr UnixMicros kInfinity = std::numeric_limits<UnixMicros>::max();
  EXPECT_TRUE(min(-kInfinity - 1) == kNil && max(-kInfinity - 1) == kNil);
  EXPECT_TRUE(min(kInfinity) == kMax && max(kInfinity) == kMax);
}

}  // namespace uuidx_test
