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

// The order of partitions.
struct PartitionOrder {
  List *pathkeys = NIL;
  bool checks_zone = false;  // it holds only where the scans check the session's zone
};

// Returns the path keys that the partitions in order fulfil if each is in the order of the time:
// the time alone. What a query sorts by after it, an incremental sort does. NIL if the query does
// not want the time first.
PartitionOrder order_of_partitions(QueryLevel *level, RelOptInfo *rel) {
  auto *first = nth<PathKey>(level->root->query_pathkeys, 0);
  if (first == nullptr || !has_ordered_partitions(rel, nullptr)) {
    return {};
  }
  const Var *key = column_of(as_node(linitial(rel->partexprs[0])));
  for (const auto *order : each<TimeOrder>(time_orders_of(level, rel, NIL))) {
    if (order->all_v7 && equal(order->time.id, key) &&
        first->pk_opfamily == family_of(order->time.type) &&
        find_ec_member_matching_expr(first->pk_eclass, as_expr(order->order.expression),
                                     rel->relids) != nullptr) {
      return {list_make1(first), order->time.need != ZoneNeed::nothing};
    }
  }
  return {};
}

// True if a path in the order of a time reads an index, so that it checks the session's zone, or
// appends such paths.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
bool is_ordered_scan(const Path *path) {
  if (const auto *projection = as<ProjectionPath>(path)) {
    path = projection->subpath;
  }
  const auto *append = as<AppendPath>(path);
  for (const auto *part : each<Path>(append != nullptr ? append->subpaths : NIL)) {
    if (!is_ordered_scan(part)) {
      return false;
    }
  }
  return append != nullptr || IsA(path, IndexPath);
}

// Returns the path whose partitions are the cheapest by a criterion; null if there is none.
Path *append_path(PlannerInfo *root, RelOptInfo *rel, const PartitionOrder &order,
                  CostSelector criterion) {
  List *pathkeys = order.pathkeys;
  List *paths = NIL;
  for (int i = -1; (i = bms_next_member(rel->live_parts, i)) >= 0;) {
    RelOptInfo *partition = rel->part_rels[i];
    if (partition == nullptr || IS_DUMMY_REL(partition)) {
      continue;
    }
    Path *path =
        get_cheapest_path_for_pathkeys(partition->pathlist, pathkeys, nullptr, criterion, false);
    if (order.checks_zone && (path == nullptr || !is_ordered_scan(path))) {
      return nullptr;
    }
    // Others will be sorted.
    path = path != nullptr ? path : partition->cheapest_total_path;
    if (path == nullptr || path->param_info != nullptr) {
      return nullptr;
    }
    paths = is_descending(nth<PathKey>(pathkeys, 0)) ? lcons(path, paths) : lappend(paths, path);
  }
  return paths != NIL ? append_in_order(root, rel, paths, pathkeys) : nullptr;
}

// Returns the paths of the partitions in the order that the query wants first.
List *ordered_appends(QueryLevel *level, RelOptInfo *rel) {
  const PartitionOrder order = order_of_partitions(level, rel);
  List *paths = NIL;
  for (const CostSelector criterion : {STARTUP_COST, TOTAL_COST}) {
    Path *path = order.pathkeys != NIL ? append_path(level->root, rel, order, criterion) : nullptr;
    // An Append of one partition that is not in order has its order.
    if (path != nullptr && pathkeys_contained_in(order.pathkeys, path->pathkeys)) {
      paths = lappend(paths, path);
    }
  }
  return paths;
}

// Adds the paths to partitions that are partitioned themselves.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
void add_below(QueryLevel *level, const RelOptInfo *rel) {
  for (int i = -1; (i = bms_next_member(rel->live_parts, i)) >= 0;) {
    RelOptInfo *partition = rel->part_rels[i];
    if (partition != nullptr) {
      add_below(level, partition);
      add_ordered_append(level, partition);
    }
  }
}

}  // namespace

bool has_ordered_partitions(const RelOptInfo *rel, const Var *id) {
  if (rel->part_scheme == nullptr || rel->part_scheme->strategy != PARTITION_STRATEGY_RANGE ||
      rel->part_scheme->partopfamily[0] != family_of(UUIDOID) || rel->boundinfo == nullptr ||
      !partitions_are_ordered(rel->boundinfo, rel->live_parts)) {
    return false;
  }
  const Var *key = column_of(as_node(linitial(rel->partexprs[0])));
  return key != nullptr && (id == nullptr || key->varattno == id->varattno);
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
  if (!has_ordered_partitions(rel, nullptr) || root->parse->hasTargetSRFs) {
    return;
  }
  add_below(level, rel);
  for (auto *path : each<Path>(ordered_appends(level, rel))) {
    if (enable_incremental_sort || pathkeys_contained_in(root->sort_pathkeys, path->pathkeys)) {
      add_path(result, sorted_path(root, result, path));
    }
  }
}

}  // namespace uuidx
