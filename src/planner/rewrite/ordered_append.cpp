#include "planner/rewrite/ordered_append.hpp"

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/wanted.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "partitioning/partbounds.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a path key is an expression of a table.
bool is_key_of(const PathKey *key, const RelOptInfo *rel, const Node *expression) {
  for (const auto *member : each<EquivalenceMember>(key->pk_eclass->ec_members)) {
    if (equal(member->em_expr, expression) && bms_equal(member->em_relids, rel->relids)) {
      return true;
    }
  }
  return false;
}

// True if a table is partitioned by ranges, of which the query reads such as are in order, and the
// first key is a column of uuid in the usual order.
bool has_ordered_partitions(const RelOptInfo *rel) {
  return rel->part_scheme != nullptr && rel->part_scheme->strategy == PARTITION_STRATEGY_RANGE &&
         rel->part_scheme->partopfamily[0] == family_of(UUIDOID) && rel->boundinfo != nullptr &&
         partitions_are_ordered(rel->boundinfo, rel->live_parts) &&
         column_of(as_node(linitial(rel->partexprs[0]))) != nullptr;
}

// Returns the path keys that the partitions in order fulfil, if they are in the order of the time
// each: the time, and the key after it in the same direction. What a query sorts by after these is
// in order within a partition only. NIL if the query does not want the time first.
List *order_of_partitions(QueryLevel *level, RelOptInfo *rel) {
  const List *wanted_keys = level->root->query_pathkeys;
  if (wanted_keys == NIL) {
    return NIL;
  }
  auto *first = nth<PathKey>(wanted_keys, 0);
  auto *second = nth<PathKey>(wanted_keys, 1);
  const auto *key = as_node(linitial(rel->partexprs[0]));
  for (const auto *wanted : each<WantedTime>(wanted_times(level, rel, NIL))) {
    const KeyTime &time = wanted->time;
    if (!wanted->all_v7 || !equal(time.id, column_of(key)) ||
        !is_key_of(first, rel, time.expression)) {
      continue;
    }
    return second != nullptr && is_key_of(second, rel, key) && is_descending(first) == is_descending(second)
               ? list_make2(first, second)
               : list_make1(first);
  }
  return NIL;
}

// Adds the path whose partitions are the cheapest by a criterion.
void add_append(PlannerInfo *root, RelOptInfo *rel, List *pathkeys, CostSelector criterion) {
  const bool descending = is_descending(nth<PathKey>(pathkeys, 0));
  List *paths = NIL;
  for (int i = -1; (i = bms_next_member(rel->live_parts, i)) >= 0;) {
    RelOptInfo *partition = rel->part_rels[i];
    if (partition == nullptr || IS_DUMMY_REL(partition)) {
      continue;
    }
    Path *path = get_cheapest_path_for_pathkeys(partition->pathlist, pathkeys, nullptr, criterion,
                                                false);
    if (path == nullptr) {
      // It will be sorted.
      path = partition->cheapest_total_path;
    }
    if (path == nullptr || path->param_info != nullptr) {
      return;
    }
    paths = descending ? lcons(path, paths) : lappend(paths, path);
  }
  if (paths != NIL) {
    add_path(rel, append_in_order(root, rel, paths, pathkeys));
  }
}

}  // namespace

void add_ordered_append(QueryLevel *level, RelOptInfo *rel) {
  List *pathkeys = has_ordered_partitions(rel) ? order_of_partitions(level, rel) : NIL;
  if (pathkeys != NIL) {
    add_append(level->root, rel, pathkeys, STARTUP_COST);
    add_append(level->root, rel, pathkeys, TOTAL_COST);
  }
}

}  // namespace uuidx
