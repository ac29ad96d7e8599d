#include "v7.hpp"

namespace uuidx {

namespace {

// Returns a version 7 UUID of its fields; the top 2 bits of `rand_b` are ignored.
constexpr Uuid v7_from_fields(std::uint64_t unix_ts_ms, std::uint64_t rand_a,
                              std::uint64_t rand_b) noexcept {
  return stamp({unix_ts_ms << kMillisShift | rand_a, rand_b}, kV7);
}

}  // namespace

std::optional<UnixTicks> shift_unix_ticks(UnixTicks ticks, std::int64_t shift) noexcept {
  std::int64_t millis = shift / kMicrosPerMilli;
  std::int64_t micros = shift % kMicrosPerMilli;
  if (micros < 0) {
    micros += kMicrosPerMilli;
    --millis;
  }
  const std::uint64_t fraction =
      (ticks & low_bits(kMillisShift)) +
      (static_cast<std::uint64_t>(micros) << kMillisShift) / kMicrosPerMilli;
  millis += static_cast<std::int64_t>(ticks >> kMillisShift) +
            static_cast<std::int64_t>(fraction >> kMillisShift);
  if (millis < 0 || millis > kMaxUnixMillis) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(millis) << kMillisShift | (fraction & low_bits(kMillisShift));
}

std::optional<Uuid> v7_at(UnixMicros time, std::uint64_t random) noexcept {
  if (!in_v7_range(time)) {
    return std::nullopt;
  }
  return v7_from_fields(static_cast<std::uint64_t>(time / kMicrosPerMilli),
                        rand_a_from_micros(time % kMicrosPerMilli), random);
}

std::optional<Uuid> v7_at_ordinal(UnixMicros time, std::uint32_t ordinal,
                                  std::uint64_t random) noexcept {
  constexpr int kRandomWidth = 31;
  return v7_at(time, std::uint64_t{ordinal} << kRandomWidth | (random & low_bits(kRandomWidth)));
}

Uuid v7_min(UnixMicros time) noexcept {
  if (time < 0) {
    return kNil;
  }
  // Rounded up: bounds are in whole milliseconds, and the one in which `time` lies begins before
  // it.
  constexpr UnixMicros kLastWhole = kMaxUnixMillis * kMicrosPerMilli;
  if (time > kLastWhole) {
    return kMax;
  }
  const std::int64_t millis = (time + kMicrosPerMilli - 1) / kMicrosPerMilli;
  return v7_from_fields(static_cast<std::uint64_t>(millis), 0, 0);
}

Uuid v7_max(UnixMicros time) noexcept {
  if (time < 0) {
    return kNil;
  }
  if (time > kMaxV7Micros) {
    return kMax;
  }
  return v7_from_fields(static_cast<std::uint64_t>(time / kMicrosPerMilli), low_bits(12),
                        low_bits(62));
}

Uuid v7_precise_min(UnixMicros time) noexcept {
  return v7_at(time, 0).value_or(time < 0 ? kNil : kMax);
}

Uuid v7_precise_max(UnixMicros time) noexcept {
  if (!in_v7_range(time)) {
    return time < 0 ? kNil : kMax;
  }
  return v7_from_fields(static_cast<std::uint64_t>(time / kMicrosPerMilli),
                        rand_a_from_micros(time % kMicrosPerMilli + 1) - 1, low_bits(62));
}

}  // namespace uuidx
