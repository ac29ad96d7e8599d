#include "planner/orders/time_index.hpp"

#include <algorithm>

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/time_bound.hpp"
#include "planner/groups/group_counts.hpp"
#include "planner/orders/column_indexes.hpp"
#include "planner/orders/time_orders.hpp"

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
  KeyTime time;
};

// Returns a condition of an index scan that comes from a clause; null if there are fewer.
const Node *clause_at(const IndexClause *condition, int i) {
  const auto *rinfo = nth<RestrictInfo>(condition->indexquals, i);
  return rinfo != nullptr ? as_node(rinfo->clause) : nullptr;
}

// The bounds of a scan that come from an equality: `id >= lower AND id <= upper`.
struct EqualityBounds {
  Node *id = nullptr;
  Node *lower = nullptr;  // null if they are others
  Node *upper = nullptr;
};

EqualityBounds bounds_of_equality(const IndexClause *condition) {
  const auto [lower, id, least] = operation_of(clause_at(condition, 0));
  const auto [upper, same_id, greatest] = operation_of(clause_at(condition, 1));
  const bool found = upper != nullptr && list_length(condition->indexquals) == 2 &&
                     contain_var_clause(least) && args_of(least) != NIL && args_of(greatest) != NIL;
  return found ? EqualityBounds{id, nth(args_of(least), 0), nth(args_of(greatest), 0)}
               : EqualityBounds{};
}

// Returns the share of a table's rows that are between bounds of a computed time; 0 if that is not
// known.
double share_of_unit(PlannerInfo *root, const RelOptInfo *rel, const EqualityBounds &bounds) {
  const QueryLevel *level = known_level(root);
  const auto *id = as<Var>(bounds.id);
  const int64 unit = level != nullptr && id != nullptr
                         ? distance_of_bounds(level->functions, bounds.lower, bounds.upper)
                         : 0;
  const double count = unit > 0 && enable_statistics ? count_periods(root, rel, id, unit) : 0;
  return count > 0 ? 1 / count : 0;
}

// Returns a condition of a scan for its cost: both bounds of one time count as an equality with the
// key, and those of a unit of time as one with the share of the rows that are in one. PostgreSQL
// would expect a ninth of all rows between bounds that it does not know.
IndexClause *condition_to_cost(PlannerInfo *root, const RelOptInfo *rel, IndexClause *condition) {
  const EqualityBounds bounds = bounds_of_equality(condition);
  if (bounds.lower == nullptr) {
    return condition;
  }
  const bool same = equal(bounds.lower, bounds.upper);
  const double share = same ? 0 : share_of_unit(root, rel, bounds);
  if (!same && share == 0) {
    return condition;
  }
  auto *own = makeNode(IndexClause);
  *own = *condition;
  Expr *bound = as_expr(operation_of(clause_at(condition, 0)).right);
  auto *rinfo = copy_of(nth<RestrictInfo>(condition->indexquals, 0));
  if (!same) {
    // Of this table alone, so that its share counts.
    bound = as_expr(makeNullConst(UUIDOID, -1, InvalidOid));
    rinfo = make_simple_restrictinfo(root, compare_ids(bounds.id, BTEqualStrategyNumber, bound));
    rinfo->norm_selec = share;
  }
  rinfo->clause = compare_ids(bounds.id, BTEqualStrategyNumber, bound);
  own->indexquals = list_make1(rinfo);
  return own;
}

// Estimates the cost of a scan of an index of the key.
void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages) {
  IndexPath costed = *path;
  costed.indexclauses = NIL;
  for (auto *condition : each<IndexClause>(path->indexclauses)) {
    costed.indexclauses =
        lappend(costed.indexclauses, condition_to_cost(root, path->indexinfo->rel, condition));
  }
  btcostestimate(root, &costed, loop_count, startup_cost, total_cost, selectivity, correlation,
                 pages);
}

// Does so for a copy, whose conditions are those of the index itself.
void estimate_copy(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages) {
  estimate_cost(root, path, loop_count, startup_cost, total_cost, selectivity, correlation, pages);
}

// Returns an index as the copy that it is; null if it is none.
TimeIndex *time_index(IndexOptInfo *index) {
  const auto copied = reinterpret_cast<decltype(index->amcostestimate)>(estimate_copy);
  return index->amcostestimate == copied ? reinterpret_cast<TimeIndex *>(index) : nullptr;
}

// Returns an index whose scans also check the session's zone for each row, as it may change while a
// cursor is open. No parallel worker does that, as it could not have the plans of the session made
// anew.
IndexOptInfo *with_zone_check(const QueryLevel &level, const TimeIndex &index) {
  auto *info = makeNode(IndexOptInfo);
  *info = *index.original;
  Node *fixed = makeBoolConst(index.time.need == ZoneNeed::offset, false);
  List *args = list_make2(copy_of(index.time.id), fixed);
  FuncExpr *call = makeFuncExpr(level.functions.check_zone, BOOLOID, args, InvalidOid,
                                kPlannersCollation, COERCE_EXPLICIT_CALL);
  RestrictInfo *check = make_simple_restrictinfo(level.root, as_expr(call));
  info->indrestrictinfo = lappend(list_copy(info->indrestrictinfo), check);
  return info;
}

