// Planner support for uuid_is_v7(): its row estimate.
#include <algorithm>

#include "pg/planner/nodes.hpp"
#include "pg/planner/statistics/comparisons.hpp"
#include "pg/planner/statistics/hook.hpp"

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

// Returns the share of version 7 among the rows that the other conditions leave: those between the
// bounds of comparisons, or all if there are none. A call that kept its time range admits no other
// version. The test may also be none of the table's conditions: that of a partial index, which
// serves all of them. Without statistics, all are taken for version 7.
double share_of_v7(SupportRequestSelectivity *request, VariableStatData *variable) {
  UuidRange range;
  const auto *id = reinterpret_cast<const Var *>(variable->var);
  if (IsA(id, Var) && IS_SIMPLE_REL(variable->rel)) {
    const List *all = variable->rel->baserestrictinfo;
    const List *own = list_with_test(all, request->args);
    if (!narrow(request->root, own != NIL ? own : all, {variable->rel->relid, id->varattno},
                request->funcid, &range)) {
      return 1;
    }
  }
  const ColumnStatistics *statistics = statistics_for(request->root, variable, request->funcid);
  if (statistics == nullptr) {
    return 1;
  }
  if (range.lowest == kNil && range.highest == kMax) {
    return shares_of(*statistics, range).v7;
  }
  const Shares shares = shares_of(*statistics, range);
  return shares.all > 0 ? shares.v7 / shares.all : 1;
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
      request->selectivity = std::clamp(share_of_v7(request, &variable), 0.0, 1.0);
    }
    ReleaseVariableStats(variable);
  }
  PG_RETURN_POINTER(request);
}

}  // namespace uuidx
