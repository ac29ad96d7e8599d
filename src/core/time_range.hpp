// Time ranges, and the version 7 UUID ranges that correspond to them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// A UUID range: all UUIDs between its bounds `lowest` and `highest`, both included; empty if
// `lowest` is above `highest`.
struct UuidRange {
  Uuid lowest = kNil;
  Uuid highest = kMax;

  constexpr bool empty() const noexcept { return lowest > highest; }
  constexpr bool contains(Uuid id) const noexcept { return lowest <= id && id <= highest; }
};

inline constexpr UuidRange kEmptyRange{kMax, kNil};

// Returns the UUIDs that two ranges share.
constexpr UuidRange intersection(UuidRange a, UuidRange b) noexcept {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

// One end of a time range.
struct RangeEnd {
  UnixMicros time = 0;     // ignored if not bounded
  bool bounded = false;    // false: the range is infinite on this side
  bool inclusive = false;  // whether the range contains `time` itself
};

// A time range, as PostgreSQL's tstzrange.
struct TimeRange {
  RangeEnd lower;
  RangeEnd upper;
  bool empty = false;  // true: it contains no time, and the ends are ignored
};

// Returns the UUID range of a time range. It contains a version 7 UUID if and only if the time
// range contains the UUID's time in whole milliseconds, and the UUIDs of other versions whose bits
// lie between the bounds, v7_min and v7_max of the ends. For time ranges that are in order, do not
// overlap and are not empty, `highest` never decreases, even if a UUID range is empty, except from
// max to its predecessor.
UuidRange v7_range(const TimeRange &range) noexcept;

// True if one of `count` UUID ranges contains the UUID, which must be of version 7. `range(i)`
// returns the i-th, from 0: the v7_range of time ranges that are in order, do not overlap and are
// not empty.
template <typename RangeAt>
constexpr bool any_range_contains(std::uint32_t count, const RangeAt &range, Uuid id) noexcept {
  // Finds the first range that does not end below the UUID. No other can contain it, even if this
  // one is empty: the time range of the next one begins at the end of this one's, or later.
  std::uint32_t begin = 0;
  std::uint32_t end = count;
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (range(middle).highest < id) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < count && range(begin).contains(id);
}

// Returns the smallest UUID range that contains all of such UUID ranges.
template <typename RangeAt>
constexpr UuidRange hull_of(std::uint32_t count, const RangeAt &range) noexcept {
  std::uint32_t first = 0;
  while (first < count && range(first).empty()) {
    ++first;
  }
  while (count > first && range(count - 1).empty()) {
    --count;
  }
  return first < count ? UuidRange{range(first).lowest, range(count - 1).highest} : kEmptyRange;
}

}  // namespace uuidx
