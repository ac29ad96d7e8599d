#include "pg/planner/statistics/column_statistics.hpp"

#include <algorithm>

#include "core/v7.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_statistic.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the number of rows when a table was last vacuumed or analyzed; the present one if that is
// not known, or if it is the sum of child tables.
double read_analyzed_rows(const PlannerInfo *root, const RelOptInfo *rel) {
  const RangeTblEntry *entry =
      rel->rtekind == RTE_RELATION ? root->simple_rte_array[rel->relid] : nullptr;
  if (entry == nullptr || entry->rtekind != RTE_RELATION || entry->inh) {
    return rel->tuples;
  }
  Relation table = table_open(entry->relid, NoLock);
  const double rows = table->rd_rel->reltuples;
  table_close(table, NoLock);
  return rows > 0 ? rows : rel->tuples;
}

// Reads the histogram.
void read_pieces(const PlannerInfo *root, const VariableStatData &variable, Pieces *pieces) {
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                        ATTSTATSSLOT_VALUES)) {
    return;
  }
  if (slot.nvalues >= 2) {
    const auto most = static_cast<std::size_t>(max_pieces(slot.nvalues));
    const Uuid now =
        v7_max(get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())));
    pieces->pieces = static_cast<Piece *>(palloc(sizeof(Piece) * most));
    read_histogram(
        slot.nvalues, [&](int i) { return get_uuid(slot.values[i]); }, now, pieces);
    finish(pieces, now, read_analyzed_rows(root, variable.rel), variable.rel->tuples);
  }
  free_attstatsslot(&slot);
}

}  // namespace

ColumnStatistics *read_statistics(PlannerInfo *root, VariableStatData *variable) {
  if (!HeapTupleIsValid(variable->statsTuple) || variable->rel == nullptr) {
    return nullptr;
  }
  auto *statistics = static_cast<ColumnStatistics *>(palloc(sizeof(ColumnStatistics)));
  *statistics = {};
  statistics->tuple = heap_copytuple(variable->statsTuple);
  statistics->acl_ok = variable->acl_ok;
  bool unknown = false;
  statistics->distinct = get_variable_numdistinct(variable, &unknown);
  statistics->histogram_share =
      1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics->tuple))->stanullfrac;
  AttStatsSlot *common = &statistics->common;
  if (get_attstatsslot(common, statistics->tuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    for (int i = 0; i < common->nnumbers; ++i) {
      statistics->histogram_share -= common->numbers[i];
    }
  }
  statistics->histogram_share = std::max(statistics->histogram_share, 0.0);
  read_pieces(root, *variable, &statistics->histogram);
  return statistics;
}

Shares shares_of(const ColumnStatistics &statistics, UuidRange range) {
  if (range.empty()) {
    return {};
  }
  const Shares from = shares_below(statistics.histogram, range.lowest);
  const Shares to = shares_below(statistics.histogram, range.highest);
  Shares shares{statistics.histogram_share * (to.all - from.all),
                statistics.histogram_share * (to.v7 - from.v7)};
  const int count = std::min(statistics.common.nvalues, statistics.common.nnumbers);
  for (int i = 0; i < count; ++i) {
    if (const Uuid id = get_uuid(statistics.common.values[i]); range.contains(id)) {
      shares.all += statistics.common.numbers[i];
      shares.v7 += is_v7(id) ? statistics.common.numbers[i] : 0;
    }
  }
  return shares;
}

}  // namespace uuidx
