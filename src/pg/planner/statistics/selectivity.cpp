// Row estimates for conditions on the time of a key.
//
// By an index on the id, which has the present rows, or else by the column's statistics, which have
// those of the last ANALYZE. For two comparisons, PostgreSQL counts whole and half bins of the
// histogram, as it knows no distance between two UUIDs, so two bounds in one bin give one row.
// Here, the bounds are interpolated within their bins.
#include "pg/planner/statistics/selectivity.hpp"

#include <algorithm>
#include <numeric>

#include "core/v7.hpp"
#include "pg/planner/statistics/column_statistics.hpp"
#include "pg/planner/statistics/index_probe.hpp"
#include "pg/planner/statistics/key_index.hpp"
#include "pg/range_types.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xact.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The most pages that are read for an estimate.
constexpr int kMaxProbedPages = 40;

// The most ranges that are looked up in an index. More have too few pages each.
constexpr uint32 kMaxProbedRanges = 4;

// Divides a range into the parts that are probed one after the other, the one that may have most
// rows last. It is divided where keys become rare: few are older than ten years or ahead of the
// clock, and of these, few by more than a year. Keys of version 4 are spread evenly over ninety
// centuries, so the outer parts may have mostly these, and pages there say nothing about the
// others.
int divide(UuidRange range, UuidRange parts[4]) {
  constexpr UnixMicros kYear = 366 * USECS_PER_DAY;
  const UnixMicros now = get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
  const auto after = [](UnixMicros time) { return successor(v7_max(time)).value_or(kMax); };
  const UuidRange all[] = {{after(now + kYear), kMax},
                           {kNil, v7_max(now - 10 * kYear)},
                           {after(now), v7_max(now + kYear)},
                           {after(now - 10 * kYear), v7_max(now)}};
  int count = 0;
  for (const UuidRange &part : all) {
    if (const UuidRange shared = intersection(range, part); !shared.empty()) {
      parts[count++] = shared;
    }
  }
  return count;
}

// Sets `rows` to the number of version 7 rows in a range. The last part gets the pages that the
// others leave; if it needs few and another one has more rows, that one is read again with the
// rest.
bool probe_range(IndexProbe *probe, UuidRange range, double *rows) {
  UuidRange parts[4] = {range};
  double found[4] = {};
  const int count = probe->index.v7_only ? 1 : divide(range, parts);
  const int few = 2 * probe->level + 4;
  for (int i = 0; i < count; ++i) {
    if (!count_range(probe, parts[i], i + 1 < count ? few : probe->pages, &found[i])) {
      return false;
    }
  }
  const auto most = std::max_element(found, found + 4) - found;
  if (most + 1 < count && probe->pages > few &&
      !count_range(probe, parts[most], probe->pages, &found[most])) {
    return false;
  }
  *rows = std::accumulate(found, found + count, 0.0);
  return true;
}

// Sets `rows` to the number of rows in the ranges if there is an index for it.
template <typename RangeAt>
bool count_by_index(const PlannerInfo *root, const VariableStatData &variable, uint32 count,
                    const RangeAt &range, double *rows) {
  KeyIndex index;
  IndexProbe probe;
  if (!enable_index_probe || count > kMaxProbedRanges || !find_key_index(root, variable, &index) ||
      !open_probe(index, &probe)) {
    return false;
  }
  bool read = true;
  for (uint32 i = 0; i < count && read; ++i) {
    double found = 0;
    probe.pages = kMaxProbedPages / static_cast<int>(count) - 1;
    read = probe_range(&probe, range(i), &found);
    *rows += found;
  }
  close_probe(probe);
  return read;
}

// Sets `share` to that of `count` UUID ranges; returns false if there is neither an index nor
// statistics. `range(i)` returns the i-th, which may be empty.
template <typename RangeAt>
bool estimate_ranges(PlannerInfo *root, VariableStatData *variable, uint32 count,
                     const RangeAt &range, Oid function, double *share) {
  *share = 0;
  if (double rows = 0;
      variable->rel->tuples > 0 && count_by_index(root, *variable, count, range, &rows)) {
    *share = std::min(rows / variable->rel->tuples, 1.0);
    return true;
  }
  ColumnStatistics statistics{};
  if (!statistic_proc_security_check(variable, function) ||
      !read_statistics(root, *variable, &statistics)) {
    return false;
  }
  for (uint32 i = 0; i < count; ++i) {
    CHECK_FOR_INTERRUPTS();
    *share += share_of(statistics, range(i));
  }
  *share = std::clamp(*share, 0.0, 1.0);
  free_statistics(&statistics);
  return true;
}

}  // namespace

bool estimate_range(PlannerInfo *root, VariableStatData *variable, UuidRange range, Oid function,
                    double *share) {
  return estimate_ranges(
      root, variable, 1, [=](uint32) { return range; }, function, share);
}

bool estimate_multirange(PlannerInfo *root, VariableStatData *variable,
                         const MultirangeType *multirange, Oid function, double *share) {
  TypeCacheEntry *type = range_type();
  const auto range = [=](uint32 i) { return v7_range(time_range_at(type, multirange, i)); };
  return estimate_ranges(root, variable, multirange->rangeCount, range, function, share);
}

}  // namespace uuidx
