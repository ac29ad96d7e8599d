#include "planner/conditions/join_pruning.hpp"

#include "planner/functions.hpp"
#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/restrictinfo.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the bounds of a table's key that a condition has for an index, as clauses; NIL if it has
// none. Of an OR, those that all alternatives have, as one clause.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
List *bounds_for_index(const QueryLevel &level, const RelOptInfo *rel, const Node *condition) {
  const auto *call = as<FuncExpr>(condition);
  List *bounds = NIL;
  if (call != nullptr && call->funcid == level.functions.condition) {
    for (Node *clause : each(make_ands_implicit(as_expr(nth(call->args, 1))))) {
      const auto [op, left, right] = operation_of(clause);
      const bool of_keys = op != nullptr && strategy_of(op->opno, UUIDOID) != 0;
      const Var *column = of_keys ? column_of(left) : nullptr;
      // One that compares the times of two keys limits the other key so.
      if (column != nullptr && static_cast<Index>(column->varno) == rel->relid) {
        bounds = lappend(bounds, clause);
      }
    }
  } else if (is_orclause(condition)) {
    for (const Node *alternative : each(as<BoolExpr>(condition)->args)) {
      List *own = NIL;
      for (const Node *part : each(make_ands_implicit(as_expr(alternative)))) {
        own = list_concat(own, bounds_for_index(level, rel, part));
      }
      if (own == NIL) {
        return NIL;
      }
      bounds = lappend(bounds, make_ands_explicit(own));
    }
    bounds = list_make1(make_orclause(bounds));
  }
  return bounds;
}

// Returns a bound of a key for the executor, which prunes when it starts by what is not constant.
Expr *bound_to_prune(Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  if (constant_of(right) == nullptr) {
    return as_expr(clause);
  }
  auto *bound = makeNode(CoalesceExpr);
  bound->coalescetype = UUIDOID;
  bound->args = list_make1(right);
  bound->location = -1;
  return make_opclause(op->opno, BOOLOID, false, as_expr(left), as_expr(bound), InvalidOid,
                       InvalidOid);
}

// Returns conditions with the bounds of a table's key that they imply. From now on, only
// create_append_plan() and create_merge_append_plan() read those of the table for an Append, and of
// its ppi_clauses, three functions of PostgreSQL 15 to 19: these two prune by them;
// paraminfo_get_equal_hashops() asks each for the operator by which Memoize compares its parameter;
// get_memoize_path() compares their number with that of the join's clauses where the inner table is
// unique: before PostgreSQL 16, no partitioned table is known to be, and from then on it goes by
// ppi_serials, which these bounds are not in.
List *with_bounds(const QueryLevel &level, const RelOptInfo *rel, List *conditions) {
  List *bounds = NIL;
  for (const auto *rinfo : each<RestrictInfo>(conditions)) {
    bounds = list_concat(bounds, bounds_for_index(level, rel, as_node(rinfo->clause)));
  }
  for (Node *bound : each(bounds)) {
    RestrictInfo *rinfo = make_simple_restrictinfo(level.root, bound_to_prune(bound));
    rinfo->right_hasheqoperator =
        as<OpExpr>(bound) != nullptr ? uuid_operator(BTEqualStrategyNumber) : InvalidOid;
    conditions = lappend(conditions, rinfo);
  }
  return conditions;
}

}  // namespace

void add_join_pruning(const QueryLevel &level, RelOptInfo *rel) {
  if (rel->reloptkind == RELOPT_BASEREL && rel->part_scheme != nullptr) {
    rel->baserestrictinfo = with_bounds(level, rel, rel->baserestrictinfo);
    for (auto *parameters : each<ParamPathInfo>(rel->ppilist)) {
      parameters->ppi_clauses = with_bounds(level, rel, parameters->ppi_clauses);
    }
  }
}

}  // namespace uuidx
