#include "planner/conditions/id_clauses.hpp"

#include "core/v7.hpp"
#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/rangetypes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a comparison with this strategy is with v7_min of the time, else with v7_max.
bool is_lowest_bound(int strategy) {
  return strategy == BTLessStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
}

// Returns a UUID as a constant.
Expr *constant_id(Uuid id) {
  return as_expr(makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(id), false, false));
}

// True if every version 7 UUID satisfies a comparison with a bound. The bounds of a time beyond the
// range of version 7 are nil and max.
bool holds_always(int strategy, Uuid bound) {
  return strategy >= BTEqualStrategyNumber ? bound == kNil : bound == kMax;
}

// Returns the comparisons with a constant time range, as written by hand.
List *compare_with_range(const Node *id, const TimeRange &range) {
  List *clauses = NIL;
  const auto add = [&](const RangeBound &end, int strategy) {
    if (end.infinite) {
      return;
    }
    const UnixMicros time = get_time(end.val);
    const Uuid bound = is_lowest_bound(strategy) ? v7_min(time) : v7_max(time);
    if (!holds_always(strategy, bound)) {
      clauses = lappend(clauses, compare_ids(id, strategy, constant_id(bound)));
    }
  };
  add(range.lower, range.lower.inclusive ? BTGreaterEqualStrategyNumber : BTGreaterStrategyNumber);
  add(range.upper, range.upper.inclusive ? BTLessEqualStrategyNumber : BTLessStrategyNumber);
  return clauses;
}

}  // namespace

Expr *version_test(const Functions &functions, const Node *id) {
  return call_function(functions.is_v7, BOOLOID, list_make1(copy_of(id)));
}

Expr *condition_call(const Functions &functions, const Node *id, Expr *condition) {
  return call_function(functions.condition, BOOLOID, list_make2(copy_of(id), condition));
}

Expr *compare_ids(const Node *id, int strategy, Expr *bound) {
  return make_opclause(uuid_operator(strategy), BOOLOID, false, as_expr(copy_of(id)), bound,
                       InvalidOid, InvalidOid);
}

Expr *compare_with_time(const Functions &functions, const Node *id, int strategy, Expr *time,
                        bool precise) {
  const bool lowest = is_lowest_bound(strategy);
  Expr *bound = nullptr;
  if (const Const *constant = constant_of(as_node(time))) {
    // The same, faster.
    const UnixMicros micros = get_time(constant->constvalue);
    bound = constant_id(precise  ? (lowest ? v7_precise_min(micros) : v7_precise_max(micros))
                        : lowest ? v7_min(micros)
                                 : v7_max(micros));
  } else if (precise) {
    List *args = list_make2(time, makeBoolConst(!lowest, false));
    bound = simplified_call(functions.v7_bound, UUIDOID, args);
  } else {
    const Oid function = lowest ? functions.v7_min : functions.v7_max;
    bound = simplified_call(function, UUIDOID, list_make1(time));
  }
  Expr *clause = compare_ids(id, strategy, bound);
  Expr *simpler = simplify_extreme(functions, as_node(clause));
  return simpler != nullptr ? simpler : clause;
}

Expr *simplify_extreme(const Functions &functions, const Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  const Const *bound = constant_of(right);
  const int strategy =
      bound != nullptr && bound->consttype == UUIDOID ? strategy_of(op->opno, UUIDOID) : 0;
  if (strategy == 0 || strategy == BTEqualStrategyNumber) {
    return nullptr;
  }
  const Uuid id = get_uuid(bound->constvalue);
  if (id != kNil && id != kMax) {
    return nullptr;
  }
  return holds_always(strategy, id) ? version_test(functions, left)
                                    : as_expr(makeBoolConst(false, false));
}

bool constant_range(const Node *node, TimeRange *range) {
  const Const *constant = constant_of(node);
  if (constant == nullptr) {
    return false;
  }
  *range = time_range_of(range_type(), DatumGetRangeTypeP(constant->constvalue));
  return true;
}

List *bounds_of(const Functions &functions, const Node *id, const Node *range) {
  TimeRange constant;
  if (constant_range(range, &constant) && !constant.empty) {
    return compare_with_range(id, constant);
  }
  const auto bound = [&](Oid function) {
    return simplified_call(function, UUIDOID, list_make1(copy_of(range)));
  };
  return list_make2(compare_ids(id, BTGreaterEqualStrategyNumber, bound(functions.lower_of_range)),
                    compare_ids(id, BTLessEqualStrategyNumber, bound(functions.upper_of_range)));
}

}  // namespace uuidx
