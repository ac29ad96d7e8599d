#include "pg/planner/statistics/column_statistics.hpp"

#include <algorithm>

#include "core/v7.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_statistic.h"
#include "parser/parsetree.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The number of rows inserted since the last ANALYZE is taken from the table's growth. If that
// shows none (VACUUM updates the row count, too, but not the histogram), the rows are assumed to
// have come at the rate of the histogram's last bins, up to the share at which autovacuum analyzes
// a table by default.
constexpr int kRecentBins = 10;
constexpr double kMaxUnseenShare = 0.1;

// Returns the number of rows when the table was last vacuumed or analyzed; if that is not known,
// the present one.
double read_analyzed_rows(PlannerInfo *root, const RelOptInfo *rel) {
  const RangeTblEntry *entry = planner_rt_fetch(static_cast<int>(rel->relid), root);
  if (entry->rtekind != RTE_RELATION || entry->inh) {
    return rel->tuples;
  }
  Relation table = table_open(entry->relid, NoLock);
  const double rows = table->rd_rel->reltuples;
  table_close(table, NoLock);
  return rows > 0 ? rows : rel->tuples;
}

// Reads the histogram of a column.
void read_histogram(const VariableStatData &variable, ColumnStatistics *statistics) {
  AttStatsSlot histogram;
  if (!get_attstatsslot(&histogram, variable.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                        ATTSTATSSLOT_VALUES)) {
    return;
  }
  if (histogram.nvalues >= 2) {
    statistics->bins = static_cast<V7Bin *>(
        palloc(sizeof(V7Bin) * static_cast<std::size_t>(histogram.nvalues - 1)));
    const auto bound = [&](int i) { return get_uuid(histogram.values[i]); };
    statistics->bin_count =
        read_v7_bins(histogram.nvalues, bound, statistics->now, statistics->bins);
  }
  free_attstatsslot(&histogram);
}

// Returns the number of rows that have come since the end of the histogram's last bin at the pace
// of the bins before.
double rows_at_pace(const ColumnStatistics &statistics, int last) {
  const V7Bin &first = statistics.bins[std::max(last + 1 - kRecentBins, 0)];
  const Uuid end = statistics.bins[last].to;
  double share = 0;
  for (const V7Bin *bin = &first; bin <= &statistics.bins[last]; ++bin) {
    share += bin->share;
  }
  const double rows = statistics.analyzed_rows * statistics.histogram_share * share;
  const double time = distance(first.from, end);
  const double most = statistics.analyzed_rows * kMaxUnseenShare;
  return time > 0 ? std::min(rows * distance(end, statistics.now) / time, most) : most;
}

// Returns the number of rows in a UUID range that are newer than the histogram.
double newer_rows_in(const ColumnStatistics &statistics, UuidRange range) {
  int last = statistics.bin_count - 1;
  while (last >= 0 && statistics.bins[last].from >= statistics.now) {
    --last;
  }
  // If the column does not grow with time, its bins go on after the present.
  if (last < 0 || statistics.bins[last].to > statistics.now) {
    return 0;
  }
  // A bin that was cut off at the present has the newer rows, except for what the table has grown.
  const V7Bin &bin = statistics.bins[last];
  const bool cut_off = bin.to == statistics.now;
  const Uuid end = cut_off ? bin.from : bin.to;
  const double share = share_below(end, statistics.now, range.highest) -
                       share_below(end, statistics.now, range.lowest);
  if (share <= 0) {
    return 0;
  }
  const double grown = statistics.rows - statistics.analyzed_rows;
  return share * (grown > 0 || cut_off ? std::max(grown, 0.0) : rows_at_pace(statistics, last));
}

}  // namespace

bool read_statistics(PlannerInfo *root, const VariableStatData &variable,
                     ColumnStatistics *statistics) {
  if (!HeapTupleIsValid(variable.statsTuple) || variable.rel == nullptr ||
      variable.rel->tuples <= 0) {
    return false;
  }
  const double nulls =
      reinterpret_cast<Form_pg_statistic>(GETSTRUCT(variable.statsTuple))->stanullfrac;
  statistics->rows = variable.rel->tuples;
  statistics->analyzed_rows = read_analyzed_rows(root, variable.rel);
  statistics->histogram_share = 1 - nulls;
  if (get_attstatsslot(&statistics->common, variable.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    for (int i = 0; i < statistics->common.nnumbers; ++i) {
      statistics->histogram_share -= statistics->common.numbers[i];
    }
  }
  statistics->histogram_share = std::max(statistics->histogram_share, 0.0);
  statistics->now = v7_max(get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())));
  read_histogram(variable, statistics);
  return true;
}

void free_statistics(ColumnStatistics *statistics) {
  free_attstatsslot(&statistics->common);
  if (statistics->bins != nullptr) {
    pfree(statistics->bins);
  }
}

double share_of_analyzed(const ColumnStatistics &statistics, UuidRange range) {
  double share = 0;
  const int count = std::min(statistics.common.nvalues, statistics.common.nnumbers);
  for (int i = 0; i < count; ++i) {
    const Uuid id = get_uuid(statistics.common.values[i]);
    share += is_v7(id) && range.contains(id) ? statistics.common.numbers[i] : 0;
  }
  return share + statistics.histogram_share *
                     v7_share(statistics.bins, statistics.bin_count, range.lowest, range.highest);
}

double share_of(const ColumnStatistics &statistics, UuidRange range) {
  if (range.empty()) {
    return 0;
  }
  const double analyzed =
      share_of_analyzed(statistics, range) * std::min(statistics.analyzed_rows, statistics.rows);
  return (analyzed + newer_rows_in(statistics, range)) / statistics.rows;
}

}  // namespace uuidx