// Returns a copy of an index up to a column, in which this column is in the order of its time. What
// follows in the index is in order only within equal keys. build_index_pathkeys() reads the order
// from what is changed here, while match_index_to_operand() and check_index_only() read indexkeys,
// which has the key still. Uniqueness and bitmaps would only repeat those of the index itself.
IndexOptInfo *copy_index(IndexOptInfo *index, int column, const TimeOrder &order) {
  const KeyTime &time = order.time;
  auto *copy = static_cast<TimeIndex *>(palloc0(sizeof(TimeIndex)));
  copy->info = *index;
  copy->original = index;
  copy->time = time;
  IndexOptInfo *info = &copy->info;
  info->nkeycolumns = column + 1;
  info->sortopfamily = copy_array(index->sortopfamily, column + 1);
  info->opcintype = copy_array(index->opcintype, column + 1);
  info->nulls_first = copy_array(index->nulls_first, column + 1);
  info->sortopfamily[column] = family_of(time.type);
  info->opcintype[column] = time.type;
  info->indextlist = list_copy(index->indextlist);
  ListCell *cell = list_nth_cell(info->indextlist, column);
  auto *target = flatCopyTargetEntry(static_cast<TargetEntry *>(lfirst(cell)));
  target->expr = as_expr(time.expression);
  lfirst(cell) = target;
  info->unique = false;
  info->amhasgetbitmap = false;
  info->amcanparallel = info->amcanparallel && time.need == ZoneNeed::nothing;
  info->amcostestimate = reinterpret_cast<decltype(info->amcostestimate)>(estimate_copy);
  if (order.not_null && order.order.sort != nullptr) {
    // Without NULL, either place of it is right. ORMs add NULLS LAST to DESC.
    const bool descending =
        strategy_of(order.order.sort->sortop, time.type) == BTGreaterStrategyNumber;
    info->nulls_first[column] =
        (descending != index->reverse_sort[column]) != order.order.sort->nulls_first;
  }
  return info;
}

// True if an index is a B-tree that may have a key, and no copy.
bool may_have_key(IndexOptInfo *index) {
  // From PostgreSQL 16 on, those of partitioned tables are here, too, without their order.
  if (index->relam != BTREE_AM_OID || index->sortopfamily == nullptr ||
      time_index(index) != nullptr) {
    return false;
  }
  Oid *end = index->opfamily + index->nkeycolumns;
  return std::find(index->opfamily, end, family_of(UUIDOID)) != end;
}

// Returns the position of a column in the usual order of uuid among the key columns of an index; -1
// if it is not there.
int position_in(const IndexOptInfo *index, AttrNumber column) {
  for (int i = 0; i < index->nkeycolumns; ++i) {
    if (index->indexkeys[i] == column && index->opfamily[i] == family_of(UUIDOID)) {
      return i;
    }
  }
  return -1;
}

}  // namespace

void add_time_indexes(QueryLevel *level, RelOptInfo *rel, List *conditions) {
  hide_trailing_times(*level, rel);
  List *indexes = NIL;
  for (auto *index : each<IndexOptInfo>(rel->indexlist)) {
    if (may_have_key(index)) {
      indexes = lappend(indexes, index);
      // Comparisons with columns of other tables have been rewritten, perhaps of this table.
      if (level->joins > 0) {
        index->amcostestimate = reinterpret_cast<decltype(index->amcostestimate)>(estimate_cost);
      }
    }
  }
  if (indexes == NIL && !rte_of(level->root, rel->relid)->inh) {
    return;
  }
  for (const auto *order : each<TimeOrder>(time_orders_of(level, rel, conditions))) {
    const Var *id = order->time.id;
    for (auto *index : each<IndexOptInfo>(indexes)) {
      const int column = position_in(index, id->varattno);
      if (column >= 0 && (order->all_v7 || list_member(tested_columns(index->indpred), id))) {
        rel->indexlist = lappend(rel->indexlist, copy_index(index, column, *order));
      }
    }
  }
}

void restore_indexes(const QueryLevel &level, const RelOptInfo *rel) {
  for (auto *info : each<IndexOptInfo>(rel->indexlist)) {
    if (time_index(info) != nullptr) {
      info->amhasgettuple = false;  // for estimates only: another extension may make the paths anew
    } else {
      show_trailing_times(info);
    }
  }
  for (const List *paths : {rel->pathlist, rel->partial_pathlist}) {
    for (Node *node : each(paths)) {
      auto *path = as<IndexPath>(node);
      const TimeIndex *index = path != nullptr ? time_index(path->indexinfo) : nullptr;
      if (index != nullptr) {
        path->indexinfo = index->original;
        if (index->time.need != ZoneNeed::nothing && path->path.pathkeys != NIL) {
          path->indexinfo = with_zone_check(level, *index);
          path->path.parallel_safe = false;
        }
      }
    }
  }
}

}  // namespace uuidx
