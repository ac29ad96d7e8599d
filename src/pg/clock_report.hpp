// Warnings about a clock that was set, each reported once and not with every value.
#pragma once

#include <cstdint>

#include "core/clock_watch.hpp"
#include "core/v7.hpp"
#include "pg/settings.hpp"

namespace uuidx {

// The result of a check.
struct ClockReport {
  std::int64_t jumped = 0;  // nanoseconds forward, more than uuidx.max_clock_lead; else 0
  std::int64_t behind = 0;  // nanoseconds behind the tick, more than is usual; else 0
};

// How long a clock that was found behind is not checked again, so that few values pay for it.
inline constexpr UnixTicks kRecheck = UnixTicks{100} << kMillisShift;

// True if the clock should be checked: it is more than a millisecond behind the last tick, or more
// than uuidx.max_clock_lead ahead of it, which may also mean that no value was generated for a
// while. `behind_at` is its tick when it was last found behind, or 0 if it was not: then it is
// checked until it has caught up, and at once if it is set back again (the difference wraps).
inline bool clock_is_suspect(UnixTicks last, UnixTicks clock, UnixTicks behind_at) noexcept {
  if (behind_at != 0) [[unlikely]] {
    return clock - behind_at >= kRecheck;
  }
  const auto ahead = static_cast<std::int64_t>(clock - last);
  constexpr std::int64_t kMillisecond = std::int64_t{1} << kMillisShift;
  return ahead < -kMillisecond || ahead > max_clock_lead * kMillisecond;
}

// Checks the clock after a value was generated at a tick. Returns what to report: each jump, and
// once that the clock has fallen behind, until it has caught up.
ClockReport check_clock(ClockWatch *watch, UnixTicks ticks) noexcept;

// Raises the warnings of a report; `what` names the generator.
void warn_about_clock(const ClockReport &report, const char *what);

}  // namespace uuidx
