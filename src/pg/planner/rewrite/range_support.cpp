// Planner support for uuid_in_time_range() and uuid_between_times(). `id <@ range` is inlined as
// uuid_is_v7(id), which proves the predicate of a partial index, and a call of it. For a query, the
// planner calls in this order:
//
// 1. simplify(), for the table of the query, before it is planned: replaces the call by comparisons
//    of uuid where the planner can do more with these.
// 2. estimate(), for the rows of a call that was kept.
// 3. index_condition(), for each index on the id, if the call was kept: returns the same
//    comparisons, which a scan of the index uses.
// 4. simplify(), for each child table, whose condition is derived from the parent's: a foreign one,
//    for example, gets comparisons.
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/key_table.hpp"
#include "pg/planner/statistics/range_selectivity.hpp"
#include "pg/planner/rewrite/clauses.hpp"

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

// A constant multirange is replaced with comparisons for each range, so that rows between the
// ranges are not read, if there are at most so many: each takes about 30 microseconds to plan for
// each table, and to evaluate for each row that no index or partition bound excludes.
constexpr uint32 kMaxCompared = 100;

// True if an expression is a constant of two characters: other bounds of uuid_between_times() may
// vary from row to row, or exclude both times.
bool is_pair_of_bounds(const Node *bounds) {
  const auto *constant = reinterpret_cast<const Const *>(bounds);
  return IsA(bounds, Const) && constant->consttype == TEXTOID && !constant->constisnull &&
         VARSIZE_ANY_EXHDR(DatumGetTextPP(constant->constvalue)) == 2;
}

// Reads the arguments of a call; returns false if they are others, as a superuser may attach the
// support function to another function, or have bounds that are not known.
bool read_call(List *args, TimeRangeCall *call) {
  const int count = list_length(args);
  if (count != 2 && count != 4) {
    return false;
  }
  call->id = static_cast<Node *>(linitial(args));
  call->times = list_copy_tail(args, 1);
  call->type = exprType(static_cast<Node *>(lsecond(args)));
  const bool known = count == 2 ? call->type == TSTZRANGEOID || call->type == TSTZMULTIRANGEOID
                                : call->type == TIMESTAMPTZOID &&
                                      is_pair_of_bounds(static_cast<Node *>(lfourth(args)));
  return known && getBaseType(exprType(call->id)) == UUIDOID;
}

// True if a time range may be computed several times for each row. The rule is that of PostgreSQL's
// inlining of SQL functions: not a sub-select or a volatile function, which may return two results,
// nor what costs more than ten operators.
bool may_repeat(PlannerInfo *root, List *times) {
  if (contain_subplans(reinterpret_cast<Node *>(times))) {
    return false;
  }
  QualCost cost;
  cost_qual_eval(&cost, times, root);
  return cost.startup + cost.per_tuple <= 10 * cpu_operator_cost &&
         !contain_volatile_functions(reinterpret_cast<Node *>(times));
}

// Returns the comparisons of each range of a constant multirange; NIL if there are too many.
List *compare_each(const TimeRangeCall &call, const RangeTblEntry *table) {
  const MultirangeType *ranges = constant_ranges(call);
  if (ranges == nullptr || ranges->rangeCount > kMaxCompared) {
    return NIL;
  }
  List *clauses = replace_multirange(call, ranges);
  if (ranges->rangeCount > 1 && table->relkind == RELKIND_PARTITIONED_TABLE) {
    // Beside a comparison, here one that holds for every id, PostgreSQL 15.18 prunes a default
    // partition correctly if the query has IS NOT NULL; beside an OR alone it does not: see
    // add_or() in time_conditions.cpp.
    const TimeRange always = {{0, true, true}, {0, false, false}, false};
    clauses = list_concat(replace_range(call, always), clauses);
  }
  return clauses;
}

// Returns the table of a column; null if it belongs to none.
const RangeTblEntry *table_of(const PlannerInfo *root, const Var *column) {
  // The root may be that of another query: PostgreSQL simplifies the condition of an EXISTS with
  // the root of the query around it. That does no harm: the table only decides between two forms
  // that are equivalent.
  if (root == nullptr || column == nullptr || column->varlevelsup != 0 ||
      IS_SPECIAL_VARNO(column->varno) || column->varno < 1 ||
      static_cast<int>(column->varno) > list_length(root->parse->rtable)) {
    return nullptr;
  }
  const RangeTblEntry *entry = rt_fetch(static_cast<int>(column->varno), root->parse->rtable);
  return entry->rtekind == RTE_RELATION ? entry : nullptr;
}

