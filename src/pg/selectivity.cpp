// How many rows the planner expects of `uuid <@ time range`.
//
// PostgreSQL's own estimate of two comparisons goes by whole and half bins of the column's
// histogram, as it knows no distance between two UUIDs: two bounds in one bin give one row. Here
// the bounds are placed within their bins.
#include <algorithm>

#include "core/histogram.hpp"
#include "core/time_range.hpp"
#include "pg/range_types.hpp"
#include "core/v7.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// For a time range that is not known yet: what PostgreSQL takes for a range of any type.
constexpr double kUnknownShare = DEFAULT_RANGE_INEQ_SEL;

// The rows that came since the last ANALYZE are seen by the table's growth. Where that shows none
// (VACUUM counts them, too, but leaves the histogram as it was), they are taken to have come at the
// pace of the histogram's last bins, but to be no more than what makes autovacuum analyze a table
// by default.
constexpr int kRecentBins = 10;
constexpr double kMaxUnseenShare = 0.1;

// What the planner knows of a column.
struct Column {
  double rows = 0;           // in the table now
  double analyzed_rows = 0;  // in the table when its rows were last counted
  double histogram_share = 0;
  AttStatsSlot common;
  AttStatsSlot histogram;
  Uuid now;  // the bound of the present time
};

Uuid bound_at(const Column &column, int i) {
  return get_uuid(column.histogram.values[i]);
}

// The rows of the table when they were last counted, as far as that is known.
double read_analyzed_rows(PlannerInfo *root, const RelOptInfo *rel) {
  const RangeTblEntry *entry = planner_rt_fetch(static_cast<int>(rel->relid), root);
  if (entry->rtekind != RTE_RELATION || entry->inh) {
    return rel->tuples;
  }
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(entry->relid));
  if (!HeapTupleIsValid(tuple)) {
    return rel->tuples;
  }
  const double rows = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->reltuples;
  ReleaseSysCache(tuple);
  return rows > 0 ? rows : rel->tuples;
}

// Reads the statistics of a column; false where there are none.
bool read_column(PlannerInfo *root, const VariableStatData &variable, Column *column) {
  if (!HeapTupleIsValid(variable.statsTuple) || variable.rel == nullptr ||
      variable.rel->tuples <= 0) {
    return false;
  }
  const double nulls =
      reinterpret_cast<Form_pg_statistic>(GETSTRUCT(variable.statsTuple))->stanullfrac;
  column->rows = variable.rel->tuples;
  column->analyzed_rows = read_analyzed_rows(root, variable.rel);
  column->histogram_share = 1 - nulls;
  if (get_attstatsslot(&column->common, variable.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    for (int i = 0; i < column->common.nnumbers; ++i) {
      column->histogram_share -= column->common.numbers[i];
    }
  }
  column->histogram_share = std::max(column->histogram_share, 0.0);
  get_attstatsslot(&column->histogram, variable.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                   ATTSTATSSLOT_VALUES);
  column->now = v7_max(get_time(TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())));
  return true;
}

// The share of the analyzed rows that lies in a bounds.
double share_of_analyzed(const Column &column, UuidRange bounds) {
  double share = 0;
  const int count = std::min(column.common.nvalues, column.common.nnumbers);
  for (int i = 0; i < count; ++i) {
    if (bounds.contains(get_uuid(column.common.values[i]))) {
      share += column.common.numbers[i];
    }
  }
  if (column.histogram.nvalues >= 2) {
    const auto bound = [&](int i) { return bound_at(column, i); };
    share += column.histogram_share *
             (histogram_share_below(column.histogram.nvalues, bound, bounds.highest) -
              histogram_share_below(column.histogram.nvalues, bound, bounds.lowest));
  }
  return share;
}

// The rows between the histogram's end and the present time.
double newer_rows(const Column &column) {
  if (column.rows > column.analyzed_rows) {
    return column.rows - column.analyzed_rows;
  }
  const int last = column.histogram.nvalues - 1;
  const int bins = std::min(last, kRecentBins);
  const double recent_rows = column.analyzed_rows * column.histogram_share * bins / last;
  const double recent_time = distance(bound_at(column, last - bins), bound_at(column, last));
  const double time = distance(bound_at(column, last), column.now);
  const double most = column.analyzed_rows * kMaxUnseenShare;
  return recent_time > 0 ? std::min(recent_rows * time / recent_time, most) : most;
}

// The rows of a bounds that are newer than the histogram.
double newer_rows_in(const Column &column, UuidRange bounds) {
  if (column.histogram.nvalues < 2) {
    return 0;
  }
  const Uuid end = bound_at(column, column.histogram.nvalues - 1);
  // Where the column's order is not that of time, its end is no time in the past.
  if (end >= column.now || bounds.highest <= end || bounds.lowest >= column.now) {
    return 0;
  }
  return newer_rows(column) * (share_below(end, column.now, bounds.highest) -
                               share_below(end, column.now, bounds.lowest));
}

// The share of all rows that lies in a bounds.
double share_of(const Column &column, UuidRange bounds) {
  if (bounds.empty()) {
    return 0;
  }
  const double analyzed =
      share_of_analyzed(column, bounds) * std::min(column.analyzed_rows, column.rows);
  return (analyzed + newer_rows_in(column, bounds)) / column.rows;
}

// The share of all rows that lies in a constant time range of one of the two types.
double share_of_time_range(const Column &column, const Const *range, Oid type) {
  TypeCacheEntry *entry = range_type();
  if (type == TSTZRANGEOID) {
    return share_of(column, v7_range(time_range_of(entry, DatumGetRangeTypeP(range->constvalue))));
  }
  const MultirangeType *ranges = DatumGetMultirangeTypeP(range->constvalue);
  double share = 0;
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    share += share_of(column, v7_range(time_range_at(entry, ranges, i)));
  }
  return share;
}

// The share of rows for which a column's UUID is in the time range that the other side gives.
// Anybody may name the estimator for an operator of their own, so nothing is taken for granted.
double share_of_other(PlannerInfo *root, VariableStatData *variable, Node *other, Oid op) {
  if (getBaseType(variable->vartype) != UUIDOID || !IsA(other, Const)) {
    return kUnknownShare;
  }
  const auto *range = reinterpret_cast<const Const *>(other);
  const Oid type = getBaseType(range->consttype);
  if (type != TSTZRANGEOID && type != TSTZMULTIRANGEOID) {
    return kUnknownShare;
  }
  if (range->constisnull) {
    return 0;
  }
  Column column{};
  if (!statistic_proc_security_check(variable, get_opcode(op)) ||
      !read_column(root, *variable, &column)) {
    return kUnknownShare;
  }
  const double share = share_of_time_range(column, range, type);
  free_attstatsslot(&column.common);
  free_attstatsslot(&column.histogram);
  return share;
}

}  // namespace

// The estimator of <@ and @> as a restriction: planner, operator, arguments, relation.
UUIDX_FUNCTION(uuidx_period_sel) {
  auto *root = reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0));
  auto *args = reinterpret_cast<List *>(PG_GETARG_POINTER(2));
  VariableStatData variable;
  Node *other = nullptr;
  bool variable_on_left = false;
  if (!get_restriction_variable(root, args, PG_GETARG_INT32(3), &variable, &other,
                                &variable_on_left)) {
    PG_RETURN_FLOAT8(kUnknownShare);
  }
  const double share = share_of_other(root, &variable, other, PG_GETARG_OID(1));
  ReleaseVariableStats(variable);
  PG_RETURN_FLOAT8(std::clamp(share, 0.0, 1.0));
}

}  // namespace uuidx
