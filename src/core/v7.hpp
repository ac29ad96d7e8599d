// Version 7: Unix milliseconds, then a tick within the millisecond, then random bits (RFC 9562
// §5.7).
//
// What orders the values is one number, the tick:
//   48 bits  Unix milliseconds                                  unix_ts_ms
//   12 bits  fraction of the millisecond, §6.2 method 3         rand_a
//    4 bits  the clock's next bits, counted up on a tie         top of rand_b (§6.2 method 1)
// so the whole rule of monotonicity is next = max(clock, last + 1). A carry out of the low bits
// runs into the fraction and the milliseconds by itself, and 65,536 ticks in a millisecond are
// more than one processor can use: a busy loop does not run ahead of the clock.
#pragma once

#include <cstdint>

#include "status.hpp"
#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV7 = 7;

using UnixTicks = std::uint64_t;

inline constexpr int kMillisShift = 16;    // of the milliseconds in a tick
inline constexpr int kSequenceWidth = 4;   // of the counter at its end
inline constexpr int kV7RandomWidth = 58;  // of the random bits after the tick
inline constexpr std::uint32_t kNanosPerMilli = 1'000'000;
inline constexpr UnixTicks kMaxUnixTicks = ~UnixTicks{0};

// The tick of a clock reading, rounded down; false where the clock is before 1970 or past the
// year 10889.
constexpr bool unix_ticks_from_clock(ClockReading now, UnixTicks *ticks) noexcept {
  constexpr std::uint64_t kSeconds = kMaxUnixMillis / 1000;
  // One comparison for both ends: a negative number becomes a large unsigned one. The last second
  // is left out, as the range holds only a part of it.
  if (static_cast<std::uint64_t>(now.seconds) >= kSeconds) [[unlikely]] {
    return false;
  }
  // One division serves milliseconds and fraction, as whole milliseconds divide without a
  // remainder.
  *ticks = static_cast<std::uint64_t>(now.seconds) * (1000 << kMillisShift) +
           (std::uint64_t{now.nanoseconds} << kMillisShift) / kNanosPerMilli;
  return true;
}

// The step of the generator: later than the clock or equal to it, and always after `last`. A clock
// that stands still or was set back makes the tick count on. Answers false at the end of time.
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

// The version 7 UUID at a tick; its last 58 bits are the low bits of `random`.
constexpr Uuid v7_from_unix_ticks(UnixTicks ticks, std::uint64_t random) noexcept {
  const std::uint64_t rand_a = (ticks >> kSequenceWidth) & low_bits(12);
  const std::uint64_t sequence = ticks & low_bits(kSequenceWidth);
  const std::uint64_t millis_field = ticks & ~low_bits(kMillisShift);
  return stamp(
      {millis_field | rand_a, sequence << kV7RandomWidth | (random & low_bits(kV7RandomWidth))},
      kV7);
}

// The tick of a version 7 UUID that v7_from_unix_ticks made.
constexpr UnixTicks unix_ticks_of(Uuid id) noexcept {
  const std::uint64_t sequence = id.lo >> kV7RandomWidth & low_bits(kSequenceWidth);
  return (id.hi & ~low_bits(kMillisShift)) | (id.hi & low_bits(12)) << kSequenceWidth | sequence;
}

// The next tick of a generator whose state is `last`: a pure function of state and clock.
// `last` moves only when there is one.
constexpr Status v7_step(UnixTicks *last, ClockReading now, UnixTicks *next) noexcept {
  UnixTicks clock = 0;
  if (!unix_ticks_from_clock(now, &clock) || !next_unix_ticks(*last, clock, next)) [[unlikely]] {
    return Status::clock_out_of_range;
  }
  *last = *next;
  return Status::ok;
}

// The next UUID of such a generator, with random bits.
constexpr Status v7_next(UnixTicks *last, ClockReading now, std::uint64_t random,
                         Uuid *id) noexcept {
  UnixTicks next = 0;
  if (const Status status = v7_step(last, now, &next); status != Status::ok) [[unlikely]] {
    return status;
  }
  *id = v7_from_unix_ticks(next, random);
  return Status::ok;
}

// The microsecond in which a tick lies, rounded down.
constexpr UnixMicros micros_from_unix_ticks(UnixTicks ticks) noexcept {
  const auto millis = static_cast<std::int64_t>(ticks >> kMillisShift);
  const std::uint64_t fraction = ticks & low_bits(kMillisShift);
  return millis * kMicrosPerMilli +
         static_cast<std::int64_t>(fraction * kMicrosPerMilli >> kMillisShift);
}

// The first rand_a in a microsecond of the millisecond. A generator rounds its clock down (§6.2
// method 3, as PostgreSQL 18 does), but a given time is rounded up, so that reading the value,
// which rounds down, gives it back: only 8 of 1,000 microseconds begin on a step of 1/4096 ms, and
// down from the others is the microsecond before. A step is shorter than a microsecond, so the next
// one is still in it, and the last is 4092.
constexpr std::uint64_t rand_a_from_micros(std::int64_t micros) noexcept {
  return ((static_cast<std::uint64_t>(micros) << 12) + kMicrosPerMilli - 1) / kMicrosPerMilli;
}

// Moves a tick by `shift` microseconds. The same shift adds the same number to every tick,
// so it keeps their order. Out of the version's range: time_out_of_range.
Status shift_unix_ticks(UnixTicks ticks, std::int64_t shift, UnixTicks *shifted) noexcept;

// A UUID for a given time, with 62 random bits and no state: the microsecond within the millisecond
// goes to rand_a and comes back exactly. Out of the version's range: time_out_of_range.
Status v7_at(UnixMicros time, std::uint64_t random, Uuid *id) noexcept;

// The smallest version 7 UUID whose time is not before `time`. Total: nil below the version's
// range, max above it, so that `id >= v7_min(t)` holds exactly when `time of id >= t`.
Uuid v7_min(UnixMicros time) noexcept;

// The largest version 7 UUID whose time is not after `time`. Total in the same way.
Uuid v7_max(UnixMicros time) noexcept;

}  // namespace uuidx
