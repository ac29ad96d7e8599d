// Planner support for uuid_in_time_range() and uuid_condition(). `id <@ range` is inlined as
// uuid_is_v7(id), which proves the predicate of a partial index, and a call of the first. For a
// query, the planner calls in this order:
//
// 1. simplify(), before the query is planned: replaces the call by comparisons of uuid, unless its
//    range is a large multirange or may not be computed twice.
// 2. estimate(), for the rows of a call that was kept.
// 3. index_condition(), for each index on the id, if the call was kept: returns the same
//    comparisons, which a scan of the index uses.
// 4. simplify(), for each child table, whose condition is derived from the parent's.
#include <algorithm>

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/clauses.hpp"
#include "planner/rewrite/conditions.hpp"
#include "planner/statistics/hook.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A constant multirange is replaced with comparisons for each range, so that rows and partitions
// between the ranges are not read, if there are at most so many. Each takes about 30 microseconds
// to plan for each table; and many, if they are evaluated for each row, take longer than a search.
constexpr uint32 kMaxCompared = 8;
constexpr uint32 kMaxComparedPartitions = 100;

// True if a column is of a partitioned table. The root may be that of another query: PostgreSQL
// simplifies the condition of an EXISTS with the root of the query around it. That does no harm, as
// it only decides between two forms that are equivalent.
bool is_partitioned(const PlannerInfo *root, const Var *column) {
  if (root == nullptr || column == nullptr || column->varlevelsup != 0 ||
      IS_SPECIAL_VARNO(column->varno) || column->varno < 1 ||
      static_cast<int>(column->varno) > list_length(root->parse->rtable)) {
    return false;
  }
  const RangeTblEntry *entry = rt_fetch(static_cast<int>(column->varno), root->parse->rtable);
  return entry->relkind == RELKIND_PARTITIONED_TABLE;
}

// Reads the arguments of uuid_in_time_range(); returns false if they are others, as a superuser may
// attach the support function to another function.
bool read_range_call(const List *args, RangeCall *call) {
  if (list_length(args) != 2) {
    return false;
  }
  *call = {nth(args, 0), nth(args, 1), exprType(nth(args, 1))};
  return (call->type == TSTZRANGEOID || call->type == TSTZMULTIRANGEOID) &&
         getBaseType(exprType(call->id)) == UUIDOID;
}

// Reads the arguments of uuid_condition() likewise; returns the condition, or null.
Node *read_condition_call(const List *args) {
  return list_length(args) == 2 && exprType(nth(args, 0)) == UUIDOID &&
                 exprType(nth(args, 1)) == BOOLOID
             ? nth(args, 1)
             : nullptr;
}

// Returns what replaces a call of uuid_in_time_range(); NIL to keep it, as for an id that is no
// column, which would be computed twice.
List *simplify_range_call(PlannerInfo *root, const RangeCall &call) {
  const Functions *functions = find_functions(root);
  TimeRange range;
  const bool constant = constant_range(call, &range);
  if (functions == nullptr ||
      (column_of(call.id) == nullptr && !(constant && v7_range(range).empty()))) {
    return NIL;
  }
  const Functions kept = *functions;
  if (constant) {
    return replace_range(kept, call.id, range);
  }
  const MultirangeType *ranges = constant_ranges(call);
  const bool partitioned = is_partitioned(root, column_of(call.id));
  const uint32 most = partitioned ? kMaxComparedPartitions : kMaxCompared;
  if (ranges != nullptr && ranges->rangeCount <= most) {
    List *clauses = replace_multirange(kept, call.id, ranges);
    if (partitioned && ranges->rangeCount > 1) {
      // Beside a comparison, here one that holds for every id, PostgreSQL 15.18 prunes a default
      // partition correctly if the query has IS NOT NULL; beside an OR alone it does not: see
      // prunes_wrongly().
      const TimeRange always = {{0, true, true}, {0, false, false}, false};
      clauses = list_concat(replace_range(kept, call.id, always), clauses);
    }
    if (root != nullptr && root->parse->sortClause != NIL && ranges->rangeCount > 1) {
      // One index scan in order may be better than several.
      List *bounds = bounds_of(root, kept, call);
      clauses = lappend(clauses, condition_call(kept, call.id, make_ands_explicit(bounds)));
    }
    return clauses;
  }
  return may_repeat(root, call.range) ? replace_with_bounds(root, kept, call) : NIL;
}

