#include "planner/statistics/column_statistics.hpp"

#include <algorithm>

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
#include "utils/syscache.h"
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

// More values than ANALYZE gives a slot, at the highest statistics target. From PostgreSQL 18 on,
// the owner of a table can set any.
constexpr int kMostValues = 10'001;

// Reads the histogram, as of a time; returns false if it is too large.
bool read_pieces(HeapTuple tuple, Uuid now, ColumnStatistics *statistics) {
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, tuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES)) {
    return true;
  }
  const bool usual = slot.nvalues <= kMostValues;
  if (usual && slot.nvalues >= 2) {
    Pieces *pieces = &statistics->histogram;
    const auto most = static_cast<std::size_t>(max_pieces(slot.nvalues));
    statistics->type = slot.valuetype;
    pieces->pieces = static_cast<Piece *>(palloc(sizeof(Piece) * most));
    read_histogram(
        slot.nvalues, [&](int i) { return get_uuid(slot.values[i]); }, now, pieces);
  }
  free_attstatsslot(&slot);
  return usual;
}

// Reads the common values; returns false if they are too many.
bool read_common(HeapTuple tuple, ColumnStatistics *statistics) {
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid,
                        ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    return true;
  }
  const bool usual = slot.nvalues <= kMostValues;
  const int count = usual ? std::min(slot.nvalues, slot.nnumbers) : 0;
  statistics->common =
      static_cast<CommonValue *>(palloc(sizeof(CommonValue) * static_cast<std::size_t>(count)));
  for (int i = 0; i < count; ++i) {
    statistics->common[i] = {get_uuid(slot.values[i]), slot.numbers[i]};
    statistics->histogram_share -= slot.numbers[i];
  }
  statistics->common_count = count;
  free_attstatsslot(&slot);
  return usual;
}

// Reads a row of pg_statistic, as of a time: the histogram may have bins that reach beyond it.
ColumnStatistics read_row(HeapTuple tuple, Uuid now) {
  const auto *row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
  ColumnStatistics statistics;
  statistics.null_share = row->stanullfrac;
  statistics.width = row->stawidth;
  statistics.stored_distinct = row->stadistinct;
  statistics.histogram_share = 1 - row->stanullfrac;
  statistics.usual = read_common(tuple, &statistics);
  statistics.histogram_share = std::max(statistics.histogram_share, 0.0);
  AttStatsSlot slot;
  if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid,
                       ATTSTATSSLOT_NUMBERS)) {
    statistics.correlation = slot.nnumbers == 1 ? slot.numbers[0] : 0;
    free_attstatsslot(&slot);
  }
  statistics.usual = read_pieces(tuple, now, &statistics) && statistics.usual;
  return statistics;
}

// Returns statistics with all that they refer to, in the current memory context. Their histogram
// has room for one more piece.
ColumnStatistics copy_statistics(const ColumnStatistics &statistics) {
  ColumnStatistics copy = statistics;
  const auto pieces = static_cast<std::size_t>(statistics.histogram.count);
  const auto common = static_cast<std::size_t>(statistics.common_count);
  copy.histogram.pieces = static_cast<Piece *>(palloc(sizeof(Piece) * (pieces + 1)));
  std::copy_n(statistics.histogram.pieces, pieces, copy.histogram.pieces);
  copy.common = static_cast<CommonValue *>(palloc(sizeof(CommonValue) * common));
  std::copy_n(statistics.common, common, copy.common);
  return copy;
}

// True if a histogram is the same at all times after the present: of version 7 alone, with nothing
// that reaches beyond it.
bool is_lasting(const Pieces &pieces, Uuid now) {
  Piece *end = pieces.pieces + pieces.count;
  return pieces.count == 0 ||
         (end[-1].to < now && std::all_of(pieces.pieces, end, [](const Piece &piece) {
            return piece.share.v7 == piece.share.all;
          }));
}

