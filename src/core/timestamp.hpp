// The three time scales of RFC 9562 and their ranges: the system clock, Unix microseconds, and the
// Gregorian count of 100 ns intervals (§5.1).
#pragma once

#include <cstdint>
#include <optional>

namespace uuidx {

// A reading of the system clock: seconds since 1970-01-01 UTC without leap seconds, and the
// nanoseconds within that second (0 to 999,999,999).
struct ClockReading {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
};

// Microseconds since 1970-01-01 UTC, negative before it. The two extremes stand for -infinity and
// infinity; they lie outside the range of every version, so no code needs to special-case them.
using UnixMicros = std::int64_t;

// Gregorian ticks: intervals of 100 ns since 1582-10-15 00:00 UTC, 60 bits.
using GregorianTicks = std::uint64_t;

inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosPerMilli = 1'000;
inline constexpr std::int64_t kGregorianTicksPerMicro = 10;           // Gregorian ticks
inline constexpr std::int64_t kGregorianTicksPerSecond = 10'000'000;  // Gregorian ticks

inline constexpr GregorianTicks kMaxGregorianTicks = (GregorianTicks{1} << 60) - 1;
// 1970-01-01 00:00:00 UTC in Gregorian ticks.
inline constexpr std::int64_t kGregorianTicksAtUnixEpoch = 0x01B21DD213814000;

// The Gregorian range in microseconds: 1582-10-15 00:00:00 to 5236-03-31 21:21:00.684697 UTC.
inline constexpr UnixMicros kMinGregorianMicros =
    -kGregorianTicksAtUnixEpoch / kGregorianTicksPerMicro;
inline constexpr UnixMicros kMaxGregorianMicros =
    (static_cast<std::int64_t>(kMaxGregorianTicks) - kGregorianTicksAtUnixEpoch) /
    kGregorianTicksPerMicro;

// The v7 range: 48 bits of milliseconds, 1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC.
inline constexpr std::int64_t kMaxUnixMillis = (std::int64_t{1} << 48) - 1;
inline constexpr UnixMicros kMaxV7Micros = kMaxUnixMillis * kMicrosPerMilli + (kMicrosPerMilli - 1);

// True if a version 7 UUID can hold the time.
constexpr bool in_v7_range(UnixMicros time) noexcept {
  return time >= 0 && time <= kMaxV7Micros;
}

// Returns the first Gregorian tick of a microsecond; none if a version 1 or 6 UUID cannot hold it.
constexpr std::optional<GregorianTicks> gregorian_ticks_from_micros(UnixMicros time) noexcept {
  if (time < kMinGregorianMicros || time > kMaxGregorianMicros) {
    return std::nullopt;
  }
  return static_cast<GregorianTicks>(time * kGregorianTicksPerMicro + kGregorianTicksAtUnixEpoch);
}

// Returns the microsecond in which a Gregorian tick lies, rounded down: the subtraction comes after
// the division, because dividing a negative number would round towards 1970.
constexpr UnixMicros micros_from_gregorian_ticks(GregorianTicks ticks) noexcept {
  return static_cast<UnixMicros>(ticks / kGregorianTicksPerMicro) + kMinGregorianMicros;
}

// Returns the Gregorian ticks of a clock reading, rounded down; none outside the Gregorian range.
constexpr std::optional<GregorianTicks> gregorian_ticks_from_clock(ClockReading now) noexcept {
  constexpr std::int64_t kFirst = kMinGregorianMicros / kMicrosPerSecond;
  // The range holds only a part of the last second, which is excluded.
  constexpr std::int64_t kLast = kMaxGregorianMicros / kMicrosPerSecond;
  if (now.seconds < kFirst || now.seconds >= kLast) {
    return std::nullopt;
  }
  return static_cast<GregorianTicks>(now.seconds * kGregorianTicksPerSecond +
                                     kGregorianTicksAtUnixEpoch) +
         now.nanoseconds / 100;
}

}  // namespace uuidx
