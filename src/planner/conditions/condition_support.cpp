// Planner support for uuid_in_time_range() and uuid_condition(). `id <@ range` is inlined as
// uuid_is_v7(id), which proves the predicate of a partial index, and a call of the first. For a
// query, the planner calls in this order:
//
// 1. simplify(), before the query is planned: replaces the call by comparisons of uuid, unless its
//    range may not be computed twice.
// 2. estimate(), for the rows of a call that was kept.
// 3. index_condition(), for each index on the id, if the call was kept: returns the same
//    comparisons, which a scan of the index uses.
#include <algorithm>

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_hooks.hpp"
#include "planner/conditions/id_clauses.hpp"
#include "planner/times/times.hpp"
#include "planner/statistics/statistics_hook.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if arguments are those of uuid_in_time_range(): a superuser may attach the support function
// to another function.
bool is_range_call(const List *args) {
  return list_length(args) == 2 && exprType(nth(args, 1)) == TSTZRANGEOID &&
         getBaseType(exprType(nth(args, 0))) == UUIDOID;
}

// Reads the arguments of uuid_condition() likewise; returns the condition, or null.
Node *read_condition_call(const List *args) {
  return list_length(args) == 2 && exprType(nth(args, 0)) == UUIDOID &&
                 exprType(nth(args, 1)) == BOOLOID
             ? nth(args, 1)
             : nullptr;
}

// Returns clauses that are false for every id, and NULL for a NULL one, which matters below NOT and
// IS NULL. In a WHERE clause the planner reduces them to false and reads nothing.
List *never(const Node *id) {
  NullTest *test = makeNode(NullTest);
  test->arg = copy_of_expr(id);
  test->nulltesttype = IS_NULL;
  test->location = -1;
  return list_make2(makeBoolConst(false, true), test);
}

// Returns what replaces a call of uuid_in_time_range(); null to keep it, as for an id that is no
// column, which would be computed twice. The column may belong to no table here, as in an index's
// predicate, or to one of another query level than the root's, as in an EXISTS.
Node *simplify(const SupportRequestSimplify *request) {
  const FuncExpr *call = request->fcall;
  Functions functions;
  if (call->funcresulttype != BOOLOID || call->funcretset || !is_range_call(call->args) ||
      !find_functions(request->root, &functions)) {
    return nullptr;
  }
  const Node *id = nth(call->args, 0);
  Node *range = nth(call->args, 1);
  TimeRange constant;
  const bool is_constant = constant_range(range, &constant);
  const bool is_empty = is_constant && v7_range(constant).empty();
  if ((column_of(id) == nullptr && !is_empty) || (!is_constant && !may_repeat(range))) {
    return nullptr;
  }
  List *bounds = is_empty ? never(id) : bounds_of(functions, id, range);
  return as_node(
      make_ands_explicit(bounds != NIL ? bounds : list_make1(version_test(functions, id))));
}

// Returns the clauses that an index of this operator family supports: comparisons of its column
// with what is the same for a scan.
List *index_clauses(const SupportRequestIndexCondition *request, const List *clauses) {
  List *supported = NIL;
  for (Node *clause : each(clauses)) {
    const auto [op, left, right] = operation_of(clause);
    if (op != nullptr && op_in_opfamily(op->opno, request->opfamily) &&
        equal(left, nth(args_of(request->node), 0)) &&
        is_pseudo_constant_for_index(request->root, right, request->index)) {
      supported = lappend(supported, clause);
    }
  }
  return supported;
}

// Returns the condition for an index on the id; NIL if the index does not support the comparisons.
// The time range may be expensive, as a scan computes each bound once, when it begins, and the
// planner adds that to the scan's cost; but it may not be a sub-select, which may return two
// results.
List *index_condition(SupportRequestIndexCondition *request) {
  const List *args = args_of(request->node);
  List *clauses = NIL;
  Functions functions;
  if (request->indexarg != 0) {
    return NIL;
  }
  if (Node *condition = read_condition_call(args)) {
    clauses = make_ands_implicit(as_expr(condition));
  } else if (is_range_call(args) && !contain_subplans(nth(args, 1)) &&
             find_functions(request->root, &functions)) {
    clauses = bounds_of(functions, nth(args, 0), nth(args, 1));
  }
  List *supported = index_clauses(request, clauses);
  request->lossy = list_length(supported) < list_length(clauses);
  return supported;
}

// Sets the share of a table's rows that fulfil a call; returns false to leave it to PostgreSQL.
bool estimate(SupportRequestSelectivity *request) {
  if (!is_range_call(request->args)) {
    // That of uuid_condition(): the clauses beside it are those that count.
    request->selectivity = 1;
    return true;
  }
  request->selectivity = DEFAULT_RANGE_INEQ_SEL;
  if (!enable_statistics || request->is_join || planning_memory(request->root) == nullptr) {
    return enable_statistics;
  }
  TimeRange range;
  if (!constant_range(estimate_expression_value(request->root, nth(request->args, 1)), &range)) {
    return true;
  }
  if (const auto *statistics =
          statistics_for(request->root, nth(request->args, 0), request->funcid)) {
    request->selectivity = std::clamp(shares_of(*statistics, v7_range(range)).v7, 0.0, 1.0);
  }
  return true;
}

}  // namespace

// uuid_time_range_support(internal), the support function of uuid_in_time_range() and
// uuid_condition(): returns null, as the planner expects, if it cannot serve the request.
UUIDX_FUNCTION(uuidx_time_range_support) {
  install_planner_hooks();
  auto *request = as_node(PG_GETARG_POINTER(0));
  void *result = nullptr;
  if (auto *simplifying = as<SupportRequestSimplify>(request)) {
    result = simplify(simplifying);
  } else if (auto *condition = as<SupportRequestIndexCondition>(request)) {
    result = index_condition(condition);
  } else if (auto *selectivity = as<SupportRequestSelectivity>(request)) {
    result = estimate(selectivity) ? request : nullptr;
  }
  PG_RETURN_POINTER(result);
}

}  // namespace uuidx
