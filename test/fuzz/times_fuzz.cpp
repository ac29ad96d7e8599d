// A libFuzzer target for times: UUIDs for a given time, bounds, and the three time scales.
#include <cstdint>

#include "fields.hpp"
#include "gregorian.hpp"
#include "timestamp.hpp"
#include "v7.hpp"

#include "support.hpp"

namespace uuidx_fuzz {
namespace {

// Wide enough for every product here, to check arithmetic in 64 bits.
__extension__ using Wide = __int128;

// Returns the quotient rounded down, also if it is negative.
constexpr Wide floor_of(Wide number, Wide by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

// Checks that a version's bounds for a time compare with one of its UUIDs as the times do.
void check_bounds(Uuid id, UnixMicros time, Uuid min, Uuid max) {
  const UnixMicros of_id = *time_of(id);
  demand((id >= min) == (of_id >= time), "at or above the lower bound, at or after the time");
  demand((id <= max) == (of_id <= time), "at or below the upper bound, at or before the time");
}

// Checks the same for UUIDs on both sides of the bounds, and for an arbitrary one.
template <unsigned version>
void check_all_bounds(Uuid any, UnixMicros time, Uuid min, Uuid max) {
  check_bounds(stamp(any, version), time, min, max);
  for (const Uuid bound : {min, max}) {
    check_bounds(stamp(bound, version), time, min, max);
    // Moved by a step of octets 6 and 7, or of octets 0 to 5: one millisecond of version 7, 4,096
    // Gregorian ticks of version 6.
    for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1} << kMillisShift}) {
      check_bounds(stamp({bound.hi + step, 0}, version), time, min, max);
      check_bounds(stamp({bound.hi - step, kMax.lo}, version), time, min, max);
    }
    // With the same octets 0 to 7.
    check_bounds(stamp({bound.hi, any.lo}, version), time, min, max);
  }
}

// Checks that bounds do not decrease with time.
void check_order(UnixMicros a, UnixMicros b) {
  const UnixMicros first = a < b ? a : b;
  const UnixMicros last = a < b ? b : a;
  demand(v7_min(first) <= v7_min(last) && v7_max(first) <= v7_max(last),
         "bounds of version 7 in order");
  demand(v6_min(first) <= v6_min(last) && v6_max(first) <= v6_max(last),
         "bounds of version 6 in order");
}

// Checks that version 7 is made for times in its range only.
void check_v7_maker(UnixMicros time, std::uint64_t random) {
  Uuid id;
  demand((v7_at(time, random, &id) == Status::ok) == (time >= 0 && time <= kMaxV7Micros),
         "range of version 7");
  if (in_v7_range(time)) {
    ++valid;
    demand(version_of(id) == kV7 && *time_of(id) == time - time % kMicrosPerMilli,
           "version 7 at its millisecond");
    demand(*precise_time_of(id) == time, "and microsecond");
    demand((id.lo ^ random) << 2 == 0, "with its random bits");
    check_bounds(id, time, v7_min(time), v7_max(time));
  }
}

// Checks the same for version 1 or 6.
template <auto at, unsigned version>
void check_gregorian_maker(UnixMicros time, std::uint64_t random) {
  Uuid id;
  const bool in_range = time >= kMinGregorianMicros && time <= kMaxGregorianMicros;
  demand((at(time, random, &id) == Status::ok) == in_range, "range of versions 1 and 6");
  if (in_range) {
    demand(version_of(id) == version && time_of(id) == time, "versions 1 and 6 at their time");
    demand(id.lo == ((random & low_bits(62)) | kMulticastBit | kRfcVariant),
           "not of a network card");
  }
}

// Checks a reading of the clock in ticks and in Gregorian ticks.
void check_clock(ClockReading now) {
  const Wide seconds = now.seconds;
  UnixTicks unix_ticks = 0;
  const bool has_unix_ticks = seconds >= 0 && seconds < kMaxUnixMillis / 1000;
  demand(unix_ticks_from_clock(now, &unix_ticks) == has_unix_ticks, "range of ticks");
  if (has_unix_ticks) {
    const Wide nanos = seconds * 1'000'000'000 + now.nanoseconds;
    demand(unix_ticks == static_cast<UnixTicks>((nanos << kMillisShift) / kNanosPerMilli),
           "tick of a clock");
    demand(micros_from_unix_ticks(unix_ticks) <= nanos / 1000 &&
               micros_from_unix_ticks(unix_ticks) >= nanos / 1000 - 1,
           "time of a tick");
  }
  GregorianTicks ticks = 0;
  const Wide wide =
      seconds * kGregorianTicksPerSecond + now.nanoseconds / 100 + kGregorianTicksAtUnixEpoch;
  if (gregorian_ticks_from_clock(now, &ticks)) {
    demand(wide >= 0 && wide <= kMaxGregorianTicks && ticks == static_cast<GregorianTicks>(wide),
           "Gregorian ticks of a clock");
  } else {
    demand(wide < 0 || wide > Wide{kMaxGregorianTicks} - kGregorianTicksPerSecond,
           "range of Gregorian ticks");
  }
}

// Checks that a shift adds the same to every tick.
void check_shift(UnixTicks ticks, std::int64_t shift) {
  const Wide wide = Wide{ticks} + floor_of(Wide{shift} << kMillisShift, kMicrosPerMilli);
  UnixTicks shifted = 0;
  const bool in_range = wide >= 0 && wide <= Wide{kMaxUnixTicks};
  demand((shift_unix_ticks(ticks, shift, &shifted) == Status::ok) == in_range, "range of a shift");
  demand(!in_range || shifted == static_cast<UnixTicks>(wide), "a shifted tick");
}

// Checks Gregorian ticks against microseconds and layouts.
void check_ticks(GregorianTicks ticks) {
  ticks &= kMaxGregorianTicks;
  const UnixMicros time = micros_from_gregorian_ticks(ticks);
  demand(in_gregorian_range(time), "ticks are in range");
  const GregorianTicks first = gregorian_ticks_from_micros(time);
  demand(first <= ticks && ticks < first + kGregorianTicksPerMicro, "of their microsecond");
  demand(v1_ticks(v1_time_fields(ticks)) == ticks, "layout of version 1");
  demand(v6_ticks(v6_time_fields(ticks)) == ticks, "layout of version 6");
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  Input input{data, size};
  const UnixMicros time = any_time(input);
  const UnixMicros other = any_time(input);
  const Uuid id = any_uuid(input);
  check_v7_maker(time, id.lo);
  check_gregorian_maker<v1_at, kV1>(time, id.lo);
  check_gregorian_maker<v6_at, kV6>(time, id.lo);
  check_all_bounds<kV7>(id, time, v7_min(time), v7_max(time));
  check_all_bounds<kV6>(id, time, v6_min(time), v6_max(time));
  check_order(time, other);
  // Any number of seconds, and one whose microseconds fit in 64 bits.
  const auto nanoseconds = static_cast<std::uint32_t>(id.hi % 1'000'000'000);
  check_clock({other, nanoseconds});
  check_clock({static_cast<std::int64_t>(floor_of(other, kMicrosPerSecond)), nanoseconds});
  check_shift(id.lo, time);
  check_shift(id.hi, other);
  check_ticks(id.lo);
  return 0;
}
