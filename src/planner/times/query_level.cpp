#include "planner/times/query_level.hpp"

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/union_all.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Marks the callback by which the memory of a query level, while it lasts, has the level.
void end_level(void * /*level*/) {}

// Reads the stored times of the query's tables, on which the query holds locks.
void read_stored_columns(QueryLevel *level) {
  Index rti = 0;
  for (const auto *rte : each<RangeTblEntry>(level->root->parse->rtable)) {
    ++rti;
    if (rte->rtekind != RTE_RELATION || rte->relkind == RELKIND_VIEW ||
        rte_of(level->root, rti) == nullptr) {
      continue;
    }
    Relation table = table_open(rte->relid, NoLock);
    const TupleConstr *constraints = RelationGetDescr(table)->constr;
    if (constraints != nullptr &&
        (constraints->has_generated_stored || constraints->num_check > 0)) {
      List *times = facts_of(level->root, table).stored_times;
      for (auto *stored : each<StoredTime>(times)) {
        stored->table = rti;
      }
      level->stored = list_concat(level->stored, times);
    }
    table_close(table, NoLock);
  }
}

// True if an expression has a time of a key, or tests the version of one.
bool has_time(Node *node, void *context) {
  CHECK_FOR_INTERRUPTS();
  const auto *level = static_cast<const QueryLevel *>(context);
  if (const auto *column = as<Var>(node)) {
    return stored_time(*level, static_cast<Index>(column->varno), column->varattno) != nullptr;
  }
  const auto *call = as<FuncExpr>(node);
  const FunctionKind kind = call != nullptr ? kind_of(call->funcid) : FunctionKind::other;
  return kind != FunctionKind::other ||
         (node != nullptr && walk_expression(node, has_time, context));
}

// True if any expression of a level has a time of a key: its conditions, those of row level
// security and of views with security_barrier, what it sorts and groups by, and what members of a
// UNION ALL compute.
bool has_any_time(QueryLevel *level) {
  const PlannerInfo *root = level->root;
  if (has_time(as_node(root->parse->jointree), level) ||
      has_time(as_node(root->append_rel_list), level)) {
    return true;
  }
  for (const auto *target : each<TargetEntry>(root->processed_tlist)) {
    if (target->ressortgroupref != 0 && has_time(as_node(target->expr), level)) {
      return true;
    }
  }
  for (const auto *rte : each<RangeTblEntry>(root->parse->rtable)) {
    if (has_time(as_node(rte->securityQuals), level)) {
      return true;
    }
  }
  return false;
}

// True if a join tree has an outer join.
bool has_outer_join(Node *node, void *context) {
  const auto *join = as<JoinExpr>(node);
  return (join != nullptr && IS_OUTER_JOIN(join->jointype)) ||
         (node != nullptr && walk_expression(node, has_outer_join, context));
}

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
Node *strip_below(Node *node, void *context) {
  if (node != nullptr && is_noop_placeholder(node)) {
    return strip_below(as_node(reinterpret_cast<PlaceHolderVar *>(node)->phexpr), context);
  }
  return node != nullptr ? mutate_expression(node, strip_below, context) : nullptr;
}

bool has_placeholder(Node *node, void *context) {
  return node != nullptr &&
         (is_noop_placeholder(node) || walk_expression(node, has_placeholder, context));
}

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

QueryLevel *known_level(const PlannerInfo *root) {
  MemoryContext memory = planning_memory(root);
  const auto *callback = find_callback(memory != nullptr ? memory->reset_cbs : nullptr, end_level);
  for (; callback != nullptr; callback = find_callback(callback->next, end_level)) {
    auto *level = static_cast<QueryLevel *>(callback->arg);
    if (level->root == root) {
      return level;
    }
  }
  return nullptr;
}

QueryLevel *level_of(PlannerInfo *root) {
  if (QueryLevel *known = known_level(root)) {
    return known;
  }
  MemoryContext before = MemoryContextSwitchTo(planning_memory(root));
  QueryLevel *level = allocated(QueryLevel{});
  level->root = root;
  read_stored_columns(level);
  level->has_times = has_any_time(level) && find_functions(root, &level->functions);
  if (level->has_times) {
    add_keys_of_unions(level);
  }
  MemoryContextSwitchTo(before);
  level->callback = {end_level, level, nullptr};
  MemoryContextRegisterResetCallback(planning_memory(root), &level->callback);
  return level;
}

const RangeTblEntry *rte_of(const PlannerInfo *root, Index rti) {
  const auto size = static_cast<Index>(root->simple_rel_array_size);
  return rti > 0 && rti < size ? root->simple_rte_array[rti] : nullptr;
}

Node *stripped(Node *node) {
  if (has_placeholder(node, nullptr)) {
    node = strip_below(node, nullptr);
  }
  while (const auto *relabeled = as<RelabelType>(node)) {
    node = as_node(relabeled->arg);
  }
  return node;
}

const StoredTime *stored_time(const QueryLevel &level, Index table, AttrNumber column) {
  for (const auto *stored : each<StoredTime>(level.stored)) {
    if (stored->table == table && stored->column == column) {
      return stored;
    }
  }
  return nullptr;
}

const Var *id_of(const QueryLevel &level, Node *node) {
  const auto *var = as<Var>(stripped(node));
  if (var == nullptr || var->vartype != UUIDOID || var->varattno <= 0) {
    return nullptr;
  }
  const RangeTblEntry *rte = rte_of(level.root, static_cast<Index>(var->varno));
  return rte != nullptr && (rte->rtekind == RTE_RELATION || is_union_all(*rte)) ? var : nullptr;
}

KeyTable *table_of(QueryLevel *level, const Var *id) {
  const auto rti = static_cast<Index>(id->varno);
  for (KeyTable *table : each<KeyTable>(level->tables)) {
    if (table->rti == rti) {
      return table;
    }
  }
  const RangeTblEntry *rte = rte_of(level->root, rti);
  KeyTable *table = allocated(is_union_all(*rte) ? read_union_all(level, rti, rte)
                                                 : read_key_table(level->root, rti, rte));
  level->tables = lappend(level->tables, table);
  return table;
}

bool is_below_outer_join(const QueryLevel &level, const Var *column) {
  return kKnowsNulled ? is_nulled(column)
                      : has_outer_join(as_node(level.root->parse->jointree), nullptr);
}

bool has_nulled(Node *node, void * /*context*/) {
  const auto *column = as<Var>(node);
  return node != nullptr && (column != nullptr ? is_nulled(column)
                                               : IsA(node, PlaceHolderVar) ||
                                                     walk_expression(node, has_nulled, nullptr));
}

bool is_never_null(QueryLevel *level, const Var *id) {
  return !is_below_outer_join(*level, id) &&
         has_column(table_of(level, id)->facts.never_null, id->varattno);
}

Node *stored_expression(const QueryLevel &level, const Var *column, Reach *tolerance) {
  const auto table = static_cast<Index>(column->varno);
  if (const RangeTblEntry *rte = rte_of(level.root, table); rte != nullptr && is_union_all(*rte)) {
    return common_expression(level, column, tolerance);
  }
  const StoredTime *stored = stored_time(level, table, column->varattno);
  if (stored == nullptr) {
    return nullptr;
  }
  *tolerance = stored->tolerance;
  Node *expression = copy_of(stored->expression);
  ChangeVarNodes(expression, 1, static_cast<int>(column->varno), 0);
  return with_nulling_relids(expression, column);
}

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
