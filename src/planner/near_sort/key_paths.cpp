#include "planner/near_sort/key_paths.hpp"

#include <algorithm>

#include "core/histogram.hpp"
#include "core/time_range.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/orders/ordered_append.hpp"
#include "planner/statistics/column_statistics.hpp"
#include "planner/statistics/statistics_hook.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Adds a key to the class of equal expressions by which the planner recognizes the order: the
// query's, if it sorts by the key as well, or one that the planner sees only here. Returns false if
// the key is constant.
bool add_key(KeyOrder *order, const RelOptInfo *rel, const Var *id) {
  PlannerInfo *root = order->root;
  const Oid family = family_of(UUIDOID);
  if (order->eclass == nullptr) {
    for (auto *known : each<EquivalenceClass>(root->eq_classes)) {
      if (list_member_oid(known->ec_opfamilies, family) &&
          find_ec_member_matching_expr(known, as_expr(id), rel->relids) != nullptr) {
        order->eclass = known;
      }
    }
    order->is_own = order->eclass == nullptr;
    if (order->is_own) {
      order->eclass = makeNode(EquivalenceClass);
      order->eclass->ec_opfamilies = get_mergejoin_opfamilies(uuid_operator(BTEqualStrategyNumber));
    }
    order->key = make_path_key(root, order->eclass, family, order->descending);
  }
  if (order->is_own) {
    auto *member = makeNode(EquivalenceMember);
    member->em_expr = copy_of_expr(id);
    member->em_relids = bms_copy(rel->relids);
    member->em_datatype = UUIDOID;
    order->eclass->ec_members = lappend(order->eclass->ec_members, member);
    order->eclass->ec_relids = bms_add_members(order->eclass->ec_relids, rel->relids);
  }
  return !order->eclass->ec_has_const;
}

// Returns the paths by indexes in the order of the key, with whatever conditions they find: the
// planner makes them as if the query sorted by the key, and read the columns of the target.
List *index_paths(const KeyOrder &order, RelOptInfo *rel, PathTarget *target) {
  PlannerInfo *root = order.root;
  List *paths = rel->pathlist;
  List *partial = rel->partial_pathlist;
  PathTarget *own_target = rel->reltarget;
  List *wanted = root->query_pathkeys;
  List *classes = root->eq_classes;
  rel->pathlist = NIL;
  rel->partial_pathlist = NIL;
  rel->reltarget = target;
  root->query_pathkeys = list_make1(order.key);
  if (order.is_own) {
    root->eq_classes = lappend(list_copy(classes), order.eclass);
  }
  create_index_paths(root, rel);
  List *found = NIL;
  for (Node *path : each(rel->pathlist)) {
    const auto *scan = as<IndexPath>(path);
    if (scan != nullptr && scan->path.param_info == nullptr &&
        nth<PathKey>(scan->path.pathkeys, 0) == order.key) {
      found = lappend(found, path);
    }
  }
  rel->pathlist = paths;
  rel->partial_pathlist = partial;
  rel->reltarget = own_target;
  root->query_pathkeys = wanted;
  root->eq_classes = classes;
  return found;
}

// Returns the share of a table's keys within a time, in microseconds, at the end that is read
// first.
double share_within(const KeyOrder &order, const Var *id, int64 width) {
  constexpr double kUnknown = 1.0 / 3;
  constexpr double kUnitsOfMicros = 65.536;  // of distance()
  VariableStatData data;
  examine_variable(order.root, as_node(id), 0, &data);
  const ColumnStatistics *statistics = statistics_for(order.root, &data, F_UUID_LT, kMax);
  double share = kUnknown;
  if (statistics != nullptr && statistics->histogram.count > 0) {
    const Piece *first = statistics->histogram.pieces;
    const double reach = static_cast<double>(width) * kUnitsOfMicros;
    const Uuid from = order.descending ? first[statistics->histogram.count - 1].to : first->from;
    share = shares_of(*statistics, order.descending ? UuidRange{moved(from, -reach), from}
                                                    : UuidRange{from, moved(from, reach)})
                .all;
  }
  ReleaseVariableStats(data);
  return share;
}

