// Row estimates for conditions on the time of a key.
//
// By an index on the id, which has the present rows, or else by the column's statistics, which have
// those of the last ANALYZE. For two comparisons, PostgreSQL counts whole and half bins of the
// histogram, as it knows no distance between two UUIDs, so two bounds in one bin give one row.
// Here, the bounds are interpolated within their bins.
#include "pg/planner/selectivity.hpp"

#include <algorithm>
#include <numeric>

#include "core/v7.hpp"
#include "pg/planner/column_statistics.hpp"
#include "pg/planner/index_probe.hpp"
#include "pg/planner/key_index.hpp"
#include "pg/planner/range_types.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xact.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Reads the UUID ranges of the time ranges of a multirange, except for empty ones. To be freed by
// free_ranges().
UuidRanges read_ranges(const MultirangeType *multirange) {
  const uint32 count = multirange->rangeCount;
  auto *range =
      static_cast<UuidRange *>(palloc_extended(count * sizeof(UuidRange), MCXT_ALLOC_HUGE));
  auto *before =
      static_cast<double *>(palloc_extended((count + Size{1}) * sizeof(double), MCXT_ALLOC_HUGE));
  TypeCacheEntry *cache = range_type();
  uint32 found = 0;
  before[0] = 0;
  for (uint32 i = 0; i < count; ++i) {
    CHECK_FOR_INTERRUPTS();
    range[found] = v7_range(time_range_at(cache, multirange, i));
    if (!range[found].empty()) {
      before[found + 1] = before[found] + distance(range[found].lowest, range[found].highest);
      ++found;
    }
  }
  return {range, before, found};
}

void free_ranges(const UuidRanges &ranges) {
  pfree(const_cast<UuidRange *>(ranges.range));
  pfree(const_cast<double *>(ranges.width_before));
}

// Returns the parts of all UUIDs that are probed one after the other: those that the ranges
// overlap, the one that may have most rows last. They are divided where keys become rare: few are
// older than ten years or ahead of the clock, and of these, few by more than a year. Keys of
// version 4 are spread evenly over ninety centuries, so the outer parts may have mostly these, and
// pages there say nothing about the others.
int divide(const UuidRanges &ranges, UuidRange parts[4]) {
  constexpr UnixMicros kYear = 366 * USECS_PER_DAY;
  const UnixMicros now = get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
  const auto after = [](UnixMicros time) { return successor(v7_max(time)).value_or(kMax); };
  const UuidRange all[] = {{after(now + kYear), kMax},
                           {kNil, v7_max(now - 10 * kYear)},
                           {after(now), v7_max(now + kYear)},
                           {after(now - 10 * kYear), v7_max(now)}};
  int count = 0;
  for (const UuidRange &part : all) {
    if (ranges.overlaps(part)) {
      parts[count++] = part;
    }
  }
  return count;
}

// Sets `rows` to the number of version 7 rows in the ranges. The last part gets the pages that the
// others leave; if it needs few and another one has more rows, that one is read again with the
// rest.
bool probe_ranges(IndexProbe *probe, const UuidRanges &ranges, double *rows) {
  UuidRange parts[4] = {{kNil, kMax}};
  double found[4] = {};
  const int count = probe->index.v7_only ? 1 : divide(ranges, parts);
  const int few = 2 * probe->level + 4;
  for (int i = 0; i < count; ++i) {
    if (!add_rows(probe, ranges, parts[i], i + 1 < count ? few : probe->pages, &found[i])) {
      return false;
    }
  }
  const auto most = std::max_element(found, found + 4) - found;
  if (most + 1 < count && probe->pages > few) {
    found[most] = 0;
    if (!add_rows(probe, ranges, parts[most], probe->pages, &found[most])) {
      return false;
    }
  }
  *rows = std::accumulate(found, found + count, 0.0);
  return true;
}

// Sets `rows` to the number of rows in the ranges if there is an index for it.
bool count_by_index(const PlannerInfo *root, const VariableStatData &variable,
                    const UuidRanges &ranges, double *rows) {
  KeyIndex index;
  IndexProbe probe;
  if (!enable_index_probe || !find_key_index(root, variable, &index) ||
      !open_probe(index, &probe)) {
    return false;
  }
  const bool found = probe_ranges(&probe, ranges, rows);
  close_probe(probe);
  return found;
}

// Sets `share` to that of UUID ranges; returns false if there is neither an index nor statistics.
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
  for (uint32 i = 0; i < ranges.count; ++i) {
    CHECK_FOR_INTERRUPTS();
    *share += share_of(statistics, ranges.range[i]);
  }
  *share = std::clamp(*share, 0.0, 1.0);
  free_statistics(&statistics);
  return true;
}

}  // namespace

bool estimate_range(PlannerInfo *root, VariableStatData *variable, UuidRange range, Oid function,
                    double *share) {
  const double width[] = {0, range.empty() ? 0 : distance(range.lowest, range.highest)};
  return estimate_ranges(root, variable, UuidRanges{&range, width, range.empty() ? 0U : 1U},
                         function, share);
}

bool estimate_multirange(PlannerInfo *root, VariableStatData *variable,
                         const MultirangeType *multirange, Oid function, double *share) {
  const UuidRanges ranges = read_ranges(multirange);
  const bool known = estimate_ranges(root, variable, ranges, function, share);
  free_ranges(ranges);
  return known;
}

}  // namespace uuidx
