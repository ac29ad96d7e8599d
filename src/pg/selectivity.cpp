// Row estimates for `uuid <@ time range`.
//
// For two comparisons, PostgreSQL counts whole and half bins of the column's histogram, as it knows
// no distance between two UUIDs: two bounds in one bin give one row. Here, the bounds are
// interpolated within their bins.
#include <algorithm>

#include "core/histogram.hpp"
#include "core/time_range.hpp"
#include "pg/range_types.hpp"
#include "core/v7.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// The share of rows in a time range that is not known yet: PostgreSQL's default for a range.
constexpr double kUnknownShare = DEFAULT_RANGE_INEQ_SEL;

// The number of rows inserted since the last ANALYZE is taken from the table's growth. If that
// shows none (VACUUM updates the row count, too, but not the histogram), the rows are assumed to
// have come at the rate of the histogram's last bins, up to the share at which autovacuum analyzes
// a table by default.
constexpr int kRecentBins = 10;
constexpr double kMaxUnseenShare = 0.1;

// The statistics of a column.
struct Column {
  double rows = 0;           // in the table now
  double analyzed_rows = 0;  // in the table when its rows were last counted
  double histogram_share = 0;
  AttStatsSlot common;
  AttStatsSlot histogram;
  Uuid now;  // the highest UUID of the present time
};

// Returns the i-th bound of the histogram.
Uuid bound_at(const Column &column, int i) {
  return get_uuid(column.histogram.values[i]);
}

// Returns the number of rows when the table was last vacuumed or analyzed; if that is not known,
// the present one.
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

// Reads the statistics of a column; returns false if there are none.
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

// Returns the share of the analyzed rows that lies in a UUID range.
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

// Returns the number of rows between the histogram's end and the present time.
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

// Returns the number of rows in a UUID range that are newer than the histogram.
double newer_rows_in(const Column &column, UuidRange bounds) {
  if (column.histogram.nvalues < 2) {
    return 0;
  }
  const Uuid end = bound_at(column, column.histogram.nvalues - 1);
  // If the column does not grow with time, the histogram's end is not a time in the past.
  if (end >= column.now || bounds.highest <= end || bounds.lowest >= column.now) {
    return 0;
  }
  return newer_rows(column) * (share_below(end, column.now, bounds.highest) -
                               share_below(end, column.now, bounds.lowest));
}

// Returns the share of all rows that lies in a UUID range.
double share_of(const Column &column, UuidRange bounds) {
  if (bounds.empty()) {
    return 0;
  }
  const double analyzed =
      share_of_analyzed(column, bounds) * std::min(column.analyzed_rows, column.rows);
  return (analyzed + newer_rows_in(column, bounds)) / column.rows;
}

// Returns the share of all rows that lies in a constant time range of one of the two types.
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

// Returns the share of rows whose UUID is in the time range on the other side of the operator. The
// types are checked, as any user may attach the estimator to another operator.
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

// uuid_period_sel(internal, oid, internal, integer), the restriction estimator of <@ and @>. The
// arguments are the planner's root, the operator, its arguments and the relation.
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