// Returns what replaces a call; null to keep it. The column may belong to no table here, as in an
// index's predicate.
Node *simplify(const SupportRequestSimplify *request) {
  TimeRangeCall call;
  if (request->fcall->funcresulttype != BOOLOID || request->fcall->funcretset ||
      !read_call(request->fcall->args, &call)) {
    return nullptr;
  }
  TimeRange range;
  const bool constant = constant_range(call, &range);
  List *clauses = NIL;
  if (constant && v7_range(range).empty()) {
    clauses = replace_range(call, range);
  } else {
    const RangeTblEntry *table = table_of(request->root, column_of(call.id));
    if (table == nullptr || !prefers_comparisons(table)) {
      return nullptr;
    }
    clauses = constant ? replace_range(call, range) : compare_each(call, table);
  }
  if (clauses == NIL && may_repeat(request->root, call.times)) {
    clauses = replace_with_bounds(request->root, call);
  }
  return clauses != NIL ? reinterpret_cast<Node *>(make_ands_explicit(clauses)) : nullptr;
}

// True if an index of this operator family supports the comparison.
bool family_knows(const Expr *clause, Oid family) {
  return IsA(clause, OpExpr) &&
         op_in_opfamily(reinterpret_cast<const OpExpr *>(clause)->opno, family);
}

// Returns the condition for an index on the id; NIL if the index does not support the comparisons.
// The time range may be expensive, as a scan computes each bound once, when it begins, and the
// planner adds that to the scan's cost; but it may not be a sub-select, which may return two
// results.
List *index_condition(SupportRequestIndexCondition *request) {
  TimeRangeCall call;
  if (request->indexarg != 0 || !read_call(args_of(request->node), &call)) {
    return NIL;
  }
  auto *times = reinterpret_cast<Node *>(call.times);
  if (!is_pseudo_constant_for_index(request->root, times, request->index) ||
      contain_subplans(times)) {
    return NIL;
  }
  List *clauses = bounds_of(request->root, call);
  for (int i = 0; i < list_length(clauses); ++i) {
    if (!family_knows(static_cast<Expr *>(list_nth(clauses, i)), request->opfamily)) {
      return NIL;
    }
  }
  // The bounds of a multirange also admit the UUIDs between its ranges.
  request->lossy = call.type == TSTZMULTIRANGEOID;
  return clauses;
}

// Returns a call with the values of its arguments, as far as the planner can tell them.
TimeRangeCall with_estimated_times(PlannerInfo *root, const TimeRangeCall &call) {
  TimeRangeCall estimated = call;
  estimated.times = NIL;
  for (int i = 0; i < list_length(call.times); ++i) {
    auto *time = static_cast<Node *>(list_nth(call.times, i));
    estimated.times = lappend(estimated.times, estimate_expression_value(root, time));
  }
  return estimated;
}

// Returns the share of a call whose times are not known: PostgreSQL's default for a range, and for
// a comparison if one end is open. That of the index condition must agree, or no plan uses it.
double default_share(const TimeRangeCall &call) {
  return call.type == TIMESTAMPTZOID && (is_open(call.times, 0) || is_open(call.times, 1))
             ? DEFAULT_INEQ_SEL
             : DEFAULT_RANGE_INEQ_SEL;
}

// Sets the share of a table's rows that fulfil a call.
void estimate(SupportRequestSelectivity *request) {
  request->selectivity = DEFAULT_RANGE_INEQ_SEL;
  TimeRangeCall call;
  if (!read_call(request->args, &call)) {
    return;
  }
  request->selectivity = default_share(call);
  if (request->is_join) {
    return;
  }
  call = with_estimated_times(request->root, call);
  TimeRange range;
  const MultirangeType *ranges = constant_ranges(call);
  if (ranges == nullptr && !constant_range(call, &range)) {
    return;
  }
  double share = 0;
  const bool known = ranges != nullptr ? estimate_multirange(request, call.id, ranges, &share)
                                       : estimate_range(request, call.id, v7_range(range), &share);
  request->selectivity = known ? share : request->selectivity;
}

}  // namespace

// uuid_time_range_support(internal), the support function of uuid_in_time_range() and
// uuid_between_times(): returns null, as the planner expects, if it cannot serve the request.
UUIDX_FUNCTION(uuidx_time_range_support) {
  auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  void *result = nullptr;
  if (IsA(request, SupportRequestSimplify)) {
    result = simplify(reinterpret_cast<SupportRequestSimplify *>(request));
  } else if (IsA(request, SupportRequestIndexCondition)) {
    result = index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request));
  } else if (IsA(request, SupportRequestSelectivity)) {
    estimate(reinterpret_cast<SupportRequestSelectivity *>(request));
    result = request;
  }
  PG_RETURN_POINTER(result);
}

}  // namespace uuidx
