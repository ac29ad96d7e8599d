// Periods of time in the order of version 7.
#pragma once

#include <cstdint>

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

// The UUIDs of a period. A version 7 UUID is in the span exactly when its time is in the period;
// other UUIDs compare with the same bounds, v7_min and v7_max, of its ends. The span of a later
// period ends no earlier, even where it is empty; but nil and max may be on the wrong side of an
// empty one.
UuidSpan v7_span(const Period &period) noexcept;

// True where one of `count` spans contains the UUID. `span(i)` is the i-th, in the order of their
// periods, which do not overlap.
template <typename Span>
constexpr bool some_span_contains(std::uint32_t count, const Span &span, Uuid id) noexcept {
  if (id == kNil || id == kMax) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (span(i).contains(id)) {
        return true;
      }
    }
    return false;
  }
  // The first span that does not end before the UUID and is not empty; no other can have it.
  std::uint32_t begin = 0;
  std::uint32_t end = count;
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (span(middle).highest < id) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  while (begin < count && span(begin).empty()) {
    ++begin;
  }
  return begin < count && span(begin).contains(id);
}

// From the first of such spans that is not empty to the last.
template <typename Span>
constexpr UuidSpan hull_of(std::uint32_t count, const Span &span) noexcept {
  std::uint32_t first = 0;
  while (first < count && span(first).empty()) {
    ++first;
  }
  while (count > first && span(count - 1).empty()) {
    --count;
  }
  return first < count ? UuidSpan{span(first).lowest, span(count - 1).highest} : kEmptySpan;
}

}  // namespace uuidx
