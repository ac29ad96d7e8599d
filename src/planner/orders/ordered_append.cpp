#include "planner/orders/ordered_append.hpp"

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/orders/time_orders.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "partitioning/partbounds.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the time in whose order the partitions are, if the query wants that first; null if it
// does not.
const TimeOrder *order_of_partitions(QueryLevel *level, RelOptInfo *rel) {
  const auto *first = nth<PathKey>(level->root->query_pathkeys, 0);
  const Var *key = first != nullptr ? ordered_partition_key(rel) : nullptr;
  if (key == nullptr) {
    return nullptr;
  }
  for (const auto *order : each<TimeOrder>(time_orders_of(level, rel, NIL))) {
    if (order->all_v7 && equal(order->time.id, key) &&
        first->pk_opfamily == family_of(order->time.type) &&
        find_ec_member_matching_expr(first->pk_eclass, as_expr(order->order.expression),
                                     rel->relids) != nullptr) {
      return order;
    }
  }
  return nullptr;
}

// True if a path in the order of a time reads an index, so that it checks the session's zone.
bool is_index_scan(const Path *path) {
  const auto *projection = as<ProjectionPath>(path);
  return IsA(projection != nullptr ? projection->subpath : path, IndexPath);
}

// Returns the path whose partitions are the cheapest by a criterion; null if there is none. Each
// partition is in the order of the time: what a query sorts by after it, an incremental sort does.
Path *append_path(PlannerInfo *root, RelOptInfo *rel, const TimeOrder &order,
                  CostSelector criterion) {
  auto *first = nth<PathKey>(root->query_pathkeys, 0);
  List *pathkeys = list_make1(first);
  List *paths = NIL;
  for (auto *partition : each<RelOptInfo>(partitions_of(rel, is_descending(first)))) {
    Path *path =
        get_cheapest_path_for_pathkeys(partition->pathlist, pathkeys, nullptr, criterion, false);
    if (order.time.need != ZoneNeed::nothing && (path == nullptr || !is_index_scan(path))) {
      return nullptr;
    }
    // Others will be sorted.
    path = path != nullptr ? path : partition->cheapest_total_path;
    if (path == nullptr || path->param_info != nullptr) {
      return nullptr;
    }
    paths = lappend(paths, path);
  }
  Path *path = paths != NIL ? append_in_order(root, rel, paths, pathkeys) : nullptr;
  // An Append of one partition that is not in order has its order.
  return path != nullptr && pathkeys_contained_in(pathkeys, path->pathkeys) ? path : nullptr;
}

// Returns the paths of the partitions in the order that the query wants first.
List *ordered_appends(QueryLevel *level, RelOptInfo *rel) {
  List *paths = NIL;
  if (const TimeOrder *order = order_of_partitions(level, rel)) {
    for (const CostSelector criterion : {STARTUP_COST, TOTAL_COST}) {
      if (Path *path = append_path(level->root, rel, *order, criterion)) {
        paths = lappend(paths, path);
      }
    }
  }
  return paths;
}

}  // namespace

const Var *ordered_partition_key(const RelOptInfo *rel) {
  const bool is_ordered = rel->part_scheme != nullptr &&
                          rel->part_scheme->strategy == PARTITION_STRATEGY_RANGE &&
                          rel->part_scheme->partopfamily[0] == family_of(UUIDOID) &&
                          rel->boundinfo != nullptr &&  // without partitions, there is none
                          partitions_are_ordered(rel->boundinfo, rel->live_parts);
  return is_ordered ? column_of(as_node(linitial(rel->partexprs[0]))) : nullptr;
}

List *partitions_of(const RelOptInfo *rel, bool descending) {
  List *partitions = NIL;
  for (int i = -1; (i = bms_next_member(rel->live_parts, i)) >= 0;) {
    RelOptInfo *partition = rel->part_rels[i];
    if (partition != nullptr && !IS_DUMMY_REL(partition)) {
      partitions = descending ? lcons(partition, partitions) : lappend(partitions, partition);
    }
  }
  return partitions;
}

Path *sorted_path(PlannerInfo *root, RelOptInfo *result, Path *path) {
  List *wanted = root->sort_pathkeys;
  int presorted = 0;
  if (!pathkeys_count_contained_in(wanted, path->pathkeys, &presorted)) {
    path = presorted > 0 ? &create_incremental_sort_path(root, result, path, wanted, presorted,
                                                         root->limit_tuples)
                                ->spath.path
                         : &create_sort_path(root, result, path, wanted, root->limit_tuples)->path;
  }
  PathTarget *target = root->upper_targets[UPPERREL_ORDERED];
  return path->pathtarget != target ? apply_projection_to_path(root, result, path, target) : path;
}

void add_ordered_append(QueryLevel *level, RelOptInfo *rel) {
  for (auto *path : each<Path>(ordered_appends(level, rel))) {
    add_path(rel, path);
  }
}

void add_ordered_result(QueryLevel *level, RelOptInfo *rel, RelOptInfo *result) {
  PlannerInfo *root = level->root;
  if (root->parse->hasTargetSRFs) {
    return;
  }
  for (auto *path : each<Path>(ordered_appends(level, rel))) {
    if (enable_incremental_sort || pathkeys_contained_in(root->sort_pathkeys, path->pathkeys)) {
      add_path(result, sorted_path(root, result, path));
    }
  }
}

}  // namespace uuidx
