// The last tick, shared by several processes: one word in shared memory, raised by
// compare-and-swap.
#pragma once

#include <atomic>

#include "v7.hpp"

namespace uuidx {

using SharedTicks = std::atomic<UnixTicks>;
static_assert(SharedTicks::is_always_lock_free, "a lock would not work across processes");

// Applies next_unix_ticks to the shared tick in one atomic step: sets `next` to the tick taken.
// Returns false, and takes none, after kMaxUnixTicks.
//
// All ticks differ and increase on every machine and in any memory order, as a compare-and-swap
// that succeeds has read the newest value, also one that another processor still has in its cache.
// So a process that has learned of a value gets a greater one. The load may be relaxed: an old
// value only costs another round, and if kMaxUnixTicks was reached, it stays.
inline bool take_unix_ticks(SharedTicks *shared, UnixTicks clock, UnixTicks *next) noexcept {
  UnixTicks last = shared->load(std::memory_order_relaxed);
  do {
    if (!next_unix_ticks(last, clock, next)) [[unlikely]] {
      return false;
    }
    // Sequentially consistent, which is more than is needed: no other memory is read because of
    // the tick. A mark that is read too early is only too low; see may_return().
  } while (!shared->compare_exchange_weak(last, *next, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  return true;
}

// Raises the shared tick to `to` unless it is higher already, so that every later one is greater.
// Sequentially consistent, which includes the release that marks need: what was done before, such
// as flushing a mark, happened before for a process that loads the new value with acquire. If it
// was higher already, its writer had done so.
inline void increase_unix_ticks(SharedTicks *shared, UnixTicks to) noexcept {
  UnixTicks last = shared->load(std::memory_order_relaxed);
  while (last < to && !shared->compare_exchange_weak(last, to, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed)) {
  }
}

}  // namespace uuidx
