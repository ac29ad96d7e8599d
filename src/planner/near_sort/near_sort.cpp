// The forms that are served:
//
//   SELECT ... FROM table WHERE ... ORDER BY time [, columns] LIMIT constant [OFFSET constant]
//
//   table    one table, also a partitioned one, also in a subquery
//   time     a column of timestamptz, or of timestamp in UTC, that CHECK constraints say is near
//            the time of the key, ascending or descending
//   columns  any columns of the table
//
// Not served: LIMIT $1 in a generic plan, WITH TIES, FOR UPDATE, aggregates, GROUP BY, DISTINCT,
// window functions, functions that return sets, TABLESAMPLE, more than 10,000 rows.
//
// Rows are read in the order of the key, by an index that may begin with columns that are equal to
// something. Of partitions by ranges of the key, one is read after the other; all others are
// merged. PostgreSQL compares the cost of reading the rows within the tolerance with its own paths.
#include "planner/near_sort/near_sort.hpp"

#include <algorithm>

#include "core/timestamp.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/orders/ordered_append.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/column_statistics.hpp"
#include "planner/statistics/statistics_hook.hpp"
#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// How a table is read in the order of a key.
struct Reading {
  PlannerInfo *root = nullptr;
  bool descending = false;
  Reach tolerance;       // how far the column is from the time of the key
  List *pathkeys = NIL;  // the key
  double found = 0;      // estimate: the rows of the partitions so far
  double held = 0;       // estimate: how many rows are read beyond those that are asked for
};

// True if a query asks for a known number of rows, which is limit_tuples. The planner sets that
// only without groups, window functions and functions that return sets, but estimates parameters.
bool has_known_limit(const PlannerInfo *root) {
  constexpr double kMost = 10'000;
  const Query *query = root->parse;
  return as<Const>(query->limitCount) != nullptr &&
         (query->limitOffset == nullptr || as<Const>(query->limitOffset) != nullptr) &&
         query->limitOption == LIMIT_OPTION_COUNT && root->rowMarks == NIL &&
         root->limit_tuples > 0 && root->limit_tuples <= kMost;
}

// Returns the column of a table by which a query sorts; null if it sorts by something else, or by
// what is equal to it and of another type, in whose order its values need not be.
const Var *sorted_column(const RelOptInfo *rel, const PathKey *key) {
  const Var *found = nullptr;
  const List *members = key->pk_eclass->ec_members;
  const Oid type = exprType(as_node(nth<EquivalenceMember>(members, 0)->em_expr));
  for (const auto *member : each<EquivalenceMember>(members)) {
    const auto *column = as<Var>(member->em_expr);
    if (exprType(as_node(member->em_expr)) != type) {
      return nullptr;
    }
    if (found == nullptr && column != nullptr && static_cast<Index>(column->varno) == rel->relid) {
      found = column;
    }
  }
  return found;
}

// Reads a column of a table that is near the time of a key; returns false if it is none. Neither is
// NULL, and all keys are of version 7: see add_ordinary_times().
bool read_near(QueryLevel *level, const Var *column, KeyTime *time, Reach *tolerance) {
  constexpr int64 kFarthest = int64{1000} * 366 * USECS_PER_DAY;  // sums do not overflow
  Node *expression = stored_expression(*level, column, tolerance);
  if (expression == nullptr || !read_time(level, NIL, expression, time) || !time->exact ||
      tolerance->least == tolerance->most ||
      std::max(tolerance->most, -tolerance->least) > kFarthest) {
    return false;
  }
  tolerance->most += time->precise ? kMicrosPerMilli - 1 : 0;  // the node reads milliseconds
  return true;
}

// Returns the paths of a table that the planner would make if the query sorted by the key, and read
// the columns of a target. What is changed for that is put back. Before PostgreSQL 19,
// truncate_useless_pathkeys() reads the order of the query; from then on, that of ORDER BY.
List *index_paths(const Reading &reading, RelOptInfo *rel, PathTarget *target) {
  PlannerInfo *root = reading.root;
  const RelOptInfo table = *rel;
  List *wanted = root->query_pathkeys;
  List *sorted = root->sort_pathkeys;
  rel->pathlist = rel->partial_pathlist = NIL;
  rel->reltarget = target;
  root->query_pathkeys = root->sort_pathkeys = reading.pathkeys;
  create_index_paths(root, rel);
  List *paths = rel->pathlist;
  *rel = table;
  root->query_pathkeys = wanted;
  root->sort_pathkeys = sorted;
  return paths;
}

// Estimates the rows of a table that are read beyond those that are asked for: within the tolerance
// on the far side, as most rows have the time of their key. If conditions limit the keys, their
// bound is wider by the near side.
double rows_held(const Reading &reading, const RelOptInfo *rel, const Var *id) {
  UuidRange range;
  narrow(reading.root, rel->baserestrictinfo, {rel->relid, id->varattno}, &range);
  const bool limits = range.lowest != kNil || range.highest != kMax;
  const auto [least, most] = reading.tolerance;
  const int64 reach = limits ? most - least : reading.descending ? most : -least;
  const ColumnStatistics *statistics =
      statistics_for(reading.root, as_node(copy_of(id)), F_UUID_LT);
  if (statistics == nullptr || statistics->histogram.count == 0) {
    return rel->rows / 3;
  }
  const double share = share_at_end(*statistics, reading.descending, std::max<int64>(reach, 0));
  return rel->rows * std::min(1.0, share / std::max(shares_of(*statistics, range).all, 1e-10));
}

