// Warnings about a clock that was set, as a person must hear of it: once, not with every value.
#pragma once

#include <cstdint>

#include "core/clock_watch.hpp"
#include "pg/settings.hpp"
#include "core/v7.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// What there is to report about the clock.
struct ClockReport {
  std::int64_t jumped = 0;  // nanoseconds forward, more than uuidx.max_clock_lead; else 0
  std::int64_t behind = 0;  // nanoseconds behind the tick, more than is usual; else 0
};

// True where it is worth looking at the clock: it is well behind the last tick, or far ahead of
// it, which may also mean that nobody asked for a while.
inline bool clock_is_suspect(UnixTicks last, UnixTicks clock) noexcept {
  const auto ahead = static_cast<std::int64_t>(clock - last);
  constexpr std::int64_t kMillisecond = std::int64_t{1} << kMillisShift;
  return ahead < -kMillisecond || ahead > max_clock_lead * kMillisecond;
}

// Looks at the clock after a value was made at a tick, and says what to report, once for each
// cause.
ClockReport check_clock(ClockWatch *watch, UnixTicks ticks) noexcept;

// Raises the warnings, about the UUIDs of "this session" or "this server".
void warn_about_clock(const ClockReport &report, const char *whose);

}  // namespace uuidx

#pragma GCC visibility pop
