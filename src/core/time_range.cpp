#include "time_range.hpp"

#include <optional>

#include "v7.hpp"

namespace uuidx {

namespace {

// Returns the lowest UUID that is not before a time range; none if all are before it.
std::optional<Uuid> lowest_of(RangeEnd lower) noexcept {
  if (!lower.bounded) {
    return kNil;
  }
  return lower.inclusive ? v7_min(lower.time) : successor(v7_max(lower.time));
}

// Returns the highest UUID that is not after a time range; none if all are after it.
std::optional<Uuid> highest_of(RangeEnd upper) noexcept {
  if (!upper.bounded) {
    return kMax;
  }
  return upper.inclusive ? v7_max(upper.time) : predecessor(v7_min(upper.time));
}

}  // namespace

UuidRange v7_range(const TimeRange &range) noexcept {
  if (range.empty) {
    return kEmptyRange;
  }
  const std::optional<Uuid> lowest = lowest_of(range.lower);
  const std::optional<Uuid> highest = highest_of(range.upper);
  if (!lowest) {
    return {kMax, *predecessor(kMax)};
  }
  if (!highest || *lowest > *highest) {
    // No whole millisecond is in the time range, as in (0.2 ms, 0.8 ms]. The empty UUID range ends
    // where the first millisecond after it begins, because that of a time range before, as [0, 0.2
    // ms], may end there, too, and `highest` must not decrease.
    const Uuid end = predecessor(v7_min(range.upper.time)).value_or(kNil);
    return {*successor(end), end};
  }
  return {*lowest, *highest};
}

}  // namespace uuidx
