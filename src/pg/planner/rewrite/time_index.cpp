#include "pg/planner/rewrite/time_index.hpp"

#include <algorithm>

#include "pg/compat.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/clauses.hpp"

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

// What is looked for in conditions.
struct Search {
  Statement *statement = nullptr;
  List *wanted = NIL;  // of Wanted
};

// Adds an expression to the orders that a query may use.
void want(Search *search, Node *expression, const SortGroupClause *sort) {
  auto *wanted = static_cast<Wanted *>(palloc(sizeof(Wanted)));
  *wanted = {expression, sort};
  search->wanted = lappend(search->wanted, wanted);
}

// Adds the sides of equalities of times, by which a merge join could be made.
bool want_joins(Node *node, void *context) {
  auto *search = static_cast<Search *>(context);
  const auto *op = as<OpExpr>(node);
  if (op != nullptr && list_length(op->args) == 2 && exprType(nth(op->args, 0)) == TIMESTAMPTZOID &&
      as<Const>(nth(op->args, 1)) == nullptr &&
      strategy_of(op->opno, TIMESTAMPTZOID) == BTEqualStrategyNumber) {
    want(search, nth(op->args, 0), nullptr);
    want(search, nth(op->args, 1), nullptr);
  }
  return node != nullptr && walk_expression(node, want_joins, context);
}

// Returns the sort clause of a query that has a sort group reference; null if it has none.
const SortGroupClause *sort_clause_of(const Query *query, Index reference) {
  for (const List *clauses : {query->sortClause, query->distinctClause}) {
    for (const auto *sort : each<SortGroupClause>(clauses)) {
      if (sort->tleSortGroupRef == reference) {
        return sort;
      }
    }
  }
  return nullptr;
}

// Returns all orders that a query may use.
List *wanted_by(Statement *statement) {
  const PlannerInfo *root = statement->root;
  Search search{statement, NIL};
  for (const auto *target : each<TargetEntry>(root->processed_tlist)) {
    if (target->ressortgroupref != 0) {
      want(&search, as_node(target->expr), sort_clause_of(root->parse, target->ressortgroupref));
    }
  }
  if (list_length(root->parse->rtable) > 1) {
    want_joins(as_node(root->parse->jointree), &search);
  }
  return search.wanted;
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
bool is_all_v7(const KeyTable &table, const IndexOptInfo *index, const Var *id, List *conditions) {
  if (proof_of(table, id->varattno) == Proof::all_v7 || tests_version(index->indpred, id)) {
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

// Returns the index itself for one of its copies, which come after it.
IndexOptInfo *original_of(const IndexOptInfo *index) {
  for (auto *other : each<IndexOptInfo>(index->rel->indexlist)) {
    if (other->indexoid == index->indexoid) {
      return other;
    }
  }
  return nullptr;
}

// Returns the bound of a comparison that is an index condition; null if it is no call.
const FuncExpr *bound_of(const RestrictInfo *condition) {
  const List *args = args_of(as_node(condition->clause));
  return list_length(args) == 2 ? as<FuncExpr>(nth(args, 1)) : nullptr;
}

// Returns the conditions of a scan as they should be counted: both bounds of one time that is only
// known in a join as an equality, as if the column were the time. PostgreSQL would assume half a
// percent of the table.
List *counted_conditions(PlannerInfo *root, const List *conditions) {
  List *counted = NIL;
  for (auto *condition : each<IndexClause>(conditions)) {
    const bool two = list_length(condition->indexquals) == 2;
    const auto *lower = two ? bound_of(nth<RestrictInfo>(condition->indexquals, 0)) : nullptr;
    const auto *upper = two ? bound_of(nth<RestrictInfo>(condition->indexquals, 1)) : nullptr;
    if (lower != nullptr && upper != nullptr && equal(lower->args, upper->args)) {
      const List *args = args_of(as_node(nth<RestrictInfo>(condition->indexquals, 0)->clause));
      auto *equality =
          as_expr(compare_ids(nth(args, 0), BTEqualStrategyNumber, copy_of_expr(lower)));
      auto *one = makeNode(IndexClause);
      *one = *condition;
      one->indexquals = list_make1(make_simple_restrictinfo(root, equality));
      condition = one;
    }
    counted = lappend(counted, condition);
  }
  return counted;
}

// Estimates the cost of a scan of an index on a key or of its copy, for which the access method
// would find no statistics.
void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages) {
  IndexPath counted = *path;
  counted.indexinfo = original_of(path->indexinfo);
  counted.indexclauses = counted_conditions(root, path->indexclauses);
  btcostestimate(root, &counted, loop_count, startup_cost, total_cost, selectivity, correlation,
                 pages);
}

// Returns a copy of the first columns of an array.
template <typename T>
T *first_columns(const T *from, int count) {
  auto *copy = static_cast<T *>(palloc(sizeof(T) * static_cast<std::size_t>(count)));
  std::copy_n(from, count, copy);
  return copy;
}

// Returns an index up to a column, as one of the column's time. What follows in the index is in
// order only within equal keys. Nothing else is changed, so conditions on the key are found as
// before.
IndexOptInfo *copy_for_time(const IndexOptInfo *index, int column, const Wanted &wanted, Node *time,
                            bool not_null) {
  auto *copy = makeNode(IndexOptInfo);
  *copy = *index;
  copy->nkeycolumns = column + 1;
  copy->sortopfamily = first_columns(index->sortopfamily, index->nkeycolumns);
  copy->opcintype = first_columns(index->opcintype, index->nkeycolumns);
  copy->nulls_first = first_columns(index->nulls_first, index->nkeycolumns);
  copy->sortopfamily[column] = family_of(exprType(time));
  copy->opcintype[column] = exprType(time);
  if (not_null && wanted.sort != nullptr) {
    // Without NULL, either place of it is right. ORMs add NULLS LAST to DESC.
    const bool descending =
        strategy_of(wanted.sort->sortop, exprType(time)) == BTGreaterStrategyNumber;
    copy->nulls_first[column] = descending != index->reverse_sort[column]
                                    ? !wanted.sort->nulls_first
                                    : wanted.sort->nulls_first;
  }
  copy->indextlist = list_copy(index->indextlist);
  ListCell *cell = list_nth_cell(copy->indextlist, column);
  auto *target = flatCopyTargetEntry(static_cast<TargetEntry *>(lfirst(cell)));
  target->expr = as_expr(time);
  lfirst(cell) = target;
  // Uniqueness and bitmaps would only repeat those of the index itself.
  copy->unique = false;
  copy->amhasgetbitmap = false;
  copy->amcostestimate = reinterpret_cast<decltype(copy->amcostestimate)>(estimate_cost);
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
  for (auto *index : each<IndexOptInfo>(indexes)) {
    const int column = position_in(index, time.id->varattno);
    if (column >= 0 && wanted.sort == nullptr) {
      index->amcostestimate = reinterpret_cast<decltype(index->amcostestimate)>(estimate_cost);
    }
    if (column >= 0 && is_all_v7(*time.table, index, time.id, *conditions)) {
      rel->indexlist = lappend(
          rel->indexlist, copy_for_time(index, column, wanted, expression,
                                        is_not_null(rel, time.table->entry, time.id->varattno)));
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

void restore_indexes(const RelOptInfo *rel) {
  for (const List *paths : {rel->pathlist, rel->partial_pathlist}) {
    for (Node *node : each(paths)) {
      if (auto *path = as<IndexPath>(node)) {
        path->indexinfo = original_of(path->indexinfo);
      }
    }
  }
}

}  // namespace uuidx
