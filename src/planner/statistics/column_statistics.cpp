#include "planner/statistics/column_statistics.hpp"

#include <algorithm>

#include "core/v7.hpp"
#include "planner/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/plancat.h"
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

// True if a table may have a row above a UUID, which is above its histogram. PostgreSQL looks at
// the end of an index for that: if there is none above, it expects nothing.
bool may_exceed(PlannerInfo *root, const VariableStatData &variable, Uuid id) {
  auto *end = makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(id), false, false);
  const double share = restriction_selectivity(root, uuid_operator(BTGreaterStrategyNumber),
                                               list_make2(variable.var, end), InvalidOid, 0);
  constexpr double kLeast = 1e-8;  // without an index, PostgreSQL expects more
  return share > kLeast;
}

// True if so many rows are above a UUID that the newer ones do not count.
bool has_many_above(const Pieces &pieces, Uuid id) {
  constexpr double kMany = 2 * kMaxUnseen;
  double share = 0;
  for (int i = pieces.count - 1; i >= 0 && id <= pieces.pieces[i].from; --i) {
    share += pieces.pieces[i].share.all;
  }
  return share > kMany;
}

// Returns the share of rows that have come since the histogram was made, after its newest piece.
// `highest` is the highest UUID to which shares matter.
double read_newer_share(PlannerInfo *root, const VariableStatData &variable, const Pieces &pieces,
                        const Piece &newest, Uuid now, Uuid highest) {
  const double analyzed = read_analyzed_rows(root, variable.rel);
  const double rows = variable.rel->tuples;
  const bool at_end = &newest + 1 == pieces.pieces + pieces.count && newest.to != now;
  // The sample of ANALYZE need not have the newest row, but one of the newest.
  constexpr double kSampled = 0.01;
  const double at_pace = at_end ? share_at_pace(pieces, newest.to, now) : 0;
  if (rows <= analyzed && at_pace > kSampled) {
    const Uuid soon = moved(newest.to, distance(newest.to, now) * kSampled / at_pace);
    if (has_many_above(pieces, highest) || !may_exceed(root, variable, soon)) {
      return 0;
    }
  }
  return newer_share(pieces, newest, now, analyzed, rows);
}

// Reads the histogram.
void read_pieces(PlannerInfo *root, const VariableStatData &variable, Uuid highest,
                 ColumnStatistics *statistics) {
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                        ATTSTATSSLOT_VALUES)) {
    return;
  }
  if (slot.nvalues >= 2) {
    Pieces *pieces = &statistics->histogram;
    const auto most = static_cast<std::size_t>(max_pieces(slot.nvalues));
    const Uuid now = v7_max(get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())));
    statistics->type = slot.valuetype;
    pieces->pieces = static_cast<Piece *>(palloc(sizeof(Piece) * most));
    read_histogram(
        slot.nvalues, [&](int i) { return get_uuid(slot.values[i]); }, now, pieces);
    if (Piece *newest = newest_piece(*pieces, now); newest != nullptr) {
      add_newer(pieces, newest, now,
                read_newer_share(root, variable, *pieces, *newest, now, highest));
    }
    sum_up(pieces);
  }
  free_attstatsslot(&slot);
}

}  // namespace

ColumnStatistics *read_statistics(PlannerInfo *root, VariableStatData *variable, Uuid highest) {
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
  read_pieces(root, *variable, highest, statistics);
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
