// Tells a clock that was set from one that was not read for a while, and counts how often it was
// set back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "timestamp.hpp"

namespace uuidx {

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// Up to this, a change is due to slewing, or to the time between the readings of the two clocks.
inline constexpr std::int64_t kClockNoise = 1'000'000;  // nanoseconds

// How the clock was set between two checks. At most one of the two is not 0.
struct ClockChange {
  std::int64_t set_back = 0;  // nanoseconds; 0 if it was not set back
  std::int64_t jumped = 0;    // nanoseconds forward; 0 if it did not jump
};

// Compares the system clock with one that is never set: their distance changes if the system clock
// is set. All zeros is a watch before its first check.
struct ClockWatch {
  std::int64_t distance = 0;  // nanoseconds from the steady clock to the system clock
  bool started = false;
  bool warned_behind = false;   // that it is behind
  std::uint64_t behind_at = 0;  // its tick when it was last found behind the values; 0 if it is not
  std::uint64_t set_backs = 0;
  std::int64_t max_set_back = 0;  // nanoseconds, the largest
};

// The longest time in nanoseconds, 292 years; anything longer counts as this.
inline constexpr std::int64_t kMostNanos = std::numeric_limits<std::int64_t>::max();

// Returns a - b, clamped to [-kMostNanos, kMostNanos].
constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) {
    return a < b ? -kMostNanos : kMostNanos;
  }
  return std::max(difference, -kMostNanos);
}

// Returns the nanoseconds from one reading to another, negative if `to` is the earlier, clamped to
// about 292 years.
constexpr std::int64_t nanos_between(ClockReading from, ClockReading to) noexcept {
  constexpr std::int64_t kMostSeconds = kMostNanos / kNanosPerSecond - 1;
  const std::int64_t seconds = saturated_difference(to.seconds, from.seconds);
  return std::clamp(seconds, -kMostSeconds, kMostSeconds) * kNanosPerSecond +
         (static_cast<std::int64_t>(to.nanoseconds) - static_cast<std::int64_t>(from.nanoseconds));
}

// Checks both clocks, read one right after the other, and returns what has changed since the last
// check; the first check has nothing to compare with and returns no change.
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
