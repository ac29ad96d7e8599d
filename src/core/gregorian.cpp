#include "gregorian.hpp"

#include <algorithm>

namespace uuidx {

namespace {

// Returns the bound for a time that the timestamp cannot hold: below all UUIDs or above them.
constexpr Uuid bound_outside_range(UnixMicros time) noexcept {
  return time < kMinGregorianMicros ? kNil : kMax;
}

}  // namespace

void v1_seed(V1State *state, std::uint64_t random) noexcept {
  const std::uint64_t low = random_clock_seq_and_node(random);
  *state = {.seeded = true, .clock_seq = low >> kNodeWidth, .node = low & low_bits(kNodeWidth)};
}

std::optional<Uuid> v1_next(V1State *state, ClockReading now) noexcept {
  const auto clock = gregorian_ticks_from_clock(now);
  if (!clock) {
    return std::nullopt;
  }
  // Compared with the clock's last reading, not with the last timestamp issued: a timestamp that is
  // ahead of the clock after a burst does not mean that the clock was set back.
  const bool set_back = *clock < state->last_clock;
  const GregorianTicks ticks = set_back ? *clock : std::max(*clock, state->last_ticks + 1);
  if (ticks > kMaxGregorianTicks) {
    return std::nullopt;
  }
  if (set_back) {
    state->clock_seq = (state->clock_seq + 1) & low_bits(kClockSeqWidth);
    ++state->set_backs;
    state->seeded = state->set_backs < low_bits(kClockSeqWidth);
  }
  state->last_clock = *clock;
  state->last_ticks = ticks;
  return v1_from_fields(ticks, state->clock_seq << kNodeWidth | state->node);
}

std::optional<Uuid> v6_next(GregorianTicks *last, ClockReading now, std::uint64_t random) noexcept {
  const auto clock = gregorian_ticks_from_clock(now);
  if (!clock || *last == kMaxGregorianTicks) {
    return std::nullopt;
  }
  *last = std::max(*clock, *last + 1);
  return v6_from_fields(*last, random_clock_seq_and_node(random));
}

std::optional<Uuid> v1_at(UnixMicros time, std::uint64_t random) noexcept {
  const auto ticks = gregorian_ticks_from_micros(time);
  return ticks ? std::optional{v1_from_fields(*ticks, random_clock_seq_and_node(random))}
               : std::nullopt;
}

std::optional<Uuid> v6_at(UnixMicros time, std::uint64_t random) noexcept {
  const auto ticks = gregorian_ticks_from_micros(time);
  return ticks ? std::optional{v6_from_fields(*ticks, random_clock_seq_and_node(random))}
               : std::nullopt;
}

Uuid v6_min(UnixMicros time) noexcept {
  const auto ticks = gregorian_ticks_from_micros(time);
  return ticks ? v6_from_fields(*ticks, 0) : bound_outside_range(time);
}

Uuid v6_max(UnixMicros time) noexcept {
  const auto ticks = gregorian_ticks_from_micros(time);
  // The last of the ten Gregorian ticks in the microsecond; the range ends within its last
  // microsecond.
  return ticks ? v6_from_fields(std::min(*ticks + kGregorianTicksPerMicro - 1, kMaxGregorianTicks),
                                low_bits(62))
               : bound_outside_range(time);
}

}  // namespace uuidx
