// Many UUID ranges, as of a multirange, with sums by which the part of any keys that they cover is
// found without looking at each range.
#pragma once

#include <algorithm>
#include <cstdint>

#include "histogram.hpp"
#include "time_range.hpp"
#include "uuid.hpp"

namespace uuidx {

// Returns the UUIDs that two ranges share.
constexpr UuidRange intersection(UuidRange a, UuidRange b) noexcept {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

// UUID ranges in order that do not overlap and are not empty.
struct UuidRanges {
  const UuidRange *range = nullptr;
  const double *width_before = nullptr;  // of the ranges before the i-th; one more than `count`
  std::uint32_t count = 0;

  [[nodiscard]] constexpr bool contains(Uuid id) const noexcept {
    return any_range_contains(
        count, [this](std::uint32_t i) { return range[i]; }, id);
  }

  // Returns the share of some keys that the ranges cover, 0 to 1.
  [[nodiscard]] constexpr double share_of(UuidRange keys) const noexcept {
    const UuidRange *first = std::partition_point(
        range, range + count, [&](const UuidRange &each) { return each.highest < keys.lowest; });
    const UuidRange *end = std::partition_point(
        first, range + count, [&](const UuidRange &each) { return each.lowest <= keys.highest; });
    if (keys.empty() || first == end) {
      return 0;
    }
    const double all = distance(keys.lowest, keys.highest);
    double covered = width_before[end - range] - width_before[first - range];
    if (first->lowest < keys.lowest) {
      covered -= distance(first->lowest, keys.lowest);
    }
    if (end[-1].highest > keys.highest) {
      covered -= distance(keys.highest, end[-1].highest);
    }
    return covered < all ? std::max(covered / all, 0.0) : 1;
  }

  // True if a range has some of the keys.
  [[nodiscard]] constexpr bool overlaps(UuidRange keys) const noexcept {
    const UuidRange *first = std::partition_point(
        range, range + count, [&](const UuidRange &each) { return each.highest < keys.lowest; });
    return first != range + count && first->lowest <= keys.highest;
  }
};

}  // namespace uuidx
