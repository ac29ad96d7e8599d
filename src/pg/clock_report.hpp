// Warnings about a clock that was set, each reported once and not with every value.
#pragma once

#include <cstdint>

#include "core/clock_watch.hpp"
#include "core/v7.hpp"
#include "pg/settings.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// The result of a check.
struct ClockReport {
  std::int64_t jumped = 0;  // nanoseconds forward, more than uuidx.max_clock_lead; else 0
  std::int64_t behind = 0;  // nanoseconds behind the tick, more than is usual; else 0
};

// True if the clock should be checked: it is more than a millisecond behind the last tick, or more
// than uuidx.max_clock_lead ahead of it, which may also mean that no value was generated for a
// while.
inline bool clock_is_suspect(UnixTicks last, UnixTicks clock) noexcept {
  const auto ahead = static_cast<std::int64_t>(clock - last);
  constexpr std::int64_t kMillisecond = std::int64_t{1} << kMillisShift;
  return ahead < -kMillisecond || ahead > max_clock_lead * kMillisecond;
}

// Checks the clock after a value was generated at a tick. Returns what to report: each jump, and
// once that the clock has fallen behind, until it has caught up.
ClockReport check_clock(ClockWatch *watch, UnixTicks ticks) noexcept;

// Raises the warnings of a report about the UUIDs of "this session" or "this server".
void warn_about_clock(const ClockReport &report, const char *whose);

}  // namespace uuidx

#pragma GCC visibility pop
