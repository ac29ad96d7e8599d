// The state that one backend keeps between calls, and the adapters that give the core its clock,
// random words and errors.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "core/gregorian.hpp"
#include "core/random_pool.hpp"
#include "core/v7.hpp"
#include "pg/libcrypto.hpp"

#include "pg/pg.hpp"

namespace uuidx {

struct BackendState {
  int owner = 0;  // process id; 0 before first use
  RandomPool pool;
  UnixTicks v7_last = 0;
  UnixTicks v8_last = 0;  // of uuid_v8_node()
  GregorianTicks v6_last = 0;
  V1State v1;
  std::atomic<bool> v7_clock_is_behind = false;  // that was reported; atomic for check_clock()
};

// Null before first use. Its pages are empty in a forked process and left out of core dumps.
extern constinit BackendState *the_backend_state;

// Gives this process an empty state. Raises an error if there is no memory for it.
void adopt_backend_state();

// Returns this process's state. A state inherited from the process that forked this one is dropped:
// two processes with the same random words and ticks would generate the same values.
inline BackendState *backend_state() {
  if (the_backend_state == nullptr || the_backend_state->owner != MyProcPid) [[unlikely]] {
    adopt_backend_state();
  }
  return the_backend_state;
}

// Reads the system clock, in UTC. By clock_gettime(), as std::chrono would need the C++ library.
inline ClockReading read_clock() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec, static_cast<std::uint32_t>(now.tv_nsec)};
}

// Reads the clock in ticks; 0 if version 7 cannot hold its time.
inline UnixTicks read_ticks_or_zero() noexcept {
  UnixTicks clock = 0;
  unix_ticks_from_clock(read_clock(), &clock);
  return clock;
}

// The lead of ticks above which the clock is reported to be behind: more than that after a restart.
inline constexpr UnixTicks kReportedLead = UnixTicks{10'000} << kMillisShift;

// Warns that the clock is far behind a tick, unless `reported` says that this was reported, and
// notes there whether it is.
void report_clock(std::atomic<bool> *reported, UnixTicks ticks, const char *what);

// Checks whether the clock, which was read for a tick, is far behind it: then it was set back. That
// is reported once, until the clock has caught up. `what` names the generator.
inline void check_clock(std::atomic<bool> *reported, UnixTicks ticks, UnixTicks clock,
                        const char *what) {
  if ((ticks - clock > kReportedLead) != reported->load(std::memory_order_relaxed)) [[unlikely]] {
    report_clock(reported, ticks, what);
  }
}

// Raises the error for a source of random bits that has failed.
[[noreturn]] void raise_entropy_error();

// Raise the error for a clock, or a given time, that a UUID of this version cannot hold.
[[noreturn]] void raise_clock_error(unsigned version);
[[noreturn]] void raise_time_error(unsigned version);

// Reads the clock in ticks, or raises an error if a UUID of this version cannot hold its time.
inline UnixTicks read_unix_ticks(unsigned version) {
  UnixTicks clock = 0;
  if (!unix_ticks_from_clock(read_clock(), &clock)) [[unlikely]] {
    raise_clock_error(version);
  }
  return clock;
}

// Advances a generator to its next tick, which it returns, or raises an error.
inline UnixTicks take_ticks(UnixTicks *last, UnixTicks clock, unsigned version) {
  if (!next_unix_ticks(*last, clock, last)) [[unlikely]] {
    raise_clock_error(version);
  }
  return *last;
}

// Draws a random word from this backend's pool, or raises an error. The pool is emptied at the end
// of the transaction, so that a virtual machine copied between two transactions holds no random
// bits that its copies would issue as well.
inline std::uint64_t draw_random(BackendState *state) {
  std::uint64_t word = 0;
  if (!state->pool.draw(fill_random, &word)) [[unlikely]] {
    raise_entropy_error();
  }
  return word;
}

// Returns a UUID for a given time, or raises an error if there is none.
inline Datum make_for_time(const std::optional<Uuid> &id, unsigned version) {
  if (!id) {
    raise_time_error(version);
  }
  return make_uuid(*id);
}

// Returns the next version 7 UUID of this backend, or raises an error. The clock is read
// first, as by all generators: that waits for all earlier instructions to complete, while later
// ones can run in parallel.
[[gnu::always_inline]] inline Uuid next_v7() {
  const UnixTicks clock = read_unix_ticks(kV7);
  BackendState *state = backend_state();
  const std::uint64_t random = draw_random(state);
  const UnixTicks ticks = take_ticks(&state->v7_last, clock, kV7);
  check_clock(&state->v7_clock_is_behind, ticks, clock, "uuid_v7() in this session");
  return v7_from_unix_ticks(ticks, random);
}

}  // namespace uuidx
