#include "pg/clock_report.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "pg/system_clock.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// The clock lead above which a clock that is behind is reported.
constexpr std::int64_t kUsualLead = 10 * kNanosPerSecond;

// Reads a clock that cannot be set; on Linux, one that also runs while the machine is suspended.
ClockReading read_steady_clock() noexcept {
#ifdef CLOCK_BOOTTIME
  constexpr clockid_t kSteady = CLOCK_BOOTTIME;
#else
  constexpr clockid_t kSteady = CLOCK_MONOTONIC;
#endif
  timespec now{};
  clock_gettime(kSteady, &now);
  return {now.tv_sec, static_cast<std::uint32_t>(now.tv_nsec)};
}

struct BothClocks {
  ClockReading now;
  ClockReading steady;
};

// Reads both clocks with little time between them. If the process were descheduled in between, the
// system clock would seem to have been set; so it tries again, at most ten times, and then returns
// false.
bool read_both_clocks(BothClocks *clocks) noexcept {
  ClockReading after = read_steady_clock();
  for (int tries = 0; tries < 10; ++tries) {
    clocks->steady = after;
    clocks->now = read_clock();
    after = read_steady_clock();
    if (nanos_between(clocks->steady, after) < kClockNoise / 4) {
      return true;
    }
  }
  return false;
}

// Converts nanoseconds to seconds, for a message.
double in_seconds(std::int64_t nanoseconds) noexcept {
  return static_cast<double>(nanoseconds) / kNanosPerSecond;
}

// Returns how far a tick lies ahead of the clock, in nanoseconds; negative if it is behind.
std::int64_t lead_of(UnixTicks ticks, UnixTicks clock) noexcept {
  constexpr std::int64_t kMost = kMostNanos / 1'000;
  return std::clamp(micros_from_unix_ticks(ticks) - micros_from_unix_ticks(clock), -kMost, kMost) *
         1'000;
}

}  // namespace

ClockReport check_clock(ClockWatch *watch, UnixTicks ticks) noexcept {
  ClockReport report;
  BothClocks clocks;
  if (!read_both_clocks(&clocks)) {
    return report;  // the next check sees what this one could not
  }
  const ClockChange change = observe(watch, clocks.now, clocks.steady);
  if (change.jumped > std::int64_t{max_clock_lead} * kNanosPerMilli) {
    report.jumped = change.jumped;
  }
  UnixTicks clock = 0;
  if (unix_ticks_from_clock(clocks.now, &clock)) {
    const std::int64_t behind = lead_of(ticks, clock);
    if (behind > kUsualLead && !watch->warned_behind) {
      report.behind = behind;
    }
    watch->warned_behind = behind > kUsualLead;
    watch->behind_at = behind > kClockNoise ? clock : 0;
  }
  return report;
}

void warn_about_clock(const ClockReport &report, const char *what) {
  if (report.jumped > 0) {
    ereport(
        WARNING, errmsg("system clock has jumped forward by %.3f s", in_seconds(report.jumped)),
        errdetail("New values of %s use the new time and will not go back with the clock.", what),
        errhint("Check the time synchronization of this machine."));
  }
  if (report.behind > 0) {
    ereport(WARNING,
            errmsg("system clock is %.3f s behind the last UUID", in_seconds(report.behind)),
            errdetail("%s continues from there, in order, until the clock has caught up.", what),
            errhint("Check the time synchronization of this machine."));
  }
}

}  // namespace uuidx
