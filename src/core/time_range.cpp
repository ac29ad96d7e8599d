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
  const std::optional<Uuid> lowest = lowest_of(range.lower);
  const std::optional<Uuid> highest = highest_of(range.upper);
  // No whole millisecond may be in a time range, as in (0.2 ms, 0.8 ms].
  if (range.empty || !lowest || !highest || *lowest > *highest) {
    return kEmptyRange;
  }
  return {*lowest, *highest};
}

}  // namespace uuidx
