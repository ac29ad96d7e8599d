#include "pg/planner/rewrite/clauses.hpp"

#include "core/v7.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/functions.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/rangetypes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns clauses that are false for every id, and NULL for a NULL one, which matters below NOT and
// IS NULL. In a WHERE clause the planner reduces them to false and reads nothing.
List *never(const Node *id) {
  NullTest *test = makeNode(NullTest);
  test->arg = copy_of_expr(id);
  test->nulltesttype = IS_NULL;
  test->location = -1;
  return list_make2(makeBoolConst(false, true), test);
}

// Returns a UUID as a constant.
Expr *constant_id(Uuid id) {
  return reinterpret_cast<Expr *>(
      makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(id), false, false));
}

// True if every version 7 UUID satisfies a comparison with a bound. The bounds of a time beyond the
// range of version 7 are nil and max.
bool holds_always(int strategy, Uuid bound) {
  return strategy >= BTEqualStrategyNumber ? bound == kNil : bound == kMax;
}

// True if none does.
bool holds_never(int strategy, Uuid bound) {
  return strategy >= BTEqualStrategyNumber ? bound == kMax : bound == kNil;
}

// Returns `id operator bound` for a comparison of uuid by its B-tree strategy.
Expr *compare_ids(const Node *id, int strategy, Expr *bound) {
  return make_opclause(uuid_operator(strategy), BOOLOID, false, copy_of_expr(id), bound, InvalidOid,
                       InvalidOid);
}

// Returns the comparison of the id with a time expression, folded if that is constant.
Expr *compare_with_expression(PlannerInfo *root, const Node *id, int strategy, Expr *time) {
  const Oid function = is_lowest_bound(strategy) ? find_function("uuid_v7_min", "uuidx_v7_min")
                                                 : find_function("uuid_v7_max", "uuidx_v7_max");
  if (!OidIsValid(function)) {
    return nullptr;
  }
  Expr *bound = simplified_call(root, function, UUIDOID, list_make1(copy_of(time)));
  if (!IsA(bound, Const) || reinterpret_cast<Const *>(bound)->constisnull) {
    return compare_ids(id, strategy, bound);
  }
  const Uuid value = get_uuid(reinterpret_cast<Const *>(bound)->constvalue);
  if (holds_always(strategy, value)) {
    return version_test(id);
  }
  return holds_never(strategy, value) ? reinterpret_cast<Expr *>(makeBoolConst(false, false))
                                      : compare_ids(id, strategy, bound);
}

// Returns the comparison of the id with a bound of a call's range or ranges.
Expr *compare_with_bound(PlannerInfo *root, const TimeRangeCall &call, int strategy,
                         const char *name, const char *symbol) {
  const Oid function = find_function(name, symbol);
  if (!OidIsValid(function)) {
    return nullptr;
  }
  return compare_ids(call.id, strategy,
                     simplified_call(root, function, UUIDOID, copy_of(call.times)));
}

// Returns a constant that is not NULL; null for any other expression.
const Const *constant_of(const Node *node) {
  const auto *constant = reinterpret_cast<const Const *>(node);
  return IsA(node, Const) && !constant->constisnull ? constant : nullptr;
}

// True if the bounds of a call, such as '[)', include an end.
bool includes(const List *times, int end) {
  const auto *bounds = static_cast<const Const *>(lthird(times));
  return VARDATA_ANY(DatumGetTextPP(bounds->constvalue))[end] == (end == 0 ? '[' : ']');
}

// Returns the comparisons with the lower and the upper time of a call.
List *compare_with_ends(PlannerInfo *root, const TimeRangeCall &call) {
  List *clauses = NIL;
  for (int end = 0; end < 2; ++end) {
    const int inclusive = end == 0 ? BTGreaterEqualStrategyNumber : BTLessEqualStrategyNumber;
    const int exclusive = end == 0 ? BTGreaterStrategyNumber : BTLessStrategyNumber;
    if (is_open(call.times, end)) {
      continue;
    }
    List *bound =
        compare_with_time(root, call.id, includes(call.times, end) ? inclusive : exclusive,
                          static_cast<Expr *>(list_nth(call.times, end)));
    if (bound == NIL) {
      return NIL;
    }
    clauses = list_concat(clauses, bound);
  }
  return clauses;
}

// Returns the comparisons with a constant time range, as written by hand: none for an unbounded
// side.
List *compare_with_range(const Node *id, const TimeRange &range) {
  List *clauses = NIL;
  const auto add = [&](const RangeEnd &end, int strategy) {
    const Uuid bound = is_lowest_bound(strategy) ? v7_min(end.time) : v7_max(end.time);
    if (end.bounded && !holds_always(strategy, bound)) {
      clauses = lappend(clauses, compare_ids(id, strategy, constant_id(bound)));
    }
  };
  add(range.lower, range.lower.inclusive ? BTGreaterEqualStrategyNumber : BTGreaterStrategyNumber);
  add(range.upper, range.upper.inclusive ? BTLessEqualStrategyNumber : BTLessStrategyNumber);
  return clauses;
}

}  // namespace

