#include "v7.hpp"

namespace uuidx {

namespace {

__extension__ using Wide = __int128;

// Returns a version 7 UUID in the millisecond of a time that is in range; the top 2 bits of
// `rand_b` are ignored.
constexpr Uuid v7_from_fields(UnixMicros time, std::uint64_t rand_a,
                              std::uint64_t rand_b) noexcept {
  const auto millis = static_cast<std::uint64_t>(time / kMicrosPerMilli);
  return stamp({millis << kMillisShift | rand_a, rand_b}, kV7);
}

// Returns the bound for a time that is out of range: below all UUIDs or above them.
constexpr Uuid bound_outside_range(UnixMicros time) noexcept {
  return time < 0 ? kNil : kMax;
}

}  // namespace

std::optional<UnixTicks> shift_unix_ticks(UnixTicks ticks, std::int64_t shift) noexcept {
  // In two parts, of which the second is not negative: a division of 128 bits would need the
  // compiler's runtime.
  const Wide millis = shift / kMicrosPerMilli - (shift % kMicrosPerMilli < 0 ? 1 : 0);
  const auto micros = static_cast<std::int64_t>(shift - millis * kMicrosPerMilli);
  const Wide moved = ticks + (millis << kMillisShift) + (micros << kMillisShift) / kMicrosPerMilli;
  if (moved < 0 || moved > kMaxUnixTicks) {
    return std::nullopt;
  }
  return static_cast<UnixTicks>(moved);
}

std::optional<Uuid> v7_at(UnixMicros time, std::uint64_t random) noexcept {
  if (!in_v7_range(time)) {
    return std::nullopt;
  }
  return v7_from_fields(time, rand_a_from_micros(time % kMicrosPerMilli), random);
}

std::optional<Uuid> v7_at_ordinal(UnixMicros time, std::uint32_t ordinal,
                                  std::uint64_t random) noexcept {
  constexpr int kRandomWidth = 31;
  return v7_at(time, std::uint64_t{ordinal} << kRandomWidth | (random & low_bits(kRandomWidth)));
}

Uuid v7_min(UnixMicros time) noexcept {
  if (time < 0 || time > kMaxUnixMillis * kMicrosPerMilli) {
    return bound_outside_range(time);
  }
  // Rounded up: bounds are in whole milliseconds, and the one in which `time` lies begins before
  // it.
  return v7_from_fields(time + kMicrosPerMilli - 1, 0, 0);
}

Uuid v7_max(UnixMicros time) noexcept {
  return in_v7_range(time) ? v7_from_fields(time, low_bits(12), low_bits(62))
                           : bound_outside_range(time);
}

Uuid v7_precise_min(UnixMicros time) noexcept {
  return v7_at(time, 0).value_or(bound_outside_range(time));
}

Uuid v7_precise_max(UnixMicros time) noexcept {
  return in_v7_range(time)
             ? v7_from_fields(time, rand_a_from_micros(time % kMicrosPerMilli + 1) - 1,
                              low_bits(62))
             : bound_outside_range(time);
}

}  // namespace uuidx
