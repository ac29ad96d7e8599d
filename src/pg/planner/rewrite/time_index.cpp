#include "pg/planner/rewrite/time_index.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/clauses.hpp"
#include "pg/planner/rewrite/conditions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/index_selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// An order that a query may use.
struct Wanted {
  Node *expression = nullptr;
  const SortGroupClause *sort = nullptr;  // null for a join
};

// Adds an expression to the orders that a query may use.
void want(List **orders, Node *expression, const SortGroupClause *sort) {
  auto *wanted = static_cast<Wanted *>(palloc(sizeof(Wanted)));
  *wanted = {expression, sort};
  *orders = lappend(*orders, wanted);
}

// Adds the sides of equalities of times, by which a merge join could be made.
bool want_joins(Node *node, void *orders) {
  const auto *op = as<OpExpr>(node);
  if (op != nullptr && list_length(op->args) == 2 && exprType(nth(op->args, 0)) == TIMESTAMPTZOID &&
      as<Const>(nth(op->args, 1)) == nullptr &&
      strategy_of(op->opno, TIMESTAMPTZOID) == BTEqualStrategyNumber) {
    want(static_cast<List **>(orders), nth(op->args, 0), nullptr);
    want(static_cast<List **>(orders), nth(op->args, 1), nullptr);
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

// Returns all orders that a query may use, those of its result first.
List *wanted_by(Statement *statement) {
  const PlannerInfo *root = statement->root;
  List *orders = NIL;  // of Wanted
  for (const auto *target : each<TargetEntry>(root->processed_tlist)) {
    if (target->ressortgroupref != 0) {
      want(&orders, as_node(target->expr), sort_clause_of(root->parse, target->ressortgroupref));
    }
  }
  if (list_length(root->parse->rtable) > 1) {
    want_joins(as_node(root->parse->jointree), &orders);
  }
  return orders;
}

// Returns an expression of a query as one of a child table, whose parents it may name; the same one
// for a table that is no child.
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

// Returns the conditions of a table that has been read, with those of its parents.
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

// True if all keys in a column that a scan returns are of version 7: by the table, by the predicate
// of the index, or by a condition of the query, if another one on the column limits the scan.
// Without that, it could read all keys of version 4, most of which are above every time, before the
// first match.
bool is_all_v7(const KeyTable &table, const List *predicate, const Var *id, List *conditions) {
  if (proof_of(table, id->varattno) == Proof::all_v7 || tests_version(predicate, id)) {
    return true;
  }
  if (!tests_version(conditions, id)) {
    return false;
  }
  for (const Node *condition : each(conditions)) {
    const List *args = args_of(condition);
    if (as<OpExpr>(condition) != nullptr && list_length(args) == 2 && equal(nth(args, 0), id)) {
      return true;
    }
  }
  return false;
}

// A copy of an index. It is recognized by its cost function.
struct TimeIndex {
  IndexOptInfo info;
  IndexOptInfo *original = nullptr;
  Functions functions;
  KeyTime time;
  bool all_v7 = false;  // the keys that a scan returns are of version 7
};

void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages);

// Returns an index as the copy that it is; null if it is none.
TimeIndex *time_index(IndexOptInfo *index) {
  const auto copied = reinterpret_cast<decltype(index->amcostestimate)>(estimate_cost);
  return index->amcostestimate == copied ? reinterpret_cast<TimeIndex *>(index) : nullptr;
}

// Returns a comparison of the key for a bound of a time that no key has, which is false or, as the
// test of the version, true of all keys of version 7.
Node *compare_with_nil(const TimeIndex &index, const Node *bound) {
  const int strategy =
      as<Const>(bound) != nullptr ? BTLessStrategyNumber : BTGreaterEqualStrategyNumber;
  return as_node(compare_ids(
      as_node(index.time.id), strategy,
      as_expr(makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(kNil), false, false))));
}

