#include "planner/statistics/column_statistics.hpp"

#include <algorithm>
#include <cstring>

#include "core/v7.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"

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
#include "utils/memutils.h"
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

// Returns the share of rows that have come since the histogram was made, after its newest piece.
// They do not count if there are many more above `highest`.
double read_newer_share(PlannerInfo *root, const VariableStatData &variable, const Pieces &pieces,
                        const Piece &newest, Uuid now, Uuid highest) {
  const double analyzed = read_analyzed_rows(root, variable.rel);
  const double rows = variable.rel->tuples;
  const double at_pace = share_at_pace(pieces, newest, now);
  // The sample of ANALYZE need not have the newest row, but one of the newest.
  constexpr double kSampled = 0.01;
  if (rows <= analyzed && at_pace > kSampled && &newest + 1 == pieces.pieces + pieces.count) {
    const bool many_above = 1 - shares_below(pieces, highest).all > 2 * kMaxUnseen;
    const Uuid soon = moved(newest.to, distance(newest.to, now) * kSampled / at_pace);
    if (many_above || !may_exceed(root, variable, soon)) {
      return 0;
    }
  }
  return newer_share(at_pace, analyzed, rows);
}

// More values than ANALYZE gives a slot, at the highest statistics target. From PostgreSQL 18 on,
// the owner of a table can set any.
constexpr int kMostValues = 10'001;

// Reads the histogram, as of a time: it may have bins that reach beyond it.
Pieces read_pieces(HeapTuple tuple, Uuid now) {
  Pieces pieces;
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, tuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES)) {
    return pieces;
  }
  if (slot.nvalues >= 2 && slot.nvalues <= kMostValues) {
    const auto count = static_cast<std::size_t>(slot.nvalues);
    auto *bounds = static_cast<Uuid *>(palloc(sizeof(Uuid) * count));
    std::transform(slot.values, slot.values + count, bounds, get_uuid);
    const auto most = static_cast<std::size_t>(max_pieces(slot.nvalues));
    pieces.pieces = static_cast<Piece *>(palloc(sizeof(Piece) * most));
    read_histogram(slot.nvalues, bounds, now, &pieces);
  }
  free_attstatsslot(&slot);
  return pieces;
}

// Reads the common values.
void read_common(HeapTuple tuple, ColumnStatistics *statistics) {
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid,
                        ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    return;
  }
  const int count = std::min({slot.nvalues, slot.nnumbers, kMostValues});
  statistics->common =
      static_cast<CommonValue *>(palloc(sizeof(CommonValue) * static_cast<std::size_t>(count)));
  for (int i = 0; i < count; ++i) {
    statistics->common[i] = {get_uuid(slot.values[i]), slot.numbers[i]};
    statistics->histogram_share -= slot.numbers[i];
  }
  statistics->common_count = count;
  free_attstatsslot(&slot);
}

// Reads a row of pg_statistic, as of a time.
ColumnStatistics read_row(HeapTuple tuple, Uuid now) {
  const auto *row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
  ColumnStatistics statistics;
  statistics.row = heap_copytuple(tuple);
  statistics.histogram_share = 1 - row->stanullfrac;
  read_common(tuple, &statistics);
  statistics.histogram_share = std::max(statistics.histogram_share, 0.0);
  statistics.histogram = read_pieces(tuple, now);
  return statistics;
}

// Returns statistics with all that they refer to, in the current memory context. Their histogram
// has room for one more piece.
ColumnStatistics copy_statistics(const ColumnStatistics &statistics) {
  ColumnStatistics copy = statistics;
  copy.row = heap_copytuple(statistics.row);
  const auto pieces = static_cast<std::size_t>(statistics.histogram.count);
  copy.histogram.pieces = static_cast<Piece *>(palloc(sizeof(Piece) * (pieces + 1)));
  std::copy_n(statistics.histogram.pieces, pieces, copy.histogram.pieces);
  copy.common = copy_array(statistics.common, statistics.common_count);
  return copy;
}

// Statistics that have been read, for later queries.
struct Kept {
  MemoryContext memory = nullptr;
  ColumnStatistics statistics;
};
constinit Kept kept_rows[32];

// Keeps the statistics of a row.
void keep(Kept *kept, const ColumnStatistics &statistics) {
  kept->statistics = {};
  if (kept->memory != nullptr) {
    MemoryContextReset(kept->memory);
  } else {
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a macro of PostgreSQL.
    kept->memory = AllocSetContextCreate(CacheMemoryContext, "uuidx rows", ALLOCSET_SMALL_SIZES);
  }
  MemoryContext before = MemoryContextSwitchTo(kept->memory);
  kept->statistics = copy_statistics(statistics);  // only what is complete is found
  MemoryContextSwitchTo(before);
}

// Returns the statistics of a row as of a time, in the current memory context. Keeps rows that are
// small, and the same at all times after the present: of version 7 alone, with nothing that reaches
// beyond it. They are found by all of their octets, so nothing need be invalidated.
ColumnStatistics statistics_at(HeapTuple tuple, Uuid now) {
  constexpr std::uint32_t kLargest = 17 * 1024;
  const auto *row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
  Kept *kept = &kept_rows[(row->starelid + static_cast<Oid>(row->staattnum)) % lengthof(kept_rows)];
  HeapTuple before = kept->statistics.row;
  if (before != nullptr && before->t_len == tuple->t_len &&
      std::memcmp(before->t_data, tuple->t_data, tuple->t_len) == 0) {
    return copy_statistics(kept->statistics);
  }
  const ColumnStatistics statistics = read_row(tuple, now);
  const Piece *begin = statistics.histogram.pieces;
  const Piece *end = begin + statistics.histogram.count;
  if (tuple->t_len <= kLargest && begin != end && end[-1].to < now &&
      std::all_of(begin, end, [](const Piece &one) { return one.share.v7 == one.share.all; })) {
    keep(kept, statistics);
  }
  return statistics;
}

}  // namespace

ColumnStatistics *read_statistics(PlannerInfo *root, VariableStatData *variable, Uuid highest) {
  const Uuid now = v7_max(get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())));
  auto *statistics = allocated(statistics_at(variable->statsTuple, now));
  statistics->acl_ok = variable->acl_ok;
  bool unknown = false;
  statistics->distinct = get_variable_numdistinct(variable, &unknown);
  Pieces *pieces = &statistics->histogram;
  if (const Piece *newest = newest_piece(*pieces, now); newest != nullptr) {
    const double share = read_newer_share(root, *variable, *pieces, *newest, now, highest);
    if (share > 0) {
      add_newer(pieces, newest, now, share);
    }
  }
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
  for (const CommonValue *value = statistics.common;
       value != statistics.common + statistics.common_count; ++value) {
    if (range.contains(value->id)) {
      shares.all += value->share;
      shares.v7 += is_v7(value->id) ? value->share : 0;
    }
  }
  return shares;
}

double share_at_end(const ColumnStatistics &statistics, bool highest, UnixMicros time) {
  const double reach = static_cast<double>(time) * (1 << kMillisShift) / kMicrosPerMilli;
  const Pieces &pieces = statistics.histogram;
  const Uuid end = highest ? pieces.pieces[pieces.count - 1].to : pieces.pieces->from;
  return shares_of(statistics,
                   highest ? UuidRange{moved(end, -reach), end} : UuidRange{end, moved(end, reach)})
      .all;
}

}  // namespace uuidx
