// Periods of time in the order of version 7.
#pragma once

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// All UUIDs from `lowest` to `highest`, both included; none where `lowest` is above `highest`.
struct UuidSpan {
  Uuid lowest = kNil;
  Uuid highest = kMax;

  constexpr bool contains(Uuid id) const noexcept { return lowest <= id && id <= highest; }
};

// The span of the empty period, which has no place in the order.
inline constexpr UuidSpan kEmptySpan{kMax, kNil};

// One end of a period.
struct PeriodEnd {
  UnixMicros time = 0;     // of no meaning where the period has no end on this side
  bool bounded = false;    // false: everything on this side belongs to it
  bool inclusive = false;  // whether the time itself belongs to it
};

// The UUIDs of a period that is not empty. A version 7 UUID is in the span exactly when its time is
// in the period; other UUIDs compare with the same bounds, v7_min and v7_max, of its ends. Spans of
// periods that follow each other do so, too, even where they are empty.
UuidSpan v7_span(PeriodEnd lower, PeriodEnd upper) noexcept;

}  // namespace uuidx