// Returns a condition on the time as conditions on the key; the same one if it is on another
// column. For the cost, both bounds of one time count as an equality with the key.
List *key_conditions(PlannerInfo *root, const TimeIndex &index, RestrictInfo *condition,
                     bool for_cost) {
  const auto *op = as<OpExpr>(condition->clause);
  if (op == nullptr || list_length(op->args) != 2 ||
      !equal(nth(op->args, 0), index.time.expression)) {
    return list_make1(condition);
  }
  Statement statement;
  statement.root = root;
  statement.functions = index.functions;
  const Comparison read{index.time, strategy_of(op->opno, index.time.type),
                        as_expr(nth(op->args, 1))};
  List *bounds = NIL;
  for (Node *bound : each(bounds_of_id(statement, read))) {
    bounds = lappend(bounds, as<OpExpr>(bound) != nullptr ? bound : compare_with_nil(index, bound));
  }
  if (for_cost && list_length(bounds) == 2) {
    const List *lower = args_of(nth(bounds, 0));
    bounds = list_make1(compare_ids(nth(lower, 0), BTEqualStrategyNumber, as_expr(nth(lower, 1))));
  }
  List *conditions = NIL;
  for (Node *bound : each(bounds)) {
    conditions = lappend(conditions, make_simple_restrictinfo(root, as_expr(bound)));
  }
  return conditions;
}

// Returns the conditions of a scan of a copy as those of a scan of the index itself.
List *restored_conditions(PlannerInfo *root, const TimeIndex &index, const List *conditions,
                          bool for_cost) {
  List *restored = NIL;
  for (const auto *condition : each<IndexClause>(conditions)) {
    auto *own = makeNode(IndexClause);
    *own = *condition;
    own->indexquals = NIL;
    for (auto *qual : each<RestrictInfo>(condition->indexquals)) {
      List *conditions_on_key = key_conditions(root, index, qual, for_cost);
      // The bounds of a time also admit keys of other versions.
      own->lossy = own->lossy || (linitial(conditions_on_key) != qual && !index.all_v7);
      own->indexquals = list_concat(own->indexquals, conditions_on_key);
    }
    restored = lappend(restored, own);
  }
  return restored;
}

// Estimates the cost of a scan of a copy as that of the index itself: the access method looks for
// the statistics of the columns.
void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages) {
  const TimeIndex *index = time_index(path->indexinfo);
  IndexPath counted = *path;
  counted.indexinfo = index->original;
  counted.indexclauses = restored_conditions(root, *index, path->indexclauses, true);
  btcostestimate(root, &counted, loop_count, startup_cost, total_cost, selectivity, correlation,
                 pages);
}

// Returns a copy of the first elements of an array, with room for one more.
template <typename T>
T *copied(const T *from, int count) {
  auto *copy = static_cast<T *>(palloc(sizeof(T) * (static_cast<std::size_t>(count) + 1)));
  std::copy_n(from, count, copy);
  return copy;
}

// Returns a copy of an index up to a column, in which this column is in the order of its time. What
// follows in the index is in order only within equal keys. Uniqueness and bitmaps would only repeat
// those of the index itself.
IndexOptInfo *copy_index(const Statement &statement, IndexOptInfo *index, int column,
                         const KeyTime &time) {
  auto *copy = static_cast<TimeIndex *>(palloc0(sizeof(TimeIndex)));
  copy->info = *index;
  copy->original = index;
  copy->functions = statement.functions;
  copy->time = time;
  IndexOptInfo *info = &copy->info;
  info->nkeycolumns = column + 1;
  info->sortopfamily = copied(index->sortopfamily, column + 1);
  info->opcintype = copied(index->opcintype, column + 1);
  info->nulls_first = copied(index->nulls_first, column + 1);
  info->sortopfamily[column] = family_of(time.type);
  info->opcintype[column] = time.type;
  info->indextlist = list_copy(index->indextlist);
  ListCell *cell = list_nth_cell(info->indextlist, column);
  auto *target = flatCopyTargetEntry(static_cast<TargetEntry *>(lfirst(cell)));
  target->expr = as_expr(time.expression);
  lfirst(cell) = target;
  info->unique = false;
  info->amhasgetbitmap = false;
  info->amcostestimate = reinterpret_cast<decltype(info->amcostestimate)>(estimate_cost);
  return info;
}

// Returns a copy for an order.
IndexOptInfo *copy_for_order(const Statement &statement, IndexOptInfo *index, int column,
                             const KeyTime &time, const SortGroupClause *sort, bool not_null) {
  IndexOptInfo *copy = copy_index(statement, index, column, time);
  if (not_null && sort != nullptr) {
    // Without NULL, either place of it is right. ORMs add NULLS LAST to DESC.
    const bool descending = strategy_of(sort->sortop, time.type) == BTGreaterStrategyNumber;
    copy->nulls_first[column] = (descending != index->reverse_sort[column]) != sort->nulls_first;
  }
  return copy;
}

