// The share of a column's UUIDs that lies below a given one, by a histogram whose bins hold equal
// numbers of them.
#pragma once

#include <cstdint>

#include "uuid.hpp"

namespace uuidx {

// Returns how far `to` is above `from`, in units of octets 0 to 7; `from` must not be above `to`.
constexpr double distance(Uuid from, Uuid to) noexcept {
  // Subtracted as integers, because two UUIDs of one second may be the same number as doubles.
  constexpr double kUnitsOfLo = 18446744073709551616.0;
  const std::uint64_t borrow = to.lo < from.lo ? 1 : 0;
  return static_cast<double>(to.hi - from.hi - borrow) +
         static_cast<double>(to.lo - from.lo) / kUnitsOfLo;
}

// Returns the share of [from, to] that lies below `id`, 0 to 1.
constexpr double share_below(Uuid from, Uuid to, Uuid id) noexcept {
  if (id <= from) {
    return 0;
  }
  return id >= to ? 1 : distance(from, id) / distance(from, to);
}

// Returns the share of a histogram's UUIDs that lies below `id`, 0 to 1. `bound(i)` is the i-th of
// its `count` bounds in ascending order, from 0; `count` is at least 2. UUIDs are assumed to be
// spread evenly within a bin, which holds for a steady stream of UUIDs that begin with their time.
template <typename Bound>
constexpr double histogram_share_below(int count, const Bound &bound, Uuid id) noexcept {
  int low = 0;
  int high = count - 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (bound(middle) <= id ? low : high) = middle;
  }
  return (low + share_below(bound(low), bound(high), id)) / (count - 1);
}

}  // namespace uuidx