bool is_open(const List *times, int end) {
  const Const *constant = constant_of(static_cast<const Node *>(list_nth(times, end)));
  if (constant == nullptr) {
    return false;
  }
  const TimestampTz value = DatumGetTimestampTz(constant->constvalue);
  return end == 0 ? TIMESTAMP_IS_NOBEGIN(value) : TIMESTAMP_IS_NOEND(value);
}

Expr *constant_time(TimestampTz time) {
  return reinterpret_cast<Expr *>(makeConst(TIMESTAMPTZOID, -1, InvalidOid, sizeof(TimestampTz),
                                            TimestampTzGetDatum(time), false, FLOAT8PASSBYVAL));
}

Expr *version_test(const Node *id) {
  const Oid function = find_function("uuid_is_v7", "uuidx_is_v7");
  return OidIsValid(function) ? call_function(function, BOOLOID, list_make1(copy_of(id))) : nullptr;
}

List *compare_with_time(PlannerInfo *root, const Node *id, int strategy, Expr *time) {
  if (strategy != BTEqualStrategyNumber) {
    Expr *clause = compare_with_expression(root, id, strategy, time);
    return clause != nullptr ? list_make1(clause) : NIL;
  }
  Expr *lower = compare_with_expression(root, id, BTGreaterEqualStrategyNumber, time);
  Expr *upper = compare_with_expression(root, id, BTLessEqualStrategyNumber, time);
  return lower != nullptr && upper != nullptr ? list_make2(lower, upper) : NIL;
}

bool constant_range(const TimeRangeCall &call, TimeRange *range) {
  const Const *first = constant_of(static_cast<Node *>(linitial(call.times)));
  if (first == nullptr || call.type == TSTZMULTIRANGEOID) {
    return false;
  }
  if (call.type == TSTZRANGEOID) {
    *range = time_range_of(range_type(), DatumGetRangeTypeP(first->constvalue));
    return true;
  }
  const Const *second = constant_of(static_cast<Node *>(lsecond(call.times)));
  if (second == nullptr) {
    return false;
  }
  *range = {{get_time(first->constvalue), true, includes(call.times, 0)},
            {get_time(second->constvalue), true, includes(call.times, 1)},
            false};
  return true;
}

const MultirangeType *constant_ranges(const TimeRangeCall &call) {
  const Const *constant = constant_of(static_cast<Node *>(linitial(call.times)));
  return call.type == TSTZMULTIRANGEOID && constant != nullptr
             ? DatumGetMultirangeTypeP(constant->constvalue)
             : nullptr;
}

List *bounds_of(PlannerInfo *root, const TimeRangeCall &call) {
  TimeRange range;
  if (constant_range(call, &range) && !range.empty) {
    return compare_with_range(call.id, range);
  }
  if (call.type == TIMESTAMPTZOID) {
    return compare_with_ends(root, call);
  }
  const bool several = call.type == TSTZMULTIRANGEOID;
  Expr *lower =
      compare_with_bound(root, call, BTGreaterEqualStrategyNumber, "uuid_v7_lower",
                         several ? "uuidx_v7_lower_tstzmultirange" : "uuidx_v7_lower_tstzrange");
  Expr *upper =
      compare_with_bound(root, call, BTLessEqualStrategyNumber, "uuid_v7_upper",
                         several ? "uuidx_v7_upper_tstzmultirange" : "uuidx_v7_upper_tstzrange");
  return lower != nullptr && upper != nullptr ? list_make2(lower, upper) : NIL;
}

List *replace_with_bounds(PlannerInfo *root, const TimeRangeCall &call) {
  List *clauses = bounds_of(root, call);
  if (clauses != NIL && call.type == TSTZMULTIRANGEOID) {
    // The bounds also admit rows between the ranges.
    const Oid recheck = find_function("uuid_recheck_time_ranges", "uuidx_recheck_time_ranges");
    if (!OidIsValid(recheck)) {
      return NIL;
    }
    clauses = lappend(clauses,
                      call_function(recheck, BOOLOID,
                                    list_make2(copy_of(call.id), copy_of(linitial(call.times)))));
  }
  return clauses;
}

List *replace_range(const TimeRangeCall &call, const TimeRange &range) {
  if (v7_range(range).empty()) {
    return never(call.id);
  }
  List *clauses = compare_with_range(call.id, range);
  Expr *test = clauses == NIL ? version_test(call.id) : nullptr;
  return test != nullptr ? list_make1(test) : clauses;
}

List *replace_multirange(const TimeRangeCall &call, const MultirangeType *ranges) {
  if (MultirangeIsEmpty(ranges)) {
    return never(call.id);
  }
  if (ranges->rangeCount == 1) {
    // The executor requires two arguments of an OR.
    return replace_range(call, time_range_at(range_type(), ranges, 0));
  }
  List *alternatives = NIL;
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    List *clauses = replace_range(call, time_range_at(range_type(), ranges, i));
    alternatives = lappend(alternatives, make_ands_explicit(clauses));
  }
  return list_make1(make_orclause(alternatives));
}

}  // namespace uuidx
