// Planner support for uuid_in_time_range() and uuid_condition(). `id <@ range` is inlined as
// uuid_is_v7(id), which proves the predicate of a partial index, and a call of the first. For a
// query, the planner calls in this order:
//
// 1. simplify(), before the query is planned: replaces the call by comparisons of uuid, unless its
//    range may not be computed twice.
// 2. estimate(), for the rows of a call that was kept.
// 3. index_condition(), for each index on the id, if the call was kept: returns the same
//    comparisons, which a scan of the index uses.
//
// uuid_is_v7() has a support function for its rows alone.
#include <algorithm>

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_hooks.hpp"
#include "planner/conditions/id_clauses.hpp"
#include "planner/times/times.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_hook.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
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
  test->arg = as_expr(copy_of(id));
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

// Returns the share of version 7 among the rows that the table's other conditions leave: those
// between the bounds of comparisons, or all if there are none. A call that kept its time range, or
// an OR, may admit no other version. Without statistics, all are taken for version 7.
double share_of_v7(const SupportRequestSelectivity *request, Node *id) {
  UuidRange range;
  const Var *column = column_of(id);
  if (column != nullptr &&
      !narrow(request->root, find_base_rel(request->root, column->varno)->baserestrictinfo,
              {static_cast<Index>(column->varno), column->varattno}, &range)) {
    return 1;
  }
  const ColumnStatistics *statistics =
      statistics_for(request->root, id, request->funcid, range.highest);
  if (statistics == nullptr) {
    return 1;
  }
  const Shares shares = shares_of(*statistics, range);
  const bool alone = range.lowest == kNil && range.highest == kMax;
  return alone ? shares.v7 : shares.all > 0 ? shares.v7 / shares.all : 1;
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

// uuid_is_v7_support(internal), the support function of uuid_is_v7(): estimates its rows. Returns
// null, as the planner expects, if it cannot serve the request, or is not to. The type is checked,
// as a superuser may attach the support function to another function.
UUIDX_FUNCTION(uuidx_is_v7_support) {
  install_planner_hooks();
  auto *request = as<SupportRequestSelectivity>(PG_GETARG_POINTER(0));
  if (request == nullptr || !enable_statistics) {
    PG_RETURN_DATUM(0);
  }
  request->selectivity = 1;
  Node *id = nth(request->args, 0);
  if (id != nullptr && planning_memory(request->root) != nullptr &&
      getBaseType(exprType(id)) == UUIDOID) {
    const double share = in_scratch_context([&] { return share_of_v7(request, id); });
    request->selectivity = std::clamp(share, 0.0, 1.0);
  }
  PG_RETURN_POINTER(request);
}

}  // namespace uuidx
