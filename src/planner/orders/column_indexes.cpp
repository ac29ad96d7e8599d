#include "planner/orders/column_indexes.hpp"

#include "planner/nodes.hpp"
#include "planner/statistics/column_constants.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the column of the query that a column of a table is, which may be a partition; none for
// an expression, whose number is 0, and for a column that the parent has not.
TableColumn in_query(const PlannerInfo *root, Index rti, int number) {
  const auto *parents = root->append_rel_array;
  while (number > 0 && parents != nullptr && parents[rti] != nullptr) {
    const AppendRelInfo *info = parents[rti];
    number = number <= info->num_child_cols ? info->parent_colnos[number - 1] : 0;
    rti = info->parent_relid;
  }
  return number > 0 ? TableColumn{rti, static_cast<AttrNumber>(number)} : TableColumn{};
}

// True if a column is a time on which each condition gives bounds to an indexed key.
bool is_bounded(const QueryLevel &level, TableColumn column) {
  const StoredTime *stored =
      column.table != 0 ? stored_time(level, column.table, column.number) : nullptr;
  if (stored == nullptr) {
    return false;
  }
  for (const auto *unbounded : each<Var>(level.unbounded)) {
    if (static_cast<Index>(unbounded->varno) == column.table &&
        unbounded->varattno == column.number) {
      return false;
    }
  }
  Bitmapset *key = nullptr;
  pull_varattnos(stored->expression, 1, &key);
  for (const auto *table : each<KeyTable>(level.tables)) {
    if (table->rti == column.table) {
      return bms_overlap(key, table->first_columns);
    }
  }
  return false;
}

// True if a condition only offers bounds of a key, which conditions beside it imply. Of others,
// uuid_condition() has the time itself.
bool offers_bounds(const QueryLevel &level, const RestrictInfo *condition) {
  const auto *call = as<FuncExpr>(as_node(condition->clause));
  if (call == nullptr || call->funcid != level.functions.condition) {
    return false;
  }
  for (Node *clause : each(make_ands_implicit(as_expr(nth(call->args, 1))))) {
    const auto [op, left, right] = operation_of(clause);
    if (op == nullptr || strategy_of(op->opno, UUIDOID) == 0 || !equal(left, nth(call->args, 0)) ||
        contain_var_clause(right)) {
      return false;
    }
  }
  return true;
}

// True if an index returns all columns that are returned by the scan of a table, or tested.
bool returns_all(const IndexOptInfo *index, const RelOptInfo *rel, const List *conditions) {
  Bitmapset *needed = nullptr;
  pull_varattnos(reinterpret_cast<Node *>(rel->reltarget->exprs), rel->relid, &needed);
  for (const auto *condition : each<RestrictInfo>(conditions)) {
    pull_varattnos(as_node(condition->clause), rel->relid, &needed);
  }
  Bitmapset *returned = nullptr;
  for (int i = 0; i < index->ncolumns; ++i) {
    if (index->indexkeys[i] != 0 && index->canreturn[i]) {
      returned = bms_add_member(returned, index->indexkeys[i] - FirstLowInvalidHeapAttributeNumber);
    }
  }
  return bms_is_subset(needed, returned);
}

// Returns conditions without those that only offer bounds of a key.
List *without_bounds(const QueryLevel &level, const List *conditions) {
  List *others = NIL;
  for (auto *condition : each<RestrictInfo>(conditions)) {
    if (!offers_bounds(level, condition)) {
      others = lappend(others, condition);
    }
  }
  return others;
}

}  // namespace

void hide_trailing_times(const QueryLevel &level, const RelOptInfo *rel) {
  const PlannerInfo *root = level.root;
  if (level.stored == NIL || rte_of(root, rel->relid)->inh) {
    return;
  }
  for (auto *index : each<IndexOptInfo>(rel->indexlist)) {
    if (index->relam != BTREE_AM_OID) {
      continue;
    }
    const TableColumn first = in_query(root, rel->relid, index->indexkeys[0]);
    for (int i = 1; first.table != 0 && i < index->nkeycolumns; ++i) {
      if (is_bounded(level, in_query(root, rel->relid, index->indexkeys[i])) &&
          !has_column(named_columns(root, rte_of(root, first.table)), first.number)) {
        if (index->opfamily == index->sortopfamily) {
          index->opfamily = copy_array(index->opfamily, index->nkeycolumns);
        }
        index->opfamily[i] = family_of(UUIDOID);  // which has no operator of a time
      }
    }
  }
}

void show_trailing_times(IndexOptInfo *index) {
  if (index->relam == BTREE_AM_OID && index->sortopfamily != nullptr) {
    index->opfamily = index->sortopfamily;
  }
}

void add_index_only_scans(const QueryLevel &level, RelOptInfo *rel) {
  if (level.stored == NIL || !enable_indexonlyscan) {
    return;
  }
  List *indexes = NIL;
  for (auto *index : each<IndexOptInfo>(rel->indexlist)) {
    List *others = without_bounds(level, index->indrestrictinfo);
    if (list_length(others) < list_length(index->indrestrictinfo) &&
        returns_all(index, rel, others) && !returns_all(index, rel, index->indrestrictinfo)) {
      index->indrestrictinfo = others;
      indexes = lappend(indexes, index);
    }
  }
  if (indexes != NIL) {
    List *all = rel->indexlist;
    rel->indexlist = indexes;
    create_index_paths(level.root, rel);
    rel->indexlist = all;
  }
}

}  // namespace uuidx
