#include "planner/times/query_orders.hpp"

#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr int kMaxOrders = 100;

// Adds an expression to the orders of a query, unless one that serves as well is there, or too many
// are.
void add_order(List **orders, const Order &order) {
  if (list_length(*orders) == kMaxOrders) {
    return;
  }
  for (auto *known : each<Order>(*orders)) {
    if (equal(known->expression, order.expression) && (!known->range || order.range)) {
      known->joins = known->joins || order.joins;
      return;
    }
  }
  *orders = lappend(*orders, allocated(order));
}

// True if a join tree has more than one table.
bool is_join(const Node *node) {
  const auto *from = as<FromExpr>(node);
  while (from != nullptr && list_length(from->fromlist) == 1) {
    node = nth(from->fromlist, 0);
    from = as<FromExpr>(node);
  }
  return !IsA(node, RangeTblRef);
}

// Adds the sides of comparisons of times, by which tables could be joined.
bool add_joins(Node *node, void *orders) {
  const auto [op, left, right] = operation_of(node);
  const Oid type = op != nullptr && as<Const>(right) == nullptr ? exprType(left) : InvalidOid;
  const int strategy = is_time(type) ? strategy_of(op->opno, type) : 0;
  if (strategy != 0) {
    const bool range = strategy != BTEqualStrategyNumber;
    add_order(static_cast<List **>(orders), {stripped(left), nullptr, true, range});
    add_order(static_cast<List **>(orders), {stripped(right), nullptr, true, range});
  }
  return node != nullptr && walk_expression(node, add_joins, orders);
}

// True if an expression is compared for equality with one that has columns.
bool equals_column(Node *node, void *expression) {
  CHECK_FOR_INTERRUPTS();
  const auto [op, left, right] = operation_of(node);
  if (op != nullptr && strategy_of(op->opno, exprType(left)) == BTEqualStrategyNumber) {
    return (equal(stripped(left), expression) && contain_var_clause(right)) ||
           (equal(stripped(right), expression) && contain_var_clause(left));
  }
  return node != nullptr && walk_expression(node, equals_column, expression);
}

// Returns the sort clause of a query that has a sort group reference; null if it has none.
const SortGroupClause *sort_clause_of(const Query *query, Index reference) {
  List *lists = list_make3(query->sortClause, query->distinctClause, query->groupClause);
  for (const auto *window : each<WindowClause>(query->windowClause)) {
    lists = lappend(lappend(lists, window->orderClause), window->partitionClause);
  }
  const SortGroupClause *sort = nullptr;
  for (List *clauses : each<List>(lists)) {
    sort = sort != nullptr ? sort : get_sortgroupref_clause_noerr(reference, clauses);
  }
  return sort;
}

}  // namespace

const List *orders_of(QueryLevel *level) {
  const PlannerInfo *root = level->root;
  if (!level->knows_orders) {
    for (const auto *target : each<TargetEntry>(root->processed_tlist)) {
      if (target->ressortgroupref != 0) {
        add_order(&level->orders,
                  {as_node(target->expr), sort_clause_of(root->parse, target->ressortgroupref)});
      }
    }
    if (is_join(as_node(root->parse->jointree))) {
      add_joins(as_node(root->parse->jointree), &level->orders);
    }
    level->knows_orders = true;
  }
  return level->orders;
}

bool is_used_elsewhere(const QueryLevel &level, Node *expression) {
  for (const auto *target : each<TargetEntry>(level.root->processed_tlist)) {
    if (target->ressortgroupref != 0 && equal(stripped(as_node(target->expr)), expression)) {
      return true;
    }
  }
  return equals_column(as_node(level.root->parse->jointree), expression);
}

}  // namespace uuidx
