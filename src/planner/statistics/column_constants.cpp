#include "planner/statistics/column_constants.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A comparison of a column with a constant.
struct Comparison {
  Uuid id;
  bool below = false;  // < or <=, with the column on the left
  bool equal = false;  // <= or >=
};

// True if an expression is a column.
bool is_column(const Node *node, TableColumn column) {
  const Var *var = column_of(node);
  return var != nullptr && static_cast<Index>(var->varno) == column.table &&
         var->varattno == column.number && var->varlevelsup == 0;
}

// Sets `comparison` to what an operator does with its operands; returns false if it does not
// compare UUIDs by their order.
bool read_operator(Oid function, Comparison *comparison) {
  comparison->below = function == F_UUID_LT || function == F_UUID_LE;
  comparison->equal = function == F_UUID_LE || function == F_UUID_GE;
  return comparison->below || comparison->equal || function == F_UUID_GT;
}

// Reads the comparison of a column with what the planner can estimate; returns false if an
// expression is something else. The value is the one that PostgreSQL estimates with.
bool read_constant(PlannerInfo *root, const Node *node, TableColumn column,
                   Comparison *comparison) {
  const auto *op = as<OpExpr>(node);
  // PostgreSQL sets the function where it needs it.
  if (op == nullptr ||
      !read_operator(OidIsValid(op->opfuncid) ? op->opfuncid : get_opcode(op->opno), comparison)) {
    return false;
  }
  const auto [read, left, right] = operation_of(node);
  const bool commuted = is_column(right, column);
  if (!commuted && !is_column(left, column)) {
    return false;
  }
  Node *other = commuted ? left : right;
  const auto *constant =
      as<Const>(as<Const>(other) != nullptr ? other : estimate_expression_value(root, other));
  if (constant == nullptr || constant->constisnull) {
    return false;
  }
  comparison->id = get_uuid(constant->constvalue);
  comparison->below = comparison->below != commuted;
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

// Narrows a range to one side of a constant.
void narrow_by(const Comparison &comparison, UuidRange *range) {
  const Uuid id = comparison.id;
  const UuidRange side =
      comparison.below ? UuidRange{kNil, comparison.equal ? id : predecessor(id).value_or(kNil)}
                       : UuidRange{comparison.equal ? id : successor(id).value_or(kMax), kMax};
  *range = intersection(*range, side);
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
    const List *parts = is_orclause(clause) || is_notclause(clause) ? NIL : parts_of(clause);
    if (Comparison comparison; read_constant(root, clause, column, &comparison)) {
      narrow_by(comparison, range);
    } else if (parts != NIL ? !narrow(root, parts, column, range)
                            : as<NullTest>(clause) == nullptr && tested_column(clause) == nullptr &&
                                  has(clause, column)) {
      return false;
    }
  }
  return true;
}

}  // namespace uuidx