// Returns a copy for equalities.
IndexOptInfo *copy_for_join(const Statement &statement, IndexOptInfo *index, int column,
                            const KeyTime &time, bool all_v7) {
  IndexOptInfo *copy = copy_index(statement, index, column, time);
  time_index(copy)->all_v7 = all_v7;
  // In the order of its keys, which is another one if they are of other versions.
  copy->sortopfamily = nullptr;
  copy->indexkeys = copied(index->indexkeys, index->ncolumns);
  copy->indexkeys[column] = 0;
  // The expressions of the columns before it come first.
  int before = 0;
  for (int i = 0; i < column; ++i) {
    before += index->indexkeys[i] == 0 ? 1 : 0;
  }
  copy->indexprs = list_insert_nth(list_copy(index->indexprs), before, time.expression);
  copy->opfamily = copied(index->opfamily, index->ncolumns);
  copy->opfamily[column] = family_of(time.type);
  // The key itself can be returned without reading the table, as from an included column.
  copy->ncolumns = index->ncolumns + 1;
  copy->indexkeys[index->ncolumns] = time.id->varattno;
  copy->canreturn = copied(index->canreturn, index->ncolumns);
  copy->canreturn[index->ncolumns] = index->canreturn[column];
  // Estimates take the time for unique, as the key is, but not proofs.
  copy->unique = index->unique;
  copy->immediate = false;
  // No comparisons of rows, arrays or NULL, which could not be restored.
  copy->relam = InvalidOid;
  copy->amsearcharray = false;
  copy->amsearchnulls = false;
  return copy;
}

// Returns the position of a column among the key columns of a B-tree; -1 if it is not there.
int position_in(const IndexOptInfo *index, AttrNumber column) {
  // From PostgreSQL 16 on, those of partitioned tables are here, too, without their order.
  if (index->relam != BTREE_AM_OID || index->sortopfamily == nullptr) {
    return -1;
  }
  for (int i = 0; i < index->nkeycolumns; ++i) {
    if (index->indexkeys[i] == column && index->opcintype[i] == UUIDOID) {
      return i;
    }
  }
  return -1;
}

// Adds the copies for one order.
void add_copies(Statement *statement, RelOptInfo *rel, const List *indexes, const Wanted &wanted,
                List **conditions) {
  Node *expression = in_child(statement->root, rel, wanted.expression);
  if (*conditions == NIL) {
    *conditions = conditions_of(statement->root, rel);
  }
  KeyTime time;
  if (!read_time(statement, *conditions, expression, &time) || !time.exact ||
      time.table->varno != rel->relid) {
    return;
  }
  const Query *query = statement->root->parse;
  const bool not_null = is_not_null(rel, time.table->entry, time.id->varattno);
  for (auto *index : each<IndexOptInfo>(indexes)) {
    const int column = position_in(index, time.id->varattno);
    if (column < 0) {
      continue;
    }
    const bool all_v7 = is_all_v7(*time.table, index->indpred, time.id, *conditions);
    if (all_v7) {
      rel->indexlist = lappend(
          rel->indexlist, copy_for_order(*statement, index, column, time, wanted.sort, not_null));
    }
    if (wanted.sort == nullptr || query->groupClause != NIL || query->distinctClause != NIL) {
      rel->indexlist =
          lappend(rel->indexlist, copy_for_join(*statement, index, column, time, all_v7));
    }
  }
}

}  // namespace

void add_time_indexes(Statement *statement, RelOptInfo *rel) {
  const List *indexes = list_copy(rel->indexlist);
  List *wanted = indexes != NIL ? wanted_by(statement) : NIL;
  List *conditions = NIL;
  List *done = NIL;
  for (const auto *order : each<Wanted>(wanted)) {
    if (!list_member(done, order->expression)) {
      done = lappend(done, order->expression);
      add_copies(statement, rel, indexes, *order, &conditions);
    }
  }
}

Node *wanted_time(Statement *statement, const RelOptInfo *rel, const Var *id) {
  List *conditions = NIL;
  for (const auto *order : each<Wanted>(wanted_by(statement))) {
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

void restore_indexes(PlannerInfo *root, const RelOptInfo *rel) {
  for (const List *paths : {rel->pathlist, rel->partial_pathlist}) {
    for (Node *node : each(paths)) {
      auto *path = as<IndexPath>(node);
      const TimeIndex *index = path != nullptr ? time_index(path->indexinfo) : nullptr;
      if (index != nullptr) {
        path->indexinfo = index->original;
        path->indexclauses = restored_conditions(root, *index, path->indexclauses, false);
      }
    }
  }
}

}  // namespace uuidx
