#include "planner/conditions/equalities.hpp"

#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/rewritten_and.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/joininfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
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

// True if a query still has all tables of a clause, and more than one: it may have lost joins since
// the clause was noted.
bool joins_tables(const PlannerInfo *root, Relids tables) {
  for (int i = -1; (i = bms_next_member(tables, i)) >= 0;) {
    if (rte_of(root, static_cast<Index>(i)) == nullptr || root->simple_rel_array[i] == nullptr) {
      return false;
    }
  }
  return bms_membership(tables) == BMS_MULTIPLE;
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

void note_implied_join(QueryLevel *level, Node *clause, const TimeComparison &comparison) {
  const Var *id = comparison.time.id;
  // Above an outer join, it would have to wait for that.
  if (is_below_outer_join(*level, id)) {
    return;
  }
  Expr *implied = condition_call(level->functions, as_node(id),
                                 make_ands_explicit(bounds_of_id(*level, comparison)));
  // Joins have only the columns of clauses that were distributed, and of a PlaceHolderVar only its
  // value.
  const List *columns = pull_var_clause(clause, PVC_INCLUDE_PLACEHOLDERS);
  const List *needed = pull_var_clause(as_node(implied), PVC_INCLUDE_PLACEHOLDERS);
  if (list_difference(needed, columns) == NIL) {
    level->implied_joins = lappend(level->implied_joins, implied);
  }
}

void give_implied_joins(QueryLevel *level, RelOptInfo *planned) {
  PlannerInfo *root = level->root;
  bool again = false;
  for (auto *clause : each<Expr>(level->implied_joins)) {
    RestrictInfo *rinfo = make_condition(root, clause, root->qual_security_level);
    if (joins_tables(root, rinfo->required_relids)) {
      add_join_clause_to_rels(root, rinfo, rinfo->required_relids);
      again = again || (planned != nullptr && bms_is_subset(planned->relids, rinfo->clause_relids));
    }
  }
  level->implied_joins = NIL;
  if (again) {
    create_index_paths(root, planned);
  }
}

}  // namespace uuidx
