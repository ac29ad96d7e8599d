// Periods of time in the order of version 7.
#pragma once

#include <span>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// All UUIDs from `lowest` to `highest`, both included; none where `lowest` is above `highest`.
struct UuidSpan {
  Uuid lowest = kNil;
  Uuid highest = kMax;

  constexpr bool empty() const noexcept { return lowest > highest; }
  constexpr bool contains(Uuid id) const noexcept { return lowest <= id && id <= highest; }
};

inline constexpr UuidSpan kEmptySpan{kMax, kNil};

// One end of a period.
struct PeriodEnd {
  UnixMicros time = 0;     // of no meaning where the period has no end on this side
  bool bounded = false;    // false: everything on this side belongs to it
  bool inclusive = false;  // whether the time itself belongs to it
};

// A period of time.
struct Period {
  PeriodEnd lower;
  PeriodEnd upper;
  bool empty = false;  // true: no time is in it, and the ends mean nothing
};

// The UUIDs of a period. A version 7 UUID is in the span exactly when its time is
// in the period; other UUIDs compare with the same bounds, v7_min and v7_max, of its ends. The span
// is empty where no UUID does, as within one millisecond. Of two spans that are not, that of the
// later period has the higher bounds or the same.
UuidSpan v7_span(const Period &period) noexcept;

// True where one of the spans contains the UUID. None of them is empty, and they are in the order
// of their periods.
bool contains(std::span<const UuidSpan> spans, Uuid id) noexcept;

}  // namespace uuidx
