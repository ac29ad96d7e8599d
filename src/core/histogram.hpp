// The UUIDs of a column, by a histogram whose bins hold equal numbers of them.
//
// Version 7 is ordered by time and has a small part of all values for itself, from its first year
// until now. Other versions, spread evenly over all values (version 4) or most of them (version 1),
// may be among them. So a bin between two UUIDs of version 7 has these only, but the bins at the
// ends of the part have both, and stretch far.
#pragma once

#include <algorithm>
#include <cstdint>

#include "uuid.hpp"
#include "v7.hpp"

namespace uuidx {

// The distance of nil and max, as of distance().
inline constexpr double kAllUnits = 18446744073709551616.0;

// Returns how far `to` is above `from`, in units of octets 0 to 7; `from` must not be above `to`.
constexpr double distance(Uuid from, Uuid to) noexcept {
  // Subtracted as integers, because two UUIDs of one second may be the same number as doubles.
  const std::uint64_t borrow = to.lo < from.lo ? 1 : 0;
  return static_cast<double>(to.hi - from.hi - borrow) +
         static_cast<double>(to.lo - from.lo) / kAllUnits;
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
  double share = 0;  // of the bin's UUIDs
};

// Shares of a column's UUIDs: of all versions, and those that are of version 7.
struct Shares {
  double all = 0;
  double v7 = 0;
};

// Returns the shares of some UUIDs and of a part of others.
constexpr Shares sum(Shares a, Shares b, double part) noexcept {
  return {a.all + b.all * part, a.v7 + b.v7 * part};
}

// Some UUIDs of a column, spread evenly from one UUID to another.
struct Piece {
  Uuid from;
  Uuid to;
  Shares share;
  Shares below;  // of the pieces before
};

// The UUIDs of a column, as pieces in order, which do not overlap.
struct Pieces {
  Piece *pieces = nullptr;
  int count = 0;
};

// Returns the UUID that is a distance, as of distance(), above or below another one; nil or max if
// there is none.
constexpr Uuid moved(Uuid id, double by) noexcept {
  const double hi = static_cast<double>(id.hi) + by;
  if (hi < 0) {
    return kNil;
  }
  return hi >= kAllUnits ? kMax : Uuid{static_cast<std::uint64_t>(hi), id.lo};
}

// Returns the share of other versions among the UUIDs of a bin with one bound of version 7, 0 to 1:
// as many as bins of other versions only have in a part as wide as this bin. `density` is the
// number of such bins per distance, 0 if there are none; then half is assumed.
constexpr double others_between(Uuid from, Uuid to, double density) noexcept {
  return density > 0 ? std::min(distance(from, to) * density, 1.0) : 0.5;
}

// Returns the density of other UUIDs, in bins per distance, by the bins between two of them; 0 if
// there is none.
constexpr double density_of_others(int count, const Uuid *bounds) noexcept {
  int bins = 0;
  double width = 0;
  for (int i = 0; i + 1 < count; ++i) {
    if (!is_v7(bounds[i]) && !is_v7(bounds[i + 1])) {
      ++bins;
      width += distance(bounds[i], bounds[i + 1]);
    }
  }
  return width > 0 ? bins / width : 0;
}

// Returns the version 7 part of the bin from the i-th bound of a histogram, from 0, to the next
// one. If only one bound is of version 7, the stream goes on, or begins, as densely as in the bin
// beside, but not after the present. `density` is as above.
constexpr V7Bin v7_bin(int count, const Uuid *bounds, int i, Uuid now, double density) noexcept {
  const Uuid from = bounds[i];
  const Uuid to = bounds[i + 1];
  if (is_v7(from) && is_v7(to)) {
    return {from, to, 1};
  }
  const double share = 1 - others_between(from, to, density);
  if (is_v7(from)) {
    const bool precedes = i > 0 && is_v7(bounds[i - 1]);
    const double until_now = from < now ? distance(from, now) : 0;
    const Uuid end = moved(from, share * (precedes ? distance(bounds[i - 1], from) : until_now));
    return {from, std::clamp(end, from, from < now ? std::min(now, to) : to), share};
  }
  if (is_v7(to)) {
    const bool follows = i + 2 < count && is_v7(bounds[i + 2]);
    const double until_now = to < now ? distance(to, now) : 0;
    const Uuid begin = moved(to, -share * (follows ? distance(to, bounds[i + 2]) : until_now));
    return {std::clamp(begin, from, to), to, share};
  }
  return {from, from, 0};
}

// Adds a bin: its version 7 UUIDs where they are, and the others spread over all of it.
constexpr void add_bin(Pieces *column, Uuid from, Uuid to, V7Bin v7, double share) noexcept {
  const auto add = [&](Uuid begin, Uuid end, double all, double of_v7) {
    if (all > 0) {
      column->pieces[column->count++] = {begin, end, {all, of_v7}, {}};
    }
  };
  const double others = share * (1 - v7.share);
  const double before = others * share_below(from, to, v7.from);
  const double after = others * (1 - share_below(from, to, v7.to));
  add(from, v7.from, before, 0);
  add(v7.from, v7.to, share - before - after, share * v7.share);
  add(v7.to, to, after, 0);
}

// Returns the most pieces of a histogram with so many bounds: two for each bin, as the version 7
// part is at one of its ends, and one for the rows that are newer.
constexpr int max_pieces(int bounds) noexcept {
  return 2 * (bounds - 1) + 1;
}

// Sums up the pieces, which are complete then, if their shares are multiplied by a number.
constexpr void sum_up(Pieces *column, double factor = 1) noexcept {
  Shares below;
  for (Piece *piece = column->pieces; piece != column->pieces + column->count; ++piece) {
    piece->share = sum({}, piece->share, factor);
    piece->below = below;
    below = sum(below, piece->share, 1);
  }
}

// Reads a histogram of `count` bounds in ascending order. `now` is the highest UUID of the present
// time. `column` has place for max_pieces(count).
constexpr void read_histogram(int count, const Uuid *bounds, Uuid now, Pieces *column) noexcept {
  const double density = density_of_others(count, bounds);
  for (int i = 0; i + 1 < count; ++i) {
    const V7Bin v7 = v7_bin(count, bounds, i, now, density);
    add_bin(column, bounds[i], bounds[i + 1], v7, 1.0 / (count - 1));
  }
  sum_up(column);
}

// Returns the last piece with version 7 UUIDs that begins before the present; null if there is none
// or it goes on after the present, as in a column that does not grow with time.
constexpr const Piece *newest_piece(const Pieces &column, Uuid now) noexcept {
  const Piece *piece = column.pieces + column.count;
  while (piece != column.pieces) {
    --piece;
    if (piece->share.v7 > 0 && piece->from < now) {
      return piece->to <= now ? piece : nullptr;
    }
  }
  return nullptr;
}

// Returns the number of UUIDs, relative to those of the column, that have come since the newest
// piece at the pace of the last ten pieces of version 7; a large number if these are of one time.
constexpr double share_at_pace(const Pieces &column, const Piece &newest, Uuid now) noexcept {
  constexpr int kRecent = 10;
  const Piece *first = &newest;
  while (first != column.pieces && &newest - first < kRecent - 1 && first[-1].share.v7 > 0) {
    --first;
  }
  const double share = newest.below.v7 + newest.share.v7 - first->below.v7;
  const double width = distance(first->from, newest.to);
  return width > 0 ? share * distance(newest.to, now) / width : 1e10;
}

// The share at which autovacuum analyzes a table by default.
inline constexpr double kMaxUnseen = 0.1;

// Returns the share of a table's rows that are newer than the newest piece. `analyzed` rows were in
// the table when they were last counted. Growth is taken for newer rows as far as one and a half of
// the pace before explains it; the rest are old keys or other versions. If the table has not grown
// (VACUUM counts rows, too, but does not renew the histogram), rows are assumed to have come at the
// pace before, up to kMaxUnseen.
constexpr double newer_share(double at_pace, double analyzed, double rows) noexcept {
  return rows > analyzed ? std::min(rows - analyzed, 1.5 * at_pace * analyzed) / rows
                         : std::min(at_pace, kMaxUnseen);
}

// Adds newer version 7 rows, a share of all, between the newest piece and now. If other versions
// are there, they stay.
constexpr void add_newer(Pieces *column, const Piece *newest, Uuid now, double share) noexcept {
  Piece *after = column->pieces + (newest + 1 - column->pieces);
  Piece *end = column->pieces + column->count;
  const double relative = share / (1 - share);
  Piece newer{newest->to, now, {relative, relative}, {}};
  if (after != end) {
    newer.to = std::min(now, after->to);
    after->from = newer.to;
  }
  std::copy_backward(after, end, end + 1);
  *after = newer;
  ++column->count;
  sum_up(column, 1 - share);
}

// Returns the shares of a column's UUIDs that are below `id`.
constexpr Shares shares_below(const Pieces &column, Uuid id) noexcept {
  const Piece *begin = column.pieces;
  const Piece *end = begin + column.count;
  const Piece *piece = std::partition_point(begin, end, [&](const Piece &p) { return p.to < id; });
  if (piece == end) {
    return column.count > 0 ? sum(end[-1].below, end[-1].share, 1) : Shares{};
  }
  return sum(piece->below, piece->share, share_below(piece->from, piece->to, id));
}

}  // namespace uuidx