// A row of pg_statistic that has been read, for later queries. Another version of it has another
// place or was written by another transaction, so nothing need be invalidated.
struct Kept {
  Oid table = InvalidOid;
  int16 column = 0;
  bool inherits = false;
  TransactionId writer = InvalidTransactionId;
  ItemPointerData place{};
  MemoryContext memory = nullptr;
  ColumnStatistics statistics;

  [[nodiscard]] bool is_of(HeapTuple tuple) {
    const auto *row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
    return table == row->starelid && column == row->staattnum && inherits == row->stainherit &&
           writer == HeapTupleHeaderGetRawXmin(tuple->t_data) &&
           ItemPointerEquals(&place, &tuple->t_self);
  }
};
constinit Kept kept_rows[32];

// Keeps the statistics of a row.
void cache_row(Kept *kept, HeapTuple tuple, const ColumnStatistics &statistics) {
  const auto *row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
  kept->table = InvalidOid;
  if (kept->memory != nullptr) {
    MemoryContextReset(kept->memory);
  } else {
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a macro of PostgreSQL.
    kept->memory = AllocSetContextCreate(CacheMemoryContext, "uuidx rows", ALLOCSET_SMALL_SIZES);
  }
  MemoryContext before = MemoryContextSwitchTo(kept->memory);
  kept->statistics = copy_statistics(statistics);
  MemoryContextSwitchTo(before);
  kept->column = row->staattnum;
  kept->inherits = row->stainherit;
  kept->writer = HeapTupleHeaderGetRawXmin(tuple->t_data);
  kept->place = tuple->t_self;
  kept->table = row->starelid;  // only what is complete is found
}

// Returns the statistics of a column as of a time, in the current memory context. Keeps only rows
// of the catalog, none that another extension has made up, and no large ones.
ColumnStatistics statistics_at(const VariableStatData &variable, Uuid now) {
  constexpr std::uint32_t kLargest = 16 * 1024;
  HeapTuple tuple = variable.statsTuple;
  const auto *row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
  Kept *kept = &kept_rows[(row->starelid + static_cast<Oid>(row->staattnum)) % lengthof(kept_rows)];
  const bool may_keep = variable.freefunc == ReleaseSysCache && tuple->t_len <= kLargest;
  if (may_keep && kept->is_of(tuple) && is_lasting(kept->statistics.histogram, now)) {
    return copy_statistics(kept->statistics);
  }
  const ColumnStatistics statistics = read_row(tuple, now);
  if (may_keep && is_lasting(statistics.histogram, now)) {
    cache_row(kept, tuple, statistics);
  }
  return statistics;
}

}  // namespace

ColumnStatistics *read_statistics(PlannerInfo *root, VariableStatData *variable, Uuid highest) {
  if (!HeapTupleIsValid(variable->statsTuple) || variable->rel == nullptr) {
    return nullptr;
  }
  const Uuid now = v7_max(get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())));
  ColumnStatistics *statistics = allocated(statistics_at(*variable, now));
  if (!statistics->usual) {
    return nullptr;
  }
  bool unknown = false;
  statistics->acl_ok = variable->acl_ok;
  statistics->distinct = get_variable_numdistinct(variable, &unknown);
  Pieces *pieces = &statistics->histogram;
  if (Piece *newest = newest_piece(*pieces, now); newest != nullptr) {
    add_newer(pieces, newest, now,
              read_newer_share(root, *variable, *pieces, *newest, now, highest));
  }
  sum_up(pieces);
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
  const Piece *first = statistics.histogram.pieces;
  const Piece *last = first + statistics.histogram.count - 1;
  while (last != first && last->share.all == 0) {
    --last;  // of newer rows, of which there are none
  }
  const Uuid end = highest ? last->to : first->from;
  return shares_of(statistics,
                   highest ? UuidRange{moved(end, -reach), end} : UuidRange{end, moved(end, reach)})
      .all;
}

}  // namespace uuidx
