// Statistics of a column that are made for the constants of one query.
//
// PostgreSQL does not interpolate in a histogram of UUIDs: it takes the middle of the bin, and a
// bin is a hundredth of the table. But it adds up most common values exactly. So the column is
// represented by as many histogram values in each interval between two constants as fit, and for
// what remains, less than a bin, one value in the interval that is declared a common one. Then
// PostgreSQL's arithmetic gives the share below each constant, with few bins: exactly for <= and >,
// and up to the rows of one value for < and >=.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "histogram.hpp"
#include "uuid.hpp"

namespace uuidx {

// A value that is declared a common one. Its share is negative where there are fewer rows than the
// histogram says.
struct CommonValue {
  Uuid id;
  double share = 0;
};

// The most constants that a column is represented for: for each, PostgreSQL reads all of the
// statistics.
inline constexpr int kMostConstants = 128;

// Histogram values and common values, one for each interval.
struct Adapted {
  static constexpr int kBins = 32;
  static constexpr int kMaxBounds = 2 * kBins + 4;
  static constexpr int kMostCommon = kMostConstants + 1;
  Uuid bounds[kMaxBounds];
  int bound_count = 0;
  CommonValue common[kMostCommon];
  int common_count = 0;
};

// Returns a number that differs for each pair, in no order.
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t x = a * 0x9E3779B97F4A7C15 + b;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
  return x ^ x >> 32;
}

// Returns a UUID of a range that is not empty, near its beginning, any by a seed.
constexpr Uuid any_in(UuidRange range, std::uint64_t seed) noexcept {
  const auto [lowest, highest] = range;
  const std::uint64_t room = (lowest.hi < highest.hi ? ~std::uint64_t{0} : highest.lo) - lowest.lo;
  std::uint64_t number = mixed(seed, 1);
  while (number > room) {
    number >>= 1;
  }
  return {lowest.hi, lowest.lo + number};
}

// Returns the UUID with a share of the column below it. `piece` is where the search begins; it
// moves on, as the shares that are asked for increase.
constexpr Uuid uuid_at(const Pieces &column, double share, const Piece **piece) noexcept {
  const Piece *last = column.pieces + column.count - 1;
  while (*piece != last && (*piece)->below.all + (*piece)->share.all < share) {
    ++*piece;
  }
  const Piece &at = **piece;
  const double part = at.share.all > 0 ? (share - at.below.all) / at.share.all : 0;
  return std::clamp(moved(at.from, part * distance(at.from, at.to)), at.from, at.to);
}

// Represents a column for `count` constants, which are in order, not equal and neither nil nor max;
// there is at least one. Common values of other seeds differ, so that a join finds none of them in
// both tables.
constexpr void adapt(const Pieces &column, const Uuid *constants, int count, std::uint64_t seed,
                     Adapted *adapted) noexcept {
  constexpr double kUnit = 1.0 / Adapted::kBins;
  constexpr double kMillisecond = 1 << kMillisShift;
  const Piece *piece = column.pieces;
  double below = 0;
  for (int i = 0; i <= count; ++i) {
    const bool first = i == 0;
    const bool last = i == count;
    UuidRange range{first ? kNil : *successor(constants[i - 1]),
                    last ? kMax : *predecessor(constants[i])};
    if (range.empty()) {
      continue;
    }
    const double share =
        last ? 1 - below : std::max(shares_below(column, constants[i]).all - below, 0.0);
    // At both ends are two values at least, else PostgreSQL takes the constant for one beyond all
    // rows, or looks for the end in an index; and the outer half of their bins is none.
    const double half = first || last ? 0.5 : 0;
    const int values =
        std::max(static_cast<int>(std::floor(share / kUnit + half)), half > 0 ? 2 : 0);
    for (int k = 0; k < values; ++k) {
      const double part = (k + (first ? 0 : last ? 1 : 0.5)) / values;
      adapted->bounds[adapted->bound_count++] =
          std::clamp(uuid_at(column, below + part * share, &piece), range.lowest, range.highest);
    }
    // Not far outside the histogram, as the planner reads the range of values from it.
    range.lowest =
        first ? std::min(adapted->bounds[0], moved(constants[0], -kMillisecond)) : range.lowest;
    range.highest = last ? std::max(adapted->bounds[adapted->bound_count - 1],
                                    moved(constants[i - 1], kMillisecond))
                         : range.highest;
    adapted->common[adapted->common_count++] = {
        any_in(range, mixed(seed, static_cast<std::uint64_t>(i))), share - (values - half) * kUnit};
    below += share;
  }
}

}  // namespace uuidx
