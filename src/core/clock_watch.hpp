// Tells a clock that was set from one that nobody asked for a while, and keeps count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "timestamp.hpp"

namespace uuidx {

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// What is less than this is the clock being slewed, or two readings that are not quite at once.
inline constexpr std::int64_t kClockNoise = 1'000'000;  // nanoseconds

// What happened to the clock between two looks.
struct ClockChange {
  std::int64_t set_back = 0;  // nanoseconds; 0 where it was not
  std::int64_t jumped = 0;    // nanoseconds forward; 0 where it did not
};

// The system clock beside a clock that nobody sets: when one was set, their distance changes.
struct ClockWatch {
  std::int64_t distance = 0;
  bool started = false;
  bool behind = false;         // the clock, behind the values: to be looked at until it is not
  bool warned_behind = false;  // of it
  std::uint64_t set_backs = 0;
  std::int64_t max_set_back = 0;  // nanoseconds
};

// What is more than 292 years, forward or back, is as good as that.
inline constexpr std::int64_t kMostNanos = std::numeric_limits<std::int64_t>::max();

// How much `a` is above `b`.
constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) {
    return a < b ? -kMostNanos : kMostNanos;
  }
  return std::max(difference, -kMostNanos);
}

constexpr std::int64_t nanos_between(ClockReading from, ClockReading to) noexcept {
  constexpr std::int64_t kMostSeconds = kMostNanos / kNanosPerSecond - 1;
  const std::int64_t seconds = saturated_difference(to.seconds, from.seconds);
  return std::clamp(seconds, -kMostSeconds, kMostSeconds) * kNanosPerSecond +
         (static_cast<std::int64_t>(to.nanoseconds) - static_cast<std::int64_t>(from.nanoseconds));
}

// Looks at both clocks, read one after the other, and says what has changed since the last look.
constexpr ClockChange observe(ClockWatch *watch, ClockReading clock, ClockReading steady) noexcept {
  const std::int64_t distance = nanos_between(steady, clock);
  const std::int64_t change = watch->started ? saturated_difference(distance, watch->distance) : 0;
  watch->started = true;
  watch->distance = distance;
  if (change > kClockNoise) {
    return {0, change};
  }
  if (change >= -kClockNoise) {
    return {};
  }
  ++watch->set_backs;
  if (-change > watch->max_set_back) {
    watch->max_set_back = -change;
  }
  return {-change, 0};
}

}  // namespace uuidx
