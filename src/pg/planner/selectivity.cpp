// Row estimates for conditions on the time of a key.
//
// By an index on the id, which has the present rows, or else by the column's statistics, which have
// those of the last ANALYZE. For two comparisons, PostgreSQL counts whole and half bins of the
// histogram, as it knows no distance between two UUIDs, so two bounds in one bin give one row.
// Here, the bounds are interpolated within their bins.
#include "pg/planner/selectivity.hpp"

#include <algorithm>

#include "core/tree_probe.hpp"
#include "core/v7.hpp"
#include "pg/planner/column_statistics.hpp"
#include "pg/planner/index_probe.hpp"
#include "pg/planner/key_index.hpp"
#include "pg/planner/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Of a multirange, the most ranges that are looked up in an index.
constexpr int kMaxProbedRanges = 8;

// One UUID range, or those of a constant multirange.
struct UuidRanges {
  UuidRange range;
  TypeCacheEntry *type = nullptr;
  const MultirangeType *multirange = nullptr;  // if not null, instead of the range

  [[nodiscard]] int count() const {
    return multirange != nullptr ? static_cast<int>(multirange->rangeCount) : 1;
  }

  [[nodiscard]] UuidRange at(int i) const {
    return multirange != nullptr ? v7_range(time_range_at(type, multirange, static_cast<uint32>(i)))
                                 : range;
  }
};

// Returns the most pages that are read at the ends of a range.
int pages_at_ends(const IndexProbe &probe) {
  return 1 + 2 * probe.level;
}

// Adds to `rows` the number of version 7 rows in a UUID range, by reading about `pages` pages of an
// index. The range is divided where keys become rare: few are older than ten years or ahead of the
// clock, and of these, few by more than a year. Keys of version 4 are spread evenly over ninety
// centuries, so the outer parts may have mostly these, and pages there say nothing about the
// others. The outer parts are read first, with few pages each; what they leave goes to the part
// that has most rows.
bool probe_range(IndexProbe *probe, UuidRange range, int pages, double *rows) {
  constexpr UnixMicros kYear = 366 * USECS_PER_DAY;
  const UnixMicros now = get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
  const Uuid ends[] = {v7_max(now - 10 * kYear), v7_max(now), v7_max(now + kYear), kMax};
  const int left = probe->pages - pages;
  const auto add_part = [&](int i, int limit) {
    const Uuid lowest = i == 0 ? kNil : successor(ends[i - 1]).value_or(kMax);
    return add_rows(probe, {std::max(range.lowest, lowest), std::min(range.highest, ends[i])},
                    limit, rows);
  };
  const int few = pages_at_ends(*probe) + 3;
  return add_part(0, few) && add_part(2, few) && add_part(3, few) &&
         add_part(1, probe->pages - left);
}

// Returns the time that a UUID range covers.
double width_of(UuidRange range) {
  return range.empty() ? 0 : distance(range.lowest, range.highest);
}

// Estimates several UUID ranges as the function above does one. If they are many, the first and the
// last, which may be unbounded, and some of those between are looked up; the others are assumed to
// be as dense.
bool probe_ranges(IndexProbe *probe, const UuidRanges &ranges, double *rows) {
  const int last = ranges.count() - 1;
  const int between = std::max(last - 1, 0);
  const int affordable = std::min(probe->pages / pages_at_ends(*probe), kMaxProbedRanges);
  const int samples = std::min(between, std::max(affordable - 2, 1));
  int to_read = std::min(last + 1, 2) + samples;
  const auto add = [&](UuidRange range, double *sum) {
    return probe_range(probe, range, probe->pages / to_read--, sum);
  };
  if ((last >= 0 && !add(ranges.at(0), rows)) || (last >= 1 && !add(ranges.at(last), rows))) {
    return false;
  }
  double sampled_rows = 0;
  double sampled_width = 0;
  for (int i = 0; i < samples; ++i) {
    const UuidRange range = ranges.at(1 + sample_place(i, samples, between));
    if (!add(range, &sampled_rows)) {
      return false;
    }
    sampled_width += width_of(range);
  }
  double width = 0;
  for (int i = 1; i < last; ++i) {
    width += width_of(ranges.at(i));
  }
  *rows += sampled_width > 0 ? sampled_rows * (width / sampled_width) : 0;
  return true;
}

// Sets `rows` to the number of rows in some UUID ranges if there is an index for it.
bool count_by_index(const PlannerInfo *root, const VariableStatData &variable,
                    const UuidRanges &ranges, double *rows) {
  KeyIndex index;
  IndexProbe probe;
  if (!find_key_index(root, variable, &index) || !open_probe(index, &probe)) {
    return false;
  }
  *rows = 0;
  const bool found = probe_ranges(&probe, ranges, rows);
  close_probe(probe);
  return found;
}

// Estimates several UUID ranges as estimate_range() does one.
bool estimate_ranges(PlannerInfo *root, VariableStatData *variable, const UuidRanges &ranges,
                     Oid function, double *share) {
  *share = 0;
  if (double rows = 0;
      variable->rel->tuples > 0 && count_by_index(root, *variable, ranges, &rows)) {
    *share = std::min(rows / variable->rel->tuples, 1.0);
    return true;
  }
  ColumnStatistics statistics{};
  if (!statistic_proc_security_check(variable, function) ||
      !read_statistics(root, *variable, &statistics)) {
    return false;
  }
  for (int i = 0; i < ranges.count(); ++i) {
    *share += share_of(statistics, ranges.at(i));
  }
  *share = std::clamp(*share, 0.0, 1.0);
  free_statistics(&statistics);
  return true;
}

}  // namespace

bool estimate_range(PlannerInfo *root, VariableStatData *variable, UuidRange range, Oid function,
                    double *share) {
  UuidRanges ranges;
  ranges.range = range;
  return estimate_ranges(root, variable, ranges, function, share);
}

bool estimate_ranges(PlannerInfo *root, VariableStatData *variable,
                     const MultirangeType *multirange, Oid function, double *share) {
  UuidRanges ranges;
  ranges.type = range_type();
  ranges.multirange = multirange;
  return estimate_ranges(root, variable, ranges, function, share);
}

}  // namespace uuidx
