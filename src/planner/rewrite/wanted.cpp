#include "planner/rewrite/wanted.hpp"

#include "pg/compat.hpp"
#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Adds an expression to the orders that a query may use.
void want(List **orders, const Wanted &order) {
  auto *wanted = static_cast<Wanted *>(palloc(sizeof(Wanted)));
  *wanted = order;
  *orders = lappend(*orders, wanted);
}

// Adds the sides of comparisons of times, by which tables could be joined.
bool want_joins(Node *node, void *orders) {
  const auto [op, left, right] = operation_of(node);
  const int strategy =
      op != nullptr && exprType(left) == TIMESTAMPTZOID && as<Const>(right) == nullptr
          ? strategy_of(op->opno, TIMESTAMPTZOID)
          : 0;
  if (strategy != 0) {
    want(static_cast<List **>(orders), {left, nullptr, strategy != BTEqualStrategyNumber});
    want(static_cast<List **>(orders), {right, nullptr, strategy != BTEqualStrategyNumber});
  }
  return node != nullptr && walk_expression(node, want_joins, orders);
}

// Returns the sort clause of a query that has a sort group reference; null if it has none.
const SortGroupClause *sort_clause_of(const Query *query, Index reference) {
  List *lists = list_make3(query->sortClause, query->distinctClause, query->groupClause);
  for (const auto *window : each<WindowClause>(query->windowClause)) {
    lists = lappend(lappend(lists, window->orderClause), window->partitionClause);
  }
  for (const List *clauses : each<List>(lists)) {
    for (const auto *sort : each<SortGroupClause>(clauses)) {
      if (sort->tleSortGroupRef == reference) {
        return sort;
      }
    }
  }
  return nullptr;
}

// Adds the conditions that all rows of a query fulfil, before they are distributed.
// NOLINTNEXTLINE(misc-no-recursion): join trees are trees.
List *inner_conditions(const Node *node) {
  List *conditions = NIL;
  if (const auto *from = as<FromExpr>(node)) {
    conditions = list_copy(reinterpret_cast<const List *>(from->quals));
    for (const Node *item : each(from->fromlist)) {
      conditions = list_concat(conditions, inner_conditions(item));
    }
  } else if (const auto *join = as<JoinExpr>(node);
             join != nullptr && join->jointype == JOIN_INNER) {
    conditions =
        list_concat(list_copy(reinterpret_cast<const List *>(join->quals)),
                    list_concat(inner_conditions(join->larg), inner_conditions(join->rarg)));
  }
  return conditions;
}

}  // namespace

List *wanted_by(const Statement &statement) {
  const PlannerInfo *root = statement.root;
  List *orders = NIL;  // of Wanted
  for (const auto *target : each<TargetEntry>(root->processed_tlist)) {
    if (target->ressortgroupref != 0) {
      want(&orders, {as_node(target->expr), sort_clause_of(root->parse, target->ressortgroupref)});
    }
  }
  if (list_length(root->parse->rtable) > 1) {
    want_joins(as_node(root->parse->jointree), &orders);
  }
  return orders;
}

// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
Node *in_child(PlannerInfo *root, const RelOptInfo *rel, Node *expression) {
  if (rel->reloptkind != RELOPT_OTHER_MEMBER_REL) {
    return expression;
  }
  AppendRelInfo *info = root->append_rel_array[rel->relid];
  const RelOptInfo *parent = root->simple_rel_array[info->parent_relid];
  Node *in_parent = in_child(root, parent, expression);
  if (!bms_is_member(static_cast<int>(parent->relid), pull_varnos(root, in_parent))) {
    return in_parent;
  }
  return adjust_appendrel_attrs(root, in_parent, 1, &info);
}

List *conditions_of(PlannerInfo *root, const RelOptInfo *rel) {
  if (rel->reloptkind != RELOPT_OTHER_MEMBER_REL) {
    return inner_conditions(as_node(root->parse->jointree));
  }
  const AppendRelInfo *info = root->append_rel_array[rel->relid];
  List *conditions = NIL;
  for (const auto *restriction :
       each<RestrictInfo>(root->simple_rel_array[info->parent_relid]->baserestrictinfo)) {
    conditions = lappend(conditions, in_child(root, rel, as_node(restriction->clause)));
  }
  return conditions;
}

bool is_all_v7(const KeyTable &table, const List *predicate, const Var *id, List *conditions) {
  if (proof_of(table, id->varattno) == Proof::all_v7 || tests_version(predicate, id)) {
    return true;
  }
  if (!tests_version(conditions, id)) {
    return false;
  }
  for (const Node *condition : each(conditions)) {
    if (equal(operation_of(condition).left, id)) {
      return true;
    }
  }
  return false;
}

Node *wanted_time(Statement *statement, const RelOptInfo *rel, const Var *id) {
  List *conditions = NIL;
  for (const auto *order : each<Wanted>(wanted_by(*statement))) {
    if (order->sort == nullptr) {
      continue;
    }
    Node *expression = in_child(statement->root, rel, order->expression);
    conditions = conditions == NIL ? conditions_of(statement->root, rel) : conditions;
    KeyTime time;
    if (read_time(statement, conditions, expression, &time) && time.exact && equal(time.id, id) &&
        is_all_v7(*time.table, NIL, time.id, conditions)) {
      return expression;
    }
  }
  return nullptr;
}

}  // namespace uuidx
