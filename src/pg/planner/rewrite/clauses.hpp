// The clauses that the planner puts in the place of a condition on the time of a key: comparisons
// of the id with the bounds of the time, and the test of its version.
#pragma once

#include "core/time_range.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/pathnodes.h"
#include "utils/multirangetypes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A call of uuid_in_time_range() or uuid_between_times(), the planner's forms of `<@` and of
// comparisons. They do not test the version of the id.
struct TimeRangeCall {
  Node *id = nullptr;
  List *times = NIL;      // a tstzrange; a tstzmultirange; or two times and constant bounds
  Oid type = InvalidOid;  // of the first of them
};

// True if a comparison with this strategy is with v7_min of the time, else with v7_max.
constexpr bool is_lowest_bound(int strategy) {
  return strategy == BTLessStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
}

// Returns a time as a constant.
Expr *constant_time(TimestampTz time);

// Returns `uuid_is_v7(id)`; null if the function is missing.
Expr *version_test(const Node *id);

// True if an end of the times of uuid_between_times(), 0 the lower and 1 the upper one, is open: an
// infinite constant.
bool is_open(const List *times, int end);

// Returns the comparisons of the id that are equivalent to `time of the id operator time` for a
// version 7 id: one, or two for equality. A constant bound that every such id fulfils becomes
// the test of the version, and one that none does false, as in a condition of a query: TimescaleDB
// accepts only bounds of version 7 on a hypertable. NIL if a function is missing.
List *compare_with_time(PlannerInfo *root, const Node *id, int strategy, Expr *time);

// Sets a time range to that of a call's constant arguments. Returns false if they are not constant,
// one of them is NULL, or the type is tstzmultirange.
bool constant_range(const TimeRangeCall &call, TimeRange *range);

// Returns the constant multirange of a call; null if it has none.
const MultirangeType *constant_ranges(const TimeRangeCall &call);

// Returns the comparisons that are equivalent to a call for a version 7 id, and for a multirange
// those with its first and last bound; NIL if there are none or a function is missing.
List *bounds_of(PlannerInfo *root, const TimeRangeCall &call);

// Each of these returns the clauses that, together with the test of the version, replace a call:
// with constant arguments, with a constant multirange (comparisons for each of its ranges, so that
// only their partitions are read), and with any arguments. The last one returns NIL if a function
// is missing.
List *replace_range(const TimeRangeCall &call, const TimeRange &range);
List *replace_multirange(const TimeRangeCall &call, const MultirangeType *ranges);
List *replace_with_bounds(PlannerInfo *root, const TimeRangeCall &call);

}  // namespace uuidx
