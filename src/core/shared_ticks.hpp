// The tick of version 7 that several processes draw from: one word, raised by compare and swap.
#pragma once

#include <atomic>

#include "v7.hpp"

namespace uuidx {

using SharedTicks = std::atomic<UnixTicks>;
static_assert(SharedTicks::is_always_lock_free, "a lock would not work across processes");

// Takes the next tick after everybody's last: the rule of next_unix_ticks, done at once. `last`
// gets the one before. Answers false at the end of time.
inline bool take_unix_ticks(SharedTicks *shared, UnixTicks clock, UnixTicks *last,
                            UnixTicks *next) noexcept {
  *last = shared->load(std::memory_order_relaxed);
  do {
    if (!next_unix_ticks(*last, clock, next)) [[unlikely]] {
      return false;
    }
    // Ordered for all processes, so that whoever was told of a value gets a greater one.
  } while (!shared->compare_exchange_weak(*last, *next, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  return true;
}

// Makes later ticks be greater than this one.
inline void raise_unix_ticks(SharedTicks *shared, UnixTicks to) noexcept {
  UnixTicks last = shared->load(std::memory_order_relaxed);
  while (last < to && !shared->compare_exchange_weak(last, to, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed)) {
  }
}

}  // namespace uuidx
