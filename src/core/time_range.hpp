// Time ranges of time in the order of version 7.
#pragma once

#include <cstdint>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// All UUIDs from `lowest` to `highest`, both included; none where `lowest` is above `highest`.
struct UuidRange {
  Uuid lowest = kNil;
  Uuid highest = kMax;

  constexpr bool empty() const noexcept { return lowest > highest; }
  constexpr bool contains(Uuid id) const noexcept { return lowest <= id && id <= highest; }
};

inline constexpr UuidRange kEmptyRange{kMax, kNil};

// One end of a time range.
struct RangeEnd {
  UnixMicros time = 0;     // of no meaning where the time range has no end on this side
  bool bounded = false;    // false: everything on this side belongs to it
  bool inclusive = false;  // whether the time itself belongs to it
};

// A time range of time.
struct TimeRange {
  RangeEnd lower;
  RangeEnd upper;
  bool empty = false;  // true: no time is in it, and the ends mean nothing
};

// The UUIDs of a time range. A version 7 UUID is in the bounds exactly when its time is in the time
// range; other UUIDs compare with the same bounds, v7_min and v7_max, of its ends. The bounds of a
// later time range ends no earlier, even where it is empty; but nil and max may be on the wrong
// side of an empty one.
UuidRange v7_range(const TimeRange &range) noexcept;

// True where one of `count` uuid_ranges contains the UUID. `bounds(i)` is the i-th, in the order of
// their time ranges, which do not overlap.
template <typename Span>
constexpr bool any_range_contains(std::uint32_t count, const Span &bounds, Uuid id) noexcept {
  if (id == kNil || id == kMax) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (bounds(i).contains(id)) {
        return true;
      }
    }
    return false;
  }
  // The first bounds that does not end before the UUID and is not empty; no other can have it.
  std::uint32_t begin = 0;
  std::uint32_t end = count;
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (bounds(middle).highest < id) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  while (begin < count && bounds(begin).empty()) {
    ++begin;
  }
  return begin < count && bounds(begin).contains(id);
}

// From the first of such uuid_ranges that is not empty to the last.
template <typename Span>
constexpr UuidRange hull_of(std::uint32_t count, const Span &bounds) noexcept {
  std::uint32_t first = 0;
  while (first < count && bounds(first).empty()) {
    ++first;
  }
  while (count > first && bounds(count - 1).empty()) {
    --count;
  }
  return first < count ? UuidRange{bounds(first).lowest, bounds(count - 1).highest} : kEmptyRange;
}

}  // namespace uuidx