// Returns the cheapest scan of an index in the order of the key; null if there is none.
Path *cheapest_scan(Reading *reading, RelOptInfo *rel, PathTarget *target) {
  const double bound = reading->root->limit_tuples;
  // There may be many partitions that are not read.
  if (reading->found <= bound + reading->held) {
    reading->held = std::max(reading->held, rows_held(*reading, rel, nth<Var>(target->exprs, 0)));
  }
  reading->found += rel->rows;
  const double share = std::min(1.0, (bound + reading->held) / std::max(rel->rows, 1.0));
  return get_cheapest_fractional_path_for_pathkeys(index_paths(*reading, rel, target),
                                                   reading->pathkeys, nullptr, share);
}

// Returns the cheapest path that reads the columns of a target, the key before all others, from a
// table in the order of the key; null if there is none.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
Path *path_by_key(Reading *reading, RelOptInfo *rel, PathTarget *target) {
  check_stack_depth();
  PlannerInfo *root = reading->root;
  const RangeTblEntry *rte = root->simple_rte_array[rel->relid];
  const auto *id = as<Var>(nth(target->exprs, 0));
  if (rte->tablesample != nullptr || id == nullptr) {
    return nullptr;
  }
  if (!rte->inh) {
    return cheapest_scan(reading, rel, target);
  }
  List *paths = NIL;
  for (auto *part : each<RelOptInfo>(partitions_of(rel, reading->descending))) {
    AppendRelInfo *info = root->append_rel_array[part->relid];
    PathTarget *own = copy_pathtarget(target);
    own->exprs =
        reinterpret_cast<List *>(adjust_appendrel_attrs(root, as_node(target->exprs), 1, &info));
    // NOLINTNEXTLINE(readability-suspicious-call-argument): a partition may have partitions.
    add_child_rel_equivalences(root, info, rel, part);
    Path *path = path_by_key(reading, part, own);
    if (path == nullptr) {
      return nullptr;
    }
    paths = lappend(paths, path);
  }
  if (paths == NIL) {
    return nullptr;  // also for tables that inherit otherwise
  }
  if (rel->part_scheme->strategy != PARTITION_STRATEGY_RANGE) {
    reading->held *= list_length(paths);  // all of them have rows as new
  }
  const Var *key = ordered_partition_key(rel);
  const auto in_order =
      key != nullptr && key->varattno == id->varattno ? append_in_order : merge_in_order;
  Path *path = in_order(root, rel, paths, reading->pathkeys);
  path->pathtarget = target;
  return path;
}

// Sets the cost of a path. Each row that is read is compared with some of those that are kept.
void set_cost(Path *path, const Path *input, const Reading &reading) {
  const double rows = std::max(input->rows, 1.0);
  path->rows = std::min(reading.root->limit_tuples + reading.held, rows);
  path->startup_cost = input->startup_cost;
  path->total_cost = input->startup_cost +
                     (input->total_cost - input->startup_cost) * path->rows / rows +
                     path->rows * 2 * cpu_operator_cost;
}

}  // namespace

void add_near_sort(QueryLevel *level, RelOptInfo *rel, RelOptInfo *result) {
  PlannerInfo *root = level->root;
  if (root->sort_pathkeys == NIL || !has_known_limit(root) || rel->rtekind != RTE_RELATION ||
      IS_DUMMY_REL(rel)) {
    return;
  }
  for (const auto *key : each<PathKey>(root->sort_pathkeys)) {
    if (sorted_column(rel, key) == nullptr) {
      return;
    }
  }
  const auto *first = nth<PathKey>(root->sort_pathkeys, 0);
  const Var *column = sorted_column(rel, first);
  Reading reading;
  reading.root = root;
  reading.descending = is_descending(first);
  KeyTime time;
  if (!read_near(level, column, &time, &reading.tolerance) ||
      first->pk_opfamily != family_of(time.type)) {
    return;
  }
  reading.pathkeys = pathkeys_of(
      root, as_expr(copy_of(time.id)),
      uuid_operator(reading.descending ? BTGreaterStrategyNumber : BTLessStrategyNumber));
  PathTarget *target = create_empty_pathtarget();
  List *columns = pull_var_clause(as_node(root->processed_tlist), PVC_RECURSE_PLACEHOLDERS);
  add_new_columns_to_pathtarget(
      target, list_concat(list_make2(copy_of(time.id), copy_of(column)), columns));
  set_pathtarget_cost_width(root, target);
  Path *input = path_by_key(&reading, rel, target);
  if (input == nullptr) {
    return;
  }
  const auto [least, most] = reading.tolerance;
  Path *path = &make_near_sort_path(input, reading.descending, static_cast<int>(root->limit_tuples),
                                    reading.descending ? most : least)
                    ->path;
  set_cost(path, input, reading);
  add_path(result, sorted_path(root, result, path));
}

}  // namespace uuidx
