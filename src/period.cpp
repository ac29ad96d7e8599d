#include "period.hpp"

#include <optional>

#include "v7.hpp"

namespace uuidx {

namespace {

// The lowest UUID that is not before a period; none where all are.
std::optional<Uuid> lowest_after(PeriodEnd lower) noexcept {
  if (!lower.bounded) {
    return kNil;
  }
  if (lower.inclusive) {
    return v7_min(lower.time);
  }
  return successor(v7_max(lower.time));
}

// The highest UUID that is not after a period; none where all are.
std::optional<Uuid> highest_before(PeriodEnd upper) noexcept {
  if (!upper.bounded) {
    return kMax;
  }
  if (upper.inclusive) {
    return v7_max(upper.time);
  }
  return predecessor(v7_min(upper.time));
}

}  // namespace

UuidSpan v7_span(PeriodEnd lower, PeriodEnd upper) noexcept {
  const std::optional<Uuid> lowest = lowest_after(lower);
  const std::optional<Uuid> highest = highest_before(upper);
  if (!lowest || !highest) {
    return kEmptySpan;
  }
  return {*lowest, *highest};
}

}  // namespace uuidx
