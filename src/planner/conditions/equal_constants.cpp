#include "planner/conditions/equal_constants.hpp"

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// More equalities than a query has that is not made by a program.
constexpr int kMaxEqualities = 50;

// Adds the equalities of times or dates of an AND.
void add_equalities(const List *clauses, List **equalities) {
  for (const Node *clause : each(clauses)) {
    const auto [op, left, right] = operation_of(clause);
    if (op != nullptr && list_length(*equalities) < kMaxEqualities &&
        (is_local(exprType(left)) || exprType(left) == TIMESTAMPTZOID) &&
        strategy_of(op->opno, exprType(left)) == BTEqualStrategyNumber) {
      *equalities = lappend(*equalities, as_node(op));
    }
  }
}

// Adds those that hold in every row of the result: none of an outer join, and none below the side
// that it may make NULL.
// NOLINTNEXTLINE(misc-no-recursion): join trees are trees.
void add_equalities_of(const Node *node, List **equalities) {
  if (const auto *from = as<FromExpr>(node)) {
    for (const Node *item : each(from->fromlist)) {
      add_equalities_of(item, equalities);
    }
    add_equalities(reinterpret_cast<const List *>(from->quals), equalities);
  } else if (const auto *join = as<JoinExpr>(node);
             join != nullptr && join->jointype != JOIN_FULL) {
    add_equalities_of(join->larg, equalities);
    if (join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI) {
      add_equalities_of(join->rarg, equalities);
      add_equalities(reinterpret_cast<const List *>(join->quals), equalities);
    }
  }
}

// Notes that two expressions are equal, if one of them has no columns, or is known to be equal to
// such a one. Returns true if that is new.
bool note_equal(QueryLevel *level, Node *expression, Node *other) {
  if (!contain_var_clause(expression) || constant_equal_to(*level, expression) != nullptr) {
    return false;
  }
  EqualConstant found{stripped(expression)};
  if (const EqualConstant *known = constant_equal_to(*level, other)) {
    found.constant = known->constant;
  } else if (!contain_var_clause(other) && may_repeat(other)) {
    found.constant = as_expr(other);
    found.is_written = true;
  }
  if (found.constant == nullptr) {
    return false;
  }
  level->equal_to_constants = lappend(level->equal_to_constants, allocated(found));
  return true;
}

}  // namespace

void read_equal_constants(QueryLevel *level) {
  // An expression may differ above an outer join, which its columns do not say.
  if (!kKnowsNulled && is_below_outer_join(*level, nullptr)) {
    return;
  }
  List *equalities = NIL;
  add_equalities_of(as_node(level->root->parse->jointree), &equalities);
  // One constant may lead to the next.
  for (bool found = equalities != NIL; found;) {
    found = false;
    for (const Node *equality : each(equalities)) {
      const auto [op, left, right] = operation_of(equality);
      found = note_equal(level, left, right) || note_equal(level, right, left) || found;
    }
  }
}

const EqualConstant *constant_equal_to(const QueryLevel &level, const Node *expression) {
  Node *searched = level.equal_to_constants != NIL ? stripped(as_node(expression)) : nullptr;
  for (const auto *known : each<EqualConstant>(level.equal_to_constants)) {
    if (equal(known->expression, searched)) {
      return known;
    }
  }
  return nullptr;
}

}  // namespace uuidx
