// Planner support for uuid_is_v7(): its row estimate.
#include <algorithm>

#include "pg/planner/statistics/column_statistics.hpp"
#include "pg/planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the share of a column's rows that are of version 7, by its statistics. Without these, all
// are taken for version 7.
double share_of_column(const SupportRequestSelectivity *request, VariableStatData *variable) {
  ColumnStatistics statistics{};
  if (!statistic_proc_security_check(variable, request->funcid) ||
      !read_statistics(request->root, *variable, &statistics)) {
    return 1;
  }
  const double share = share_of_analyzed(statistics, {});
  free_statistics(&statistics);
  return std::clamp(share, 0.0, 1.0);
}

// Returns the clause of a condition.
Node *clause_of(const List *conditions, int i) {
  auto *node = static_cast<Node *>(list_nth(conditions, i));
  return IsA(node, RestrictInfo)
             ? reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(node)->clause)
             : node;
}

// Returns the list of conditions joined by AND, these or one of those joined by OR in them, that
// has the test with these arguments, which are not just equal; NIL if none has it.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
const List *list_with_test(const List *conditions, const List *args) {
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(conditions, i);
    if (args_of(clause) == args) {
      return conditions;
    }
    const List *arms = IsA(clause, BoolExpr) ? reinterpret_cast<BoolExpr *>(clause)->args : NIL;
    for (int k = 0; k < list_length(arms); ++k) {
      List *arm = make_ands_implicit(static_cast<Expr *>(list_nth(arms, k)));
      if (const List *found = list_with_test(arm, args); found != NIL) {
        return found;
      }
    }
  }
  return NIL;
}

// True if one of some conditions, neither a call of a function nor a test for NULL, has a column.
bool have_other_condition(const List *conditions, Oid function, const Var *id) {
  Bitmapset *columns = nullptr;
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(conditions, i);
    const bool call =
        IsA(clause, FuncExpr) && reinterpret_cast<FuncExpr *>(clause)->funcid == function;
    if (!call && !IsA(clause, NullTest)) {
      pull_varattnos(clause, static_cast<Index>(id->varno), &columns);
    }
  }
  return has_column(columns, id->varattno);
}

// Returns the share of version 7 among the rows that the other conditions leave. All of them, if
// one is on the column, as the estimate of a time range includes no other version. The test may
// also be none of the table's conditions: that of a partial index, whose share of the table counts.
double share_of_v7(SupportRequestSelectivity *request, VariableStatData *variable) {
  if (IsA(variable->var, Var) && IS_SIMPLE_REL(variable->rel)) {
    const List *own = list_with_test(variable->rel->baserestrictinfo, request->args);
    if (have_other_condition(own, request->funcid, reinterpret_cast<Var *>(variable->var))) {
      return 1;
    }
  }
  return share_of_column(request, variable);
}

}  // namespace

// uuid_is_v7_support(internal), the support function of uuid_is_v7(): estimates its rows. Returns
// null, as the planner expects, if it cannot serve the request. The type is checked, as a superuser
// may attach the support function to another function.
UUIDX_FUNCTION(uuidx_is_v7_support) {
  auto *request = reinterpret_cast<SupportRequestSelectivity *>(PG_GETARG_POINTER(0));
  if (!IsA(request, SupportRequestSelectivity)) {
    PG_RETURN_DATUM(0);
  }
  request->selectivity = 1;
  if (list_length(request->args) == 1) {
    VariableStatData variable;
    examine_variable(request->root, static_cast<Node *>(linitial(request->args)), request->varRelid,
                     &variable);
    if (variable.rel != nullptr && getBaseType(variable.vartype) == UUIDOID) {
      request->selectivity = share_of_v7(request, &variable);
    }
    ReleaseVariableStats(variable);
  }
  PG_RETURN_POINTER(request);
}

}  // namespace uuidx
