// The ticks of the server clock: the last one, shared by several processes, and how far the
// high-water mark lies above it. The mark is durable, and no tick above it may be used; see
// server/high_water_mark.hpp.
#pragma once

#include <algorithm>
#include <atomic>

#include "v7.hpp"

namespace uuidx {

// One word in shared memory, raised by compare-and-swap.
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

// How far a new mark lies ahead of the clock. Ticks follow the clock, so a mark lasts this long.
inline constexpr UnixTicks kMarkStep = UnixTicks{2'000} << kMillisShift;

// How long the confirmation of a mark by synchronous standbys counts. No longer than a mark lasts
// while ticks follow the clock: while they are ahead of it, a mark could last for hours, and other
// standbys be synchronous by then.
inline constexpr UnixTicks kConfirmationStep = kMarkStep;

// How far a new mark lies at least above the last tick. It matters while ticks are ahead of the
// clock, where each value takes one tick: a mark then lasts for 3,276,800 values.
//
// Each restart continues at the mark, and so moves ticks ahead by this. If it takes longer than
// these 50 ms, many in a row leave ticks at most kMarkStep + kMarkMargin ahead of the clock.
inline constexpr UnixTicks kMarkMargin = UnixTicks{50} << kMillisShift;

// How far recovery may write a mark ahead of the one it has replayed, so that it need not flush
// each mark of a long WAL.
inline constexpr UnixTicks kReplayStep = UnixTicks{60'000} << kMillisShift;

// Returns the tick that is `by` later, or kMaxUnixTicks if there is none.
constexpr UnixTicks later(UnixTicks ticks, UnixTicks by) noexcept {
  return by > kMaxUnixTicks - ticks ? kMaxUnixTicks : ticks + by;
}

// Returns the mark to be made durable for a tick, given the tick of the clock.
constexpr UnixTicks mark_above(UnixTicks ticks, UnixTicks clock) noexcept {
  return std::max(later(clock, kMarkStep), later(ticks, kMarkMargin));
}

// True if more than some time has passed since a reading of the clock. True, too, if the clock was
// set back behind it, as nobody knows the time since then.
constexpr bool is_over(UnixTicks since, UnixTicks clock, UnixTicks time) noexcept {
  return clock - since > time;
}

// Returns the tick at which the next mark should be raised: half-way from a tick to its mark, so
// that others seldom wait for the disk. At most the mark.
constexpr UnixTicks raise_point(UnixTicks ticks, UnixTicks mark) noexcept {
  return ticks < mark ? mark - (mark - ticks) / 2 : mark;
}

// Returns the mark to write for one that is replayed from the WAL. Ahead of it, but not of the
// clock: this changes no later tick, as the clock is there already.
constexpr UnixTicks mark_for_replay(UnixTicks replayed, UnixTicks clock) noexcept {
  return std::max(replayed, std::min(clock, later(replayed, kReplayStep)));
}

}  // namespace uuidx
