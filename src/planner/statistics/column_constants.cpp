#include "planner/statistics/column_constants.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A comparison of a column with a constant.
struct Comparison {
  Uuid id;
  bool below = false;  // by < or <=, with the column on the left; else by > or >=
};

// True if an expression is a column.
bool is_column(const Node *node, TableColumn column) {
  const Var *var = column_of(node);
  return var != nullptr && static_cast<Index>(var->varno) == column.table &&
         var->varattno == column.number && var->varlevelsup == 0;
}

// Reads the comparison of a column with what the planner can estimate; returns false if an
// expression is something else. The value is the one that PostgreSQL estimates with.
bool read_constant(PlannerInfo *root, const Node *node, TableColumn column,
                   Comparison *comparison) {
  const auto [op, left, right] = operation_of(node);
  const bool commuted = is_column(right, column);
  if (!commuted && !is_column(left, column)) {
    return false;
  }
  const int strategy = strategy_of(op->opno, UUIDOID);
  if (strategy == 0 || strategy == BTEqualStrategyNumber) {
    return false;
  }
  Node *other = commuted ? left : right;
  const Const *constant =
      constant_of(as<Const>(other) != nullptr ? other : estimate_expression_value(root, other));
  if (constant == nullptr || constant->consttype != UUIDOID) {
    return false;
  }
  *comparison = {get_uuid(constant->constvalue), (strategy < BTEqualStrategyNumber) != commuted};
  return true;
}

// Returns the expressions that make up another one, of those which PostgreSQL estimates: the parts
// of AND and OR, and the conditions that the support function of a call may use an index for.
List *parts_of(const Node *node) {
  if (const auto *logic = as<BoolExpr>(node)) {
    return logic->args;
  }
  const auto *call = as<FuncExpr>(node);
  if (call == nullptr) {
    return NIL;
  }
  List *conditions = NIL;
  for (Node *argument : each(call->args)) {
    if ((as<OpExpr>(argument) != nullptr || as<BoolExpr>(argument) != nullptr) &&
        OidIsValid(get_func_support(call->funcid))) {
      conditions = lappend(conditions, argument);
    }
  }
  return conditions;
}

// Returns the expression of a condition.
Node *clause_of(Node *node) {
  const auto *condition = as<RestrictInfo>(node);
  return condition != nullptr ? as_node(condition->clause) : node;
}

// Adds the constants of some conditions to `count` others, and returns the number of all. Those
// beyond kMostConstants are only counted.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
int add_constants(PlannerInfo *root, const List *conditions, TableColumn column, Uuid *constants,
                  int count) {
  for (Node *condition : each(conditions)) {
    const Node *clause = clause_of(condition);
    Comparison comparison;
    if (!read_constant(root, clause, column, &comparison)) {
      count = add_constants(root, parts_of(clause), column, constants, count);
    } else if (comparison.id != kNil && comparison.id != kMax && count++ < kMostConstants) {
      constants[count - 1] = comparison.id;
    }
  }
  return count;
}

// True if an expression has a column.
bool has(Node *node, TableColumn column) {
  Bitmapset *columns = nullptr;
  pull_varattnos(node, column.table, &columns);
  return has_column(columns, column.number);
}

}  // namespace

int find_constants(PlannerInfo *root, const List *conditions, TableColumn column, Uuid *constants) {
  const int count = add_constants(root, conditions, column, constants, 0);
  if (count > kMostConstants) {
    return 0;
  }
  std::sort(constants, constants + count);
  return static_cast<int>(std::unique(constants, constants + count) - constants);
}

// NOLINTNEXTLINE(misc-no-recursion): as above.
bool narrow(PlannerInfo *root, const List *conditions, TableColumn column, UuidRange *range) {
  for (Node *condition : each(conditions)) {
    CHECK_FOR_INTERRUPTS();
    Node *clause = clause_of(condition);
    const Node *test = is_notclause(clause) ? as_node(get_notclausearg(clause)) : clause;
    const List *parts = is_orclause(clause) || is_notclause(clause) ? NIL : parts_of(clause);
    if (Comparison comparison; read_constant(root, clause, column, &comparison)) {
      const auto [id, below] = comparison;
      *range = intersection(*range, below ? UuidRange{kNil, id} : UuidRange{id, kMax});
    } else if (parts != NIL ? !narrow(root, parts, column, range)
                            : as<NullTest>(clause) == nullptr && tested_column(test) == nullptr &&
                                  has(clause, column)) {
      return false;
    }
  }
  return true;
}

}  // namespace uuidx
