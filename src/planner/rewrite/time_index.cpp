#include "planner/rewrite/time_index.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/rewrite/clauses.hpp"
#include "planner/rewrite/rewriting.hpp"
#include "planner/rewrite/wanted.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/index_selfuncs.h"
#include "utils/memutils.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A copy of an index. It is recognized by its cost function. PostgreSQL makes no arrays of
// IndexOptInfo and copies none by its size, so what follows it here stays with it; and it grows in
// major releases only, for which the library is built anew.
struct TimeIndex {
  IndexOptInfo info;
  IndexOptInfo *original = nullptr;
  const QueryLevel *level = nullptr;
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

// The conditions on a key that a condition on its time becomes.
struct KeyConditions {
  List *rinfos = NIL;
  bool exact = true;  // they hold for no other rows of version 7
};

// Returns a condition on the time as conditions on the key; the same one if it is on another
// column. It may compare with a value of another type, which the copy was not made for. For the
// cost, both bounds of one time count as an equality with the key.
KeyConditions key_conditions(const TimeIndex &index, RestrictInfo *condition, bool for_cost) {
  const auto [op, left, right] = operation_of(as_node(condition->clause));
  if (op == nullptr || !equal(stripped(left), stripped(index.time.expression))) {
    return {list_make1(condition)};
  }
  MemoryContext aside = make_aside();
  MemoryContext before = MemoryContextSwitchTo(aside);
  const TimeComparison comparison = compare_time(index.time, op->opno, as_expr(right));
  List *bounds = NIL;
  for (Node *bound : each(bounds_of_id(*index.level, comparison))) {
    bounds = lappend(bounds, as<OpExpr>(bound) != nullptr ? bound : compare_with_nil(index, bound));
  }
  if (for_cost && list_length(bounds) == 2) {
    const List *lower = args_of(nth(bounds, 0));
    bounds = list_make1(compare_ids(nth(lower, 0), BTEqualStrategyNumber, as_expr(nth(lower, 1))));
  }
  List *rinfos = NIL;
  for (Node *bound : each(bounds)) {
    rinfos = lappend(rinfos, make_simple_restrictinfo(index.level->root, as_expr(bound)));
  }
  MemoryContextSwitchTo(before);
  const KeyConditions conditions{copy_of(rinfos), comparison.time.exact};
  MemoryContextDelete(aside);
  return conditions;
}

// Returns the conditions of a scan of a copy as those of a scan of the index itself.
List *restored_conditions(const TimeIndex &index, const List *conditions, bool for_cost) {
  List *restored = NIL;
  for (const auto *condition : each<IndexClause>(conditions)) {
    auto *own = makeNode(IndexClause);
    *own = *condition;
    own->indexquals = NIL;
    for (auto *qual : each<RestrictInfo>(condition->indexquals)) {
      const KeyConditions on_key = key_conditions(index, qual, for_cost);
      // PostgreSQL drops a clause that the scan decides. The bounds of a time also admit keys of
      // other versions.
      own->lossy = own->lossy ||
                   (nth<RestrictInfo>(on_key.rinfos, 0) != qual && !(index.all_v7 && on_key.exact));
      own->indexquals = list_concat(own->indexquals, on_key.rinfos);
    }
    restored = lappend(restored, own);
  }
  return restored;
}

// Returns an index whose scans also check the session's zone for each row, as it may change while a
// cursor is open. No parallel worker does that, as it could not have the plans of the session made
// anew.
IndexOptInfo *with_zone_check(const TimeIndex &index) {
  auto *info = makeNode(IndexOptInfo);
  *info = *index.original;
  Node *fixed = makeBoolConst(index.time.need == ZoneNeed::offset, false);
  RestrictInfo *check = make_simple_restrictinfo(
      index.level->root, call_function(index.level->functions.check_zone, BOOLOID,
                                       list_make2(copy_of(index.time.id), fixed)));
  info->indrestrictinfo = lappend(list_copy(info->indrestrictinfo), check);
  return info;
}

// Estimates the cost of a scan of a copy as that of the index itself: the access method looks for
// the statistics of the columns.
void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages) {
  const TimeIndex *index = time_index(path->indexinfo);
  MemoryContext aside = make_aside();
  MemoryContext before = MemoryContextSwitchTo(aside);
  IndexPath counted = *path;
  counted.indexinfo = index->original;
  counted.indexclauses = restored_conditions(*index, path->indexclauses, true);
  btcostestimate(root, &counted, loop_count, startup_cost, total_cost, selectivity, correlation,
                 pages);
  MemoryContextSwitchTo(before);
  MemoryContextDelete(aside);
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
IndexOptInfo *copy_index(const QueryLevel *level, IndexOptInfo *index, int column,
                         const KeyTime &time) {
  auto *copy = static_cast<TimeIndex *>(palloc0(sizeof(TimeIndex)));
  copy->info = *index;
  copy->original = index;
  copy->level = level;
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
IndexOptInfo *copy_for_order(const QueryLevel *level, IndexOptInfo *index, int column,
                             const WantedTime &wanted) {
  IndexOptInfo *copy = copy_index(level, index, column, wanted.time);
  copy->amcanparallel = copy->amcanparallel && wanted.time.need == ZoneNeed::nothing;
  if (wanted.not_null && wanted.order.sort != nullptr) {
    // Without NULL, either place of it is right. ORMs add NULLS LAST to DESC.
    const bool descending =
        strategy_of(wanted.order.sort->sortop, wanted.time.type) == BTGreaterStrategyNumber;
    copy->nulls_first[column] =
        (descending != index->reverse_sort[column]) != wanted.order.sort->nulls_first;
  }
  return copy;
}

// Returns a copy for equalities.
IndexOptInfo *copy_for_join(const QueryLevel *level, IndexOptInfo *index, int column,
                            const KeyTime &time, bool all_v7) {
  IndexOptInfo *copy = copy_index(level, index, column, time);
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
  copy->opfamily = copied(index->opfamily, column + 1);
  copy->opfamily[column] = family_of(time.type);
  // The key itself can be returned without reading the table, as from an included column.
  copy->ncolumns = index->ncolumns + 1;
  copy->indexkeys[index->ncolumns] = time.id->varattno;
  copy->canreturn = copied(index->canreturn, index->ncolumns);
  copy->canreturn[index->ncolumns] = index->canreturn[column];
  // Estimates take the time for unique, as the key is, but not proofs.
  copy->unique = index->unique && index->nkeycolumns == column + 1;
  copy->immediate = false;
  // No comparisons of rows, arrays or NULL, which could not be restored: PostgreSQL makes those of
  // rows for B-trees only. Nothing else reads this copy's access method, as it cannot be ordered.
  copy->relam = InvalidOid;
  copy->amsearcharray = false;
  copy->amsearchnulls = false;
  return copy;
}

// Returns the position of a column among the key columns of a B-tree in the usual order of uuid; -1
// if it is not there.
int position_in(const IndexOptInfo *index, AttrNumber column) {
  // From PostgreSQL 16 on, those of partitioned tables are here, too, without their order.
  if (index->relam != BTREE_AM_OID || index->sortopfamily == nullptr) {
    return -1;
  }
  for (int i = 0; i < index->nkeycolumns; ++i) {
    if (index->indexkeys[i] == column && index->opfamily[i] == family_of(UUIDOID)) {
      return i;
    }
  }
  return -1;
}

// Adds the copies for one time.
void add_copies(const QueryLevel *level, RelOptInfo *rel, const List *indexes,
                const WantedTime &wanted) {
  const Query *query = level->root->parse;
  const bool sorts_only =
      !wanted.order.joins && query->groupClause == NIL && query->distinctClause == NIL;
  for (auto *index : each<IndexOptInfo>(indexes)) {
    const int column = position_in(index, wanted.time.id->varattno);
    if (column < 0) {
      continue;
    }
    const bool all_v7 =
        wanted.all_v7 || list_member(tested_columns(index->indpred), wanted.time.id);
    if (all_v7) {
      rel->indexlist = lappend(rel->indexlist, copy_for_order(level, index, column, wanted));
    }
    if (!sorts_only && wanted.time.exact) {
      rel->indexlist =
          lappend(rel->indexlist, copy_for_join(level, index, column, wanted.time, all_v7));
    }
  }
}

}  // namespace

void add_time_indexes(QueryLevel *level, RelOptInfo *rel, List *conditions) {
  const List *indexes = list_copy(rel->indexlist);
  if (indexes == NIL && !rte_of(level->root, rel->relid)->inh) {
    return;
  }
  for (const auto *wanted : each<WantedTime>(wanted_times(level, rel, conditions))) {
    add_copies(level, rel, indexes, *wanted);
  }
}

void restore_indexes(const RelOptInfo *rel) {
  for (auto *info : each<IndexOptInfo>(rel->indexlist)) {
    // For estimates only, as another extension may make the paths anew.
    info->amhasgettuple = info->amhasgettuple && time_index(info) == nullptr;
  }
  for (const List *paths : {rel->pathlist, rel->partial_pathlist}) {
    for (Node *node : each(paths)) {
      auto *path = as<IndexPath>(node);
      const TimeIndex *index = path != nullptr ? time_index(path->indexinfo) : nullptr;
      if (index != nullptr) {
        path->indexinfo = index->original;
        path->indexclauses = restored_conditions(*index, path->indexclauses, false);
        if (index->time.need != ZoneNeed::nothing && path->path.pathkeys != NIL) {
          path->indexinfo = with_zone_check(*index);
          path->path.parallel_safe = false;
        }
      }
    }
  }
}

}  // namespace uuidx
