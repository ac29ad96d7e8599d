// How far a high-water mark lies above the last tick. The mark is durable, and no tick above it may
// be used; see server/high_water_mark.hpp.
#pragma once

#include <algorithm>

#include "v7.hpp"

namespace uuidx {

// How far a new mark lies ahead of the clock. Ticks follow the clock, so a mark lasts this long.
inline constexpr UnixTicks kMarkStep = UnixTicks{2'000} << kMillisShift;

// How far a new mark lies at least above the last tick. It matters while ticks are ahead of the
// clock, where each value takes one tick: a mark then lasts for 3,276,800 values.
//
// Each restart continues at the mark, and so moves ticks ahead by this. As a restart takes longer
// than these 50 ms, many in a row leave ticks at most kMarkStep + kMarkMargin ahead of the clock.
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