// Estimates the rows of a scan that are read beyond those that are needed: rows as near as the
// tolerance, mostly on the far side, as most columns have the time of their key. If a condition
// limits the keys, its bound is wider by the near side.
double rows_held(const KeyOrder &order, const IndexPath *scan, const Var *id) {
  List *conditions = NIL;
  for (const auto *clause : each<IndexClause>(scan->indexclauses)) {
    if (scan->indexinfo->indexkeys[clause->indexcol] == id->varattno) {
      conditions = lappend(conditions, clause->rinfo);
    }
  }
  const Reach &tolerance = order.tolerance;
  const int64 far = order.descending ? tolerance.most : -tolerance.least;
  const int64 both = tolerance.most - tolerance.least;
  const double share = share_within(order, id, std::max<int64>(conditions != NIL ? both : far, 0));
  const double selected = clauselist_selectivity(order.root, conditions, 0, JOIN_INNER, nullptr);
  return scan->path.rows * std::min(1.0, share / std::max(selected, 1e-10));
}

// Returns the cheapest scan of an index of a table.
Path *cheapest_scan(KeyOrder *order, RelOptInfo *rel, const Var *id, PathTarget *target) {
  IndexPath *cheapest = nullptr;
  double held = 0;
  for (auto *scan : each<IndexPath>(index_paths(*order, rel, target))) {
    const double beyond = rows_held(*order, scan, id);
    const double fraction = std::min(1.0, (order->rows + beyond) / std::max(scan->path.rows, 1.0));
    if (cheapest == nullptr ||
        compare_fractional_path_costs(&scan->path, &cheapest->path, fraction) < 0) {
      cheapest = scan;
      held = beyond;
    }
  }
  order->held = std::max(order->held, held);
  return cheapest != nullptr ? &cheapest->path : nullptr;
}

// Returns the path of a partition, whose columns may have other numbers.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
Path *path_of_partition(KeyOrder *order, RelOptInfo *rel, const Var *id, const PathTarget *target) {
  AppendRelInfo *info = order->root->append_rel_array[rel->relid];
  const auto *own_id = as<Var>(nth(info->translated_vars, id->varattno - 1));
  PathTarget *own_target = copy_pathtarget(const_cast<PathTarget *>(target));
  own_target->exprs = reinterpret_cast<List *>(
      adjust_appendrel_attrs(order->root, as_node(target->exprs), 1, &info));
  return own_id != nullptr ? path_by_key(order, rel, own_id, own_target) : nullptr;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
Path *path_by_key(KeyOrder *order, RelOptInfo *rel, const Var *id, PathTarget *target) {
  check_stack_depth();
  const RangeTblEntry *rte = order->root->simple_rte_array[rel->relid];
  if (rte->rtekind != RTE_RELATION || rte->tablesample != nullptr || !add_key(order, rel, id)) {
    return nullptr;
  }
  if (!rte->inh) {
    return cheapest_scan(order, rel, id, target);
  }
  List *paths = NIL;
  for (int i = -1; rel->part_scheme != nullptr && (i = bms_next_member(rel->live_parts, i)) >= 0;) {
    RelOptInfo *partition = rel->part_rels[i];
    if (partition == nullptr || IS_DUMMY_REL(partition)) {
      continue;
    }
    Path *path = path_of_partition(order, partition, id, target);
    if (path == nullptr) {
      return nullptr;
    }
    paths = order->descending ? lcons(path, paths) : lappend(paths, path);
  }
  if (paths == NIL) {
    return nullptr;
  }
  List *keys = list_make1(order->key);
  Path *path = has_ordered_partitions(rel, id) ? append_in_order(order->root, rel, paths, keys)
                                               : merge_in_order(order->root, rel, paths, keys);
  path->pathtarget = target;
  return path;
}

// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
Cost cost_of_first(const Path *path, double rows) {
  const auto *append = as<AppendPath>(path);
  if (append == nullptr) {
    const double share = std::min(1.0, rows / std::max(path->rows, 1.0));
    return path->startup_cost + (path->total_cost - path->startup_cost) * share;
  }
  Cost cost = 0;
  for (const auto *part : each<Path>(append->subpaths)) {
    cost += cost_of_first(part, rows);
    rows -= part->rows;
    if (rows <= 0) {
      break;
    }
  }
  return cost;
}

}  // namespace uuidx
