// Planner support for uuid_is_v7(): its row estimate.
#include <algorithm>

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_hooks.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_hook.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the list of conditions joined by AND, these or those of an arm of OR in them, that has
// the test with these arguments, which are not just equal; NIL if none has it.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
const List *list_with_test(const List *conditions, const List *args) {
  for (const Node *condition : each(conditions)) {
    CHECK_FOR_INTERRUPTS();
    const auto *info = as<RestrictInfo>(condition);
    const Node *clause = info != nullptr ? as_node(info->clause) : condition;
    if (args_of(clause) == args) {
      return conditions;
    }
    const auto *logic = as<BoolExpr>(clause);
    for (Expr *arm : each<Expr>(logic != nullptr ? logic->args : NIL)) {
      if (const List *found = list_with_test(make_ands_implicit(arm), args); found != NIL) {
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
  const auto *id = as<Var>(variable->var);
  if (id != nullptr && IS_SIMPLE_REL(variable->rel)) {
    const List *all = variable->rel->baserestrictinfo;
    const List *own = list_with_test(all, request->args);
    const TableColumn column{variable->rel->relid, id->varattno};
    if (!narrow(request->root, own != NIL ? own : all, column, &range)) {
      return 1;
    }
  }
  const ColumnStatistics *statistics = statistics_for(request->root, variable, request->funcid);
  if (statistics == nullptr) {
    return 1;
  }
  const Shares shares = shares_of(*statistics, range);
  const bool alone = range.lowest == kNil && range.highest == kMax;
  return alone ? shares.v7 : shares.all > 0 ? shares.v7 / shares.all : 1;
}

}  // namespace

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
  if (list_length(request->args) == 1 && planning_memory(request->root) != nullptr) {
    MemoryContext scratch = make_scratch_context();
    MemoryContext before = MemoryContextSwitchTo(scratch);
    VariableStatData variable;
    examine_variable(request->root, nth(request->args, 0), request->varRelid, &variable);
    if (variable.rel != nullptr && getBaseType(variable.vartype) == UUIDOID) {
      request->selectivity = std::clamp(share_of_v7(request, &variable), 0.0, 1.0);
    }
    ReleaseVariableStats(variable);
    MemoryContextSwitchTo(before);
    MemoryContextDelete(scratch);
  }
  PG_RETURN_POINTER(request);
}

}  // namespace uuidx
