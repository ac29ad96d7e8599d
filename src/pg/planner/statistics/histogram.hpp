// The version 7 UUIDs of a column, by a histogram whose bins hold equal numbers of its UUIDs.
//
// UUIDs of other versions are among them: version 4 is spread evenly over all values, and so is
// most of version 1, while version 7 has a small part for itself, from its first year until now. So
// a bin between two UUIDs of version 7 has these only, but the bins at the ends of the part have
// both, and stretch far.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/uuid.hpp"
#include "core/v7.hpp"

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

// The version 7 UUIDs of one bin, spread evenly from one UUID to another.
struct V7Bin {
  Uuid from;
  Uuid to;
  double share = 0;  // of all UUIDs of the histogram
};

// Returns the UUID that is a distance, as of distance(), above or below another one; nil or max if
// there is none.
constexpr Uuid moved(Uuid id, double by) noexcept {
  constexpr double kUnits = 18446744073709551616.0;
  const double hi = static_cast<double>(id.hi) + by;
  if (hi < 0) {
    return kNil;
  }
  return hi >= kUnits ? kMax : Uuid{static_cast<std::uint64_t>(hi), id.lo};
}

// Returns the share of other versions among the UUIDs of a bin with one bound of version 7, 0 to 1:
// as many as bins of other versions only have in a part as wide as this bin. `density` is the
// number of such bins per distance, 0 if there are none; then half is assumed.
constexpr double others_between(Uuid from, Uuid to, double density) noexcept {
  return density > 0 ? std::min(distance(from, to) * density, 1.0) : 0.5;
}

// Returns the density of other UUIDs, in bins per distance, by the bins between two of them; 0 if
// there is none.
template <typename Bound>
constexpr double density_of_others(int count, const Bound &bound) noexcept {
  int bins = 0;
  double width = 0;
  for (int i = 0; i + 1 < count; ++i) {
    if (!is_v7(bound(i)) && !is_v7(bound(i + 1))) {
      ++bins;
      width += distance(bound(i), bound(i + 1));
    }
  }
  return width > 0 ? bins / width : 0;
}

// Returns the version 7 UUIDs of a bin whose lower bound only is one. They go on about as densely
// as before, `width` per bin: until now, or if that is much longer, until the stream has ended.
constexpr V7Bin last_v7_bin(Uuid from, Uuid to, Uuid now, double width, double density) noexcept {
  const double bins = 1 - others_between(from, to, density);
  const Uuid end = moved(from, 2 * width * bins);
  if (from < now && now <= end) {
    return {from, std::min(now, to), bins};
  }
  return {from, std::clamp(moved(from, width * bins), from, to), bins};
}

// Returns the version 7 UUIDs of a bin whose upper bound only is one: they begin as densely as they
// go on, `width` per bin.
constexpr V7Bin first_v7_bin(Uuid from, Uuid to, double width, double density) noexcept {
  const double bins = 1 - others_between(from, to, density);
  return {std::clamp(moved(to, -width * bins), from, to), to, bins};
}

// Returns a bin between two version 7 UUIDs. If the last UUID is ahead of the clock, so that its
// bin is wide, most of the others are not.
constexpr V7Bin whole_v7_bin(Uuid from, Uuid to, Uuid now, double width) noexcept {
  const bool ahead = from < now && now < to && distance(from, to) > 2 * width;
  return {from, ahead ? now : to, 1};
}

// Sets `bins` to the bins with version 7 UUIDs of a histogram, in order, and returns their number.
// `bound(i)` is the i-th of its `count` bounds in ascending order, from 0; `bins` has place for
// count - 1. `now` is the highest UUID of the present time.
template <typename Bound>
int read_v7_bins(int count, const Bound &bound, Uuid now, V7Bin *bins) noexcept {
  const double density = density_of_others(count, bound);
  int found = 0;
  double width = 0;  // of the bin before
  for (int i = 0; i + 1 < count; ++i) {
    const Uuid from = bound(i);
    const Uuid to = bound(i + 1);
    V7Bin bin;
    if (is_v7(from) && is_v7(to)) {
      bin = whole_v7_bin(from, to, now, width);
      width = distance(bin.from, bin.to);
    } else if (is_v7(from)) {
      const double until_now = from < now ? distance(from, now) : 0;
      bin = last_v7_bin(from, to, now, width > 0 ? width : until_now, density);
    } else if (is_v7(to)) {
      const bool follows = i + 2 < count && is_v7(bound(i + 2));
      const double until_now = to < now ? distance(to, now) : 0;
      bin = first_v7_bin(from, to, follows ? distance(to, bound(i + 2)) : until_now, density);
    } else {
      continue;
    }
    bin.share /= count - 1;
    bins[found++] = bin;
  }
  return found;
}

// Returns the share of a histogram's UUIDs that is of version 7 and in a range.
constexpr double v7_share(const V7Bin *bins, int count, Uuid lowest, Uuid highest) noexcept {
  const V7Bin *end = bins + count;
  const V7Bin *bin =
      std::partition_point(bins, end, [&](const V7Bin &before) { return before.to < lowest; });
  double share = 0;
  for (; bin != end && bin->from <= highest; ++bin) {
    share += bin->share *
             (share_below(bin->from, bin->to, highest) - share_below(bin->from, bin->to, lowest));
  }
  return share;
}

}  // namespace uuidx
