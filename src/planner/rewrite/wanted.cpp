#include "planner/rewrite/wanted.hpp"

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/rewrite/increasing.hpp"

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
  const int strategy = type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID
                           ? strategy_of(op->opno, type)
                           : 0;
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
  for (const List *clauses : each<List>(lists)) {
    for (const auto *sort : each<SortGroupClause>(clauses)) {
      if (sort->tleSortGroupRef == reference) {
        return sort;
      }
    }
  }
  return nullptr;
}

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
  if (proof_of(table, id->varattno) == Proof::all_v7) {
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

// True if an expression has a column, or a PlaceHolderVar, that outer joins may make NULL, and
// which is another one in a scan.
bool has_nulled(Node *node, void * /*context*/) {
  const auto *column = as<Var>(node);
  return node != nullptr && (column != nullptr ? is_nulled(column)
                                               : IsA(node, PlaceHolderVar) ||
                                                     walk_expression(node, has_nulled, nullptr));
}

// Reads an expression as the time of a key, or if the query sorts by it, as what increases with it.
bool read_order(QueryLevel *level, const List *tested, const Order &order, Node *expression,
                KeyTime *time) {
  return read_time(level, tested, expression, time) &&
         (time->exact || (order.sort != nullptr && increases(time->steps, &time->need)));
}

// Adds the time that an expression is, if it is one of a table.
void add_time(QueryLevel *level, const RelOptInfo *rel, const Order &order, Node *expression,
              const Conditions &conditions, List **times) {
  WantedTime wanted;
  KeyTime *time = &wanted.time;
  if (has_nulled(expression, nullptr) ||
      !read_order(level, conditions.tested, order, expression, time) ||
      time->table->rti != rel->relid ||
      list_length(*times) * time->table->parts > kMaxInPartitions) {
    return;
  }
  wanted.order = order;
  wanted.not_null = is_never_null(time->table->rte, time->id->varattno);
  if (time->need != ZoneNeed::nothing && !wanted.not_null) {
    return;  // the condition that checks the zone leaves out NULL
  }
  wanted.all_v7 = is_all_v7(*time->table, time->id, conditions);
  *times = lappend(*times, allocated(wanted));
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
  for (const auto *parent : each<WantedTime>(of_parent)) {
    WantedTime own = *parent;
    own.time.id = as<Var>(nth(info->translated_vars, parent->time.id->varattno - 1));
    own.time.expression = adjust_appendrel_attrs(level->root, parent->time.expression, 1, &info);
    if (own.time.id != nullptr) {
      times = lappend(times, allocated(own));
    }
  }
  return times;
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

bool is_wanted_equal(const QueryLevel &level, Node *expression) {
  for (const auto *target : each<TargetEntry>(level.root->processed_tlist)) {
    if (target->ressortgroupref != 0 && equal(stripped(as_node(target->expr)), expression)) {
      return true;
    }
  }
  return equals_column(as_node(level.root->parse->jointree), expression);
}

// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
List *wanted_times(QueryLevel *level, const RelOptInfo *rel, List *conditions) {
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
                : times_of_child(level, info, wanted_times(level, parent, NIL));
  } else {
    times = times_of_base(level, rel);
  }
  if (rte_of(root, rel->relid)->inh) {
    level->parents = lappend(level->parents, allocated(ParentTimes{rel->relid, times}));
  }
  return times;
}

}  // namespace uuidx
