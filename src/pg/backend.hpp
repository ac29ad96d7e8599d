// What one backend keeps between calls, and how the core gets its clock, randomness and errors
// there.
#pragma once

#include <cstdint>

#include "core/clock_watch.hpp"
#include "core/gregorian.hpp"
#include "core/random_pool.hpp"
#include "core/status.hpp"
#include "core/v7.hpp"
#include "pg/system_clock.hpp"

#include "pg/pg.hpp"

// Hidden declarations are reached directly; others through the library's global offset table.
#pragma GCC visibility push(hidden)

namespace uuidx {

struct BackendState {
  int owner = 0;  // process id; 0 before first use
  RandomPool pool;
  UnixTicks v7_last = 0;
  UnixTicks v8_last = 0;  // of a node's values
  GregorianTicks v6_last = 0;
  V1State v1;
  // For whoever looks what this session did.
  std::uint64_t v7_generated = 0;
  std::uint64_t refills = 0;
  ClockWatch v7_watch;
  TimestampTz since = 0;
};

// Null before first use. In pages that a forked process finds empty and a core dump leaves out.
extern constinit BackendState *the_backend_state;

// Makes an empty state this process's. Raises an error where there is no memory for it.
void adopt_backend_state();

// This process's state. What was inherited from the process that forked this one is dropped: two
// processes with the same random words and ticks would make the same values.
inline BackendState *backend_state() {
  if (the_backend_state == nullptr || the_backend_state->owner != MyProcPid) [[unlikely]] {
    adopt_backend_state();
  }
  return the_backend_state;
}

// Fills the pool, which is emptied at the end of the transaction: a virtual machine that is copied
// between two transactions has no random bits that its copies would issue, too.
bool refill_random(void *to, std::size_t size);

// A random word of this backend's own.
inline Status draw_random(BackendState *state, std::uint64_t *word) noexcept {
  return state->pool.draw(refill_random, word);
}

// Looks at a clock that does not fit the version 7 values of this backend, and warns.
void check_v7_clock(BackendState *state);

// Raises the error for a failed step of making a UUID of this version.
[[noreturn]] void raise_error(Status status, unsigned version);

}  // namespace uuidx

#pragma GCC visibility pop