// Returns what replaces a call; null to keep it. The column may belong to no table here, as in an
// index's predicate.
Node *simplify(const SupportRequestSimplify *request) {
  const List *args = request->fcall->args;
  if (request->fcall->funcresulttype != BOOLOID || request->fcall->funcretset) {
    return nullptr;
  }
  if (RangeCall call; read_range_call(args, &call)) {
    List *clauses = simplify_range_call(request->root, call);
    return clauses != NIL ? as_node(make_ands_explicit(clauses)) : nullptr;
  }
  // A condition on a column of a UNION ALL, for one of its tables: see hook.cpp.
  Node *condition = read_condition_call(args);
  if (condition == nullptr || request->root == nullptr || as<Const>(nth(args, 0)) == nullptr) {
    return nullptr;
  }
  Statement statement;
  statement.root = request->root;
  List *clauses = make_ands_implicit(as_expr(condition));
  return as_node(make_ands_explicit(rewrite_clauses(&statement, clauses)));
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
  if (request->indexarg != 0) {
    return NIL;
  }
  if (Node *condition = read_condition_call(args)) {
    List *clauses = make_ands_implicit(as_expr(condition));
    List *supported = index_clauses(request, clauses);
    request->lossy = list_length(supported) < list_length(clauses);
    return supported;
  }
  RangeCall call;
  const Functions *functions = find_functions(request->root);
  if (functions == nullptr || !read_range_call(args, &call) || contain_subplans(call.range)) {
    return NIL;
  }
  List *bounds = bounds_of(request->root, *functions, call);
  // The bounds of a multirange also admit the UUIDs between its ranges.
  request->lossy = call.type == TSTZMULTIRANGEOID;
  List *supported = index_clauses(request, bounds);
  return list_length(supported) == list_length(bounds) ? supported : NIL;
}

// Sets the share of a table's rows that fulfil a call.
void estimate(SupportRequestSelectivity *request) {
  RangeCall call;
  if (!read_range_call(request->args, &call)) {
    // That of uuid_condition(): the clauses beside it are those that count.
    request->selectivity = 1;
    return;
  }
  request->selectivity = DEFAULT_RANGE_INEQ_SEL;
  if (request->is_join) {
    return;
  }
  call.range = estimate_expression_value(request->root, call.range);
  TimeRange range;
  const MultirangeType *ranges = constant_ranges(call);
  if (ranges == nullptr && !constant_range(call, &range)) {
    return;
  }
  VariableStatData variable;
  examine_variable(request->root, call.id, request->varRelid, &variable);
  if (const ColumnStatistics *statistics =
          statistics_for(request->root, &variable, request->funcid, kMax)) {
    const uint32 count = ranges != nullptr ? ranges->rangeCount : 1;
    double share = 0;
    for (uint32 i = 0; i < count; ++i) {
      CHECK_FOR_INTERRUPTS();
      const TimeRange one = ranges != nullptr ? time_range_at(range_type(), ranges, i) : range;
      share += shares_of(*statistics, v7_range(one)).v7;
    }
    request->selectivity = std::clamp(share, 0.0, 1.0);
  }
  ReleaseVariableStats(variable);
}

}  // namespace

// uuid_time_range_support(internal), the support function of uuid_in_time_range() and
// uuid_condition(): returns null, as the planner expects, if it cannot serve the request.
UUIDX_FUNCTION(uuidx_time_range_support) {
  auto *request = as_node(PG_GETARG_POINTER(0));
  void *result = nullptr;
  if (auto *simplifying = as<SupportRequestSimplify>(request)) {
    result = simplify(simplifying);
  } else if (auto *condition = as<SupportRequestIndexCondition>(request)) {
    result = index_condition(condition);
  } else if (auto *selectivity = as<SupportRequestSelectivity>(request)) {
    estimate(selectivity);
    result = request;
  }
  PG_RETURN_POINTER(result);
}

}  // namespace uuidx
