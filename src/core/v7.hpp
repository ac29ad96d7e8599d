// Version 7: Unix milliseconds, the part of the millisecond, random bits (RFC 9562 §5.7).
//
// The values are ordered by one 64-bit number, the tick:
//   48 bits  Unix milliseconds                                  unix_ts_ms
//   12 bits  fraction of the millisecond, §6.2 method 3         rand_a
//    4 bits  the clock's next bits, counted up on a tie         top of rand_b (§6.2 method 1)
// so next = max(clock, last + 1) is all that makes them monotonic. A carry out of the low bits runs
// into the fraction and the milliseconds. A processor cannot generate 65,536 values in a
// millisecond, so a busy loop does not run ahead of the clock.
#pragma once

#include <cstdint>
#include <optional>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// True if a UUID is of version 7 and the RFC variant.
constexpr bool is_v7(Uuid id) noexcept {
  return version_of(id) == kV7;
}

// Ticks: units of 2^-16 milliseconds (about 15 ns) since 1970-01-01 UTC. A tick is one such number.
using UnixTicks = std::uint64_t;

inline constexpr int kMillisShift = 16;    // of the milliseconds in a tick
inline constexpr int kSequenceWidth = 4;   // the low bits of a tick, in rand_b
inline constexpr int kV7RandomWidth = 58;  // the random bits after the tick
inline constexpr std::uint32_t kNanosPerMilli = 1'000'000;
inline constexpr UnixTicks kMaxUnixTicks = ~UnixTicks{0};

// Sets `ticks` to the tick of a clock reading, rounded down. Returns false, and leaves `ticks`
// alone, if the clock is before 1970 or past the year 10889. Not as an optional, like
// next_unix_ticks(): g++ 12 compiles those to more instructions, which each value would pay for.
constexpr bool unix_ticks_from_clock(ClockReading now, UnixTicks *ticks) noexcept {
  constexpr std::uint64_t kSeconds = kMaxUnixMillis / 1000;
  // One comparison checks both ends, because a negative number becomes a large unsigned one. The
  // last second is excluded, because the range holds only a part of it.
  if (static_cast<std::uint64_t>(now.seconds) >= kSeconds) [[unlikely]] {
    return false;
  }
  // One division gives milliseconds and fraction, because whole milliseconds divide without a
  // remainder.
  *ticks = static_cast<std::uint64_t>(now.seconds) * (1000 << kMillisShift) +
           (std::uint64_t{now.nanoseconds} << kMillisShift) / kNanosPerMilli;
  return true;
}

// Sets `next` to the tick after `last`: the clock's if it is greater, or else `last` + 1, so that
// ticks count up while the clock stands still or is set back. Returns false, and leaves `next`
// alone, if `last` is kMaxUnixTicks.
constexpr bool next_unix_ticks(UnixTicks last, UnixTicks clock, UnixTicks *next) noexcept {
  if (clock > last) [[likely]] {
    *next = clock;
    return true;
  }
  if (last == kMaxUnixTicks) {
    return false;
  }
  *next = last + 1;
  return true;
}

// Returns the version 7 UUID at a tick; its last 58 bits are the low bits of `random`.
constexpr Uuid v7_from_unix_ticks(UnixTicks ticks, std::uint64_t random) noexcept {
  const std::uint64_t rand_a = (ticks >> kSequenceWidth) & low_bits(12);
  const std::uint64_t sequence = ticks & low_bits(kSequenceWidth);
  const std::uint64_t millis_field = ticks & ~low_bits(kMillisShift);
  return stamp(
      {millis_field | rand_a, sequence << kV7RandomWidth | (random & low_bits(kV7RandomWidth))},
      kV7);
}

// Returns the tick of a UUID with the layout of version 7. If another generator made it, its first
// random bits count as the sequence.
constexpr UnixTicks unix_ticks_of(Uuid id) noexcept {
  const std::uint64_t sequence = id.lo >> kV7RandomWidth & low_bits(kSequenceWidth);
  return (id.hi & ~low_bits(kMillisShift)) | (id.hi & low_bits(12)) << kSequenceWidth | sequence;
}

// Returns the microsecond in which a tick lies, rounded down.
constexpr UnixMicros micros_from_unix_ticks(UnixTicks ticks) noexcept {
  const auto millis = static_cast<std::int64_t>(ticks >> kMillisShift);
  const std::uint64_t fraction = ticks & low_bits(kMillisShift);
  return millis * kMicrosPerMilli +
         static_cast<std::int64_t>(fraction * kMicrosPerMilli >> kMillisShift);
}

// Returns the step of 1/4096 ms in which a microsecond of the millisecond, 0 to 1000, begins: its
// rand_a, rounded down as by generators (§6.2 method 3, PostgreSQL 18, TimescaleDB). It is also the
// first step of which micros_from_rand_a() returns this microsecond.
constexpr std::uint64_t rand_a_from_micros(std::int64_t micros) noexcept {
  return (static_cast<std::uint64_t>(micros) << 12) / kMicrosPerMilli;
}

// Returns the microsecond that begins in a step, or the one around it. A step is shorter than a
// microsecond, so a microsecond that was rounded to a step, down or up, is read back. Rounding down
// instead would lose 992 of the 1,000 that were rounded down. The largest result is 999.
constexpr UnixMicros micros_from_rand_a(std::uint64_t rand_a) noexcept {
  return static_cast<UnixMicros>((rand_a * kMicrosPerMilli + (kMicrosPerMilli - 1)) >> 12);
}

// Returns a tick moved by `shift` microseconds, which may be negative; none before 1970 and past
// kMaxUnixTicks. The same shift adds the same number to every tick, so order is kept.
std::optional<UnixTicks> shift_unix_ticks(UnixTicks ticks, std::int64_t shift) noexcept;

// Returns a version 7 UUID for a given time, with the low 62 bits of `random`; none if the time is
// out of the version's range. rand_a holds the microsecond within the millisecond, which can be
// read back exactly.
std::optional<Uuid> v7_at(UnixMicros time, std::uint64_t random) noexcept;

// Does the same for one of several rows of a time: the high 31 of those 62 bits are its ordinal,
// which must be less than 2^31, so that the UUIDs of one microsecond are in the order of their
// ordinals.
std::optional<Uuid> v7_at_ordinal(UnixMicros time, std::uint32_t ordinal,
                                  std::uint64_t random) noexcept;

// Returns the smallest version 7 UUID whose time, in whole milliseconds, is at or after `time`.
// Defined for every time: nil below the version's range, max above it, so that for every version 7
// UUID `id >= v7_min(t)` is the same as `time_of(id) >= t`.
Uuid v7_min(UnixMicros time) noexcept;

// Returns the largest version 7 UUID whose time, in whole milliseconds, is at or before `time`.
// Defined for every time in the same way, so that `id <= v7_max(t)` is the same as
// `time_of(id) <= t`.
Uuid v7_max(UnixMicros time) noexcept;

// Return the same for precise_time_of(), with microseconds. Generators that put random bits into
// rand_a have random microseconds, but in the order of the UUIDs.
Uuid v7_precise_min(UnixMicros time) noexcept;
Uuid v7_precise_max(UnixMicros time) noexcept;

}  // namespace uuidx
