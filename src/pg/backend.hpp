// The state that one backend keeps between calls, and the adapters that give the core its clock,
// random words and errors.
#pragma once

#include <cstdint>

#include "core/clock_watch.hpp"
#include "core/gregorian.hpp"
#include "core/random_pool.hpp"
#include "core/status.hpp"
#include "core/v7.hpp"
#include "pg/system_clock.hpp"

#include "pg/pg.hpp"

namespace uuidx {

struct BackendState {
  int owner = 0;  // process id; 0 before first use
  RandomPool pool;
  UnixTicks v7_last = 0;
  UnixTicks v8_last = 0;  // of uuid_v8_node()
  GregorianTicks v6_last = 0;
  V1State v1;
  // Statistics, for uuid_generator_state().
  std::uint64_t v7_generated = 0;
  std::uint64_t refills = 0;
  ClockWatch v7_watch;
  TimestampTz since = 0;
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

// Fills the pool with random bytes; false if the source fails. The pool is emptied at the end of
// the transaction, so that a virtual machine copied between two transactions holds no random bits
// that its copies would issue as well.
bool refill_random(void *to, std::size_t size);

// Checks a clock that does not fit the version 7 values of this backend, and warns about it.
void check_v7_clock(BackendState *state);

// Raises the error for a source of random bits that has failed.
[[noreturn]] void raise_entropy_error();

// Raises the error for a failure to generate a UUID of this version.
[[noreturn]] void throw_error(Status status, unsigned version);

// Draws a random word from this backend's pool, or raises an error.
inline std::uint64_t draw_random(BackendState *state) {
  std::uint64_t word = 0;
  if (!state->pool.draw(refill_random, &word)) [[unlikely]] {
    raise_entropy_error();
  }
  return word;
}

// Returns a generated UUID, or raises the error.
inline Datum make_generated(Status status, const Uuid &id, unsigned version) {
  if (status != Status::ok) [[unlikely]] {
    throw_error(status, version);
  }
  return make_uuid(id);
}

}  // namespace uuidx
