#include "planner/orders/time_orders.hpp"

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/orders/increasing.hpp"

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

// Adds the conditions of a join tree, before they are distributed, that become those of the scan of
// a table. Returns false if the table is not in the tree, or an outer join can make its columns
// NULL: conditions above that are tested there, which columns do not say before PostgreSQL 16.
// NOLINTNEXTLINE(misc-no-recursion): join trees are trees.
bool add_conditions(const Node *node, Index rti, List **conditions) {
  if (const auto *table = as<RangeTblRef>(node)) {
    return static_cast<Index>(table->rtindex) == rti;
  }
  const Node *quals = nullptr;
  bool found = false;
  if (const auto *from = as<FromExpr>(node)) {
    for (const Node *item : each(from->fromlist)) {
      found = found || add_conditions(item, rti, conditions);
    }
    quals = from->quals;
  } else if (const auto *join = as<JoinExpr>(node);
             join != nullptr && join->jointype == JOIN_INNER) {
    found =
        add_conditions(join->larg, rti, conditions) || add_conditions(join->rarg, rti, conditions);
    quals = join->quals;
  } else if (join != nullptr && join->jointype != JOIN_FULL) {
    // PostgreSQL has made LEFT of RIGHT. The conditions of such a join do not limit this side.
    return add_conditions(join->larg, rti, conditions);
  }
  if (found) {
    *conditions = list_concat(*conditions, reinterpret_cast<const List *>(quals));
  }
  return found;
}

// Conditions that are joined by AND, and the columns whose version they test.
struct Conditions {
  explicit Conditions(const List *conditions)
      : all(conditions), tested(tested_columns(conditions)) {}
  const List *all;
  const List *tested;
};

// True if all keys in a column that the query reads are of version 7: by the table, or by a
// condition, if another one on the column limits a scan. Without that, a scan could read all keys
// of version 4, most of which are above every time, before the first match.
bool is_all_v7(const KeyTable &table, const Var *id, const Conditions &conditions) {
  if (is_all_v7(table, id)) {
    return true;
  }
  if (!list_member(conditions.tested, id)) {
    return false;
  }
  for (const Node *condition : each(conditions.all)) {
    if (equal(operation_of(condition).left, id)) {
      return true;
    }
  }
  return false;
}

// Adds the time that an expression is, if it is one of a table, or if the query sorts by it, what
// increases with the time.
void add_time(QueryLevel *level, const RelOptInfo *rel, const Order &order, Node *expression,
              const Conditions &conditions, List **times) {
  TimeOrder found;
  KeyTime *time = &found.time;
  if (has_nulled(expression, nullptr) || !read_time(level, conditions.tested, expression, time) ||
      time->table->rti != rel->relid ||
      !(time->exact || (order.sort != nullptr && increases(time->steps, &time->need))) ||
      list_length(*times) * time->table->parts > kMaxInPartitions) {
    return;
  }
  found.order = order;
  found.not_null = has_column(time->table->facts.never_null, time->id->varattno);
  if (time->need != ZoneNeed::nothing && !found.not_null) {
    return;  // the condition that checks the zone leaves out NULL
  }
  found.all_v7 = is_all_v7(*time->table, time->id, conditions);
  *times = lappend(*times, allocated(found));
}

// Returns the times of a table in the FROM clause.
List *times_of_base(QueryLevel *level, const RelOptInfo *rel) {
  List *times = NIL;
  const List *orders = orders_of(level);
  List *found = NIL;
  if (orders != NIL) {
    add_conditions(as_node(level->root->parse->jointree), rel->relid, &found);
  }
  const Conditions conditions(found);
  for (const auto *order : each<Order>(orders)) {
    // Other comparisons than equalities have been rewritten.
    if (!order->range) {
      add_time(level, rel, *order, order->expression, conditions, &times);
    }
  }
  return times;
}

// Returns the times of a member of a UNION ALL, whose columns have other expressions. Before the
// minor releases of November 2024, PostgreSQL fails to merge members in the order of what a query
// computes from a column.
List *times_of_member(QueryLevel *level, const RelOptInfo *rel, AppendRelInfo *info,
                      const Conditions &conditions) {
  List *times = NIL;
  for (const auto *order : each<Order>(orders_of(level))) {
    if ((as<Var>(order->expression) != nullptr || has_minor(9, 5, 1, 0)) &&
        !has_nulled(order->expression, nullptr) &&
        bms_is_member(static_cast<int>(info->parent_relid),
                      pull_varnos(level->root, order->expression))) {
      Node *own = adjust_appendrel_attrs(level->root, order->expression, 1, &info);
      add_time(level, rel, *order, own, conditions, &times);
    }
  }
  return times;
}

// Returns the times of a child table, those of its parent in its own columns.
List *times_of_child(QueryLevel *level, AppendRelInfo *info, const List *of_parent) {
  List *times = NIL;
  for (const auto *parent : each<TimeOrder>(of_parent)) {
    TimeOrder own = *parent;
    own.time.id = as<Var>(nth(info->translated_vars, parent->time.id->varattno - 1));
    own.time.expression = adjust_appendrel_attrs(level->root, parent->time.expression, 1, &info);
    if (own.time.id != nullptr) {
      times = lappend(times, allocated(own));
    }
  }
  return times;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
List *time_orders_of(QueryLevel *level, const RelOptInfo *rel, List *conditions) {
  for (const auto *known : each<ParentTimes>(level->parents)) {
    if (known->rti == rel->relid) {
      return known->times;
    }
  }
  const PlannerInfo *root = level->root;
  List *times = NIL;
  if (rel->reloptkind == RELOPT_OTHER_MEMBER_REL) {
    AppendRelInfo *info = root->append_rel_array[rel->relid];
    const RelOptInfo *parent = root->simple_rel_array[info->parent_relid];
    times = rte_of(root, info->parent_relid)->rtekind == RTE_SUBQUERY
                ? times_of_member(level, rel, info, Conditions(conditions))
                : times_of_child(level, info, time_orders_of(level, parent, NIL));
  } else {
    times = times_of_base(level, rel);
  }
  if (rte_of(root, rel->relid)->inh) {
    level->parents = lappend(level->parents, allocated(ParentTimes{rel->relid, times}));
  }
  return times;
}

}  // namespace uuidx
