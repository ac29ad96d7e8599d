// Time ranges, and the version 7 UUID ranges that correspond to them.
#pragma once

#include <algorithm>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// A UUID range: all UUIDs between its bounds `lowest` and `highest`, both included; empty if
// `lowest` is above `highest`.
struct UuidRange {
  Uuid lowest = kNil;
  Uuid highest = kMax;

  [[nodiscard]] constexpr bool empty() const noexcept { return lowest > highest; }
  [[nodiscard]] constexpr bool contains(Uuid id) const noexcept {
    return lowest <= id && id <= highest;
  }
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
// lie between the bounds, v7_min and v7_max of the ends.
UuidRange v7_range(const TimeRange &range) noexcept;

}  // namespace uuidx
