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
// window functions, functions that return sets, TABLESAMPLE, more rows than work_mem holds.
//
// Rows are read in the order of the key, by an index that may begin with columns that are equal to
// something. Of partitions by ranges of the key, one is read after the other; all others are
// merged. PostgreSQL compares the cost of reading the rows within the tolerance with its own paths.
#include "planner/near_sort/near_sort.hpp"

#include <algorithm>
#include <bit>

#include "core/timestamp.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/orders/ordered_append.hpp"
#include "planner/statistics/column_statistics.hpp"
#include "planner/statistics/statistics_hook.hpp"
#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
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

// How a table is read in the order of a key.
struct Reading {
  PlannerInfo *root = nullptr;
  bool descending = false;
  int bound = 0;    // no more rows are asked for
  Reach tolerance;  // how far the column is from the time of the key
  PathKey *key = nullptr;
  double found = 0;  // estimate: the rows of the partitions so far
  double held = 0;   // estimate: how many rows are read beyond those that are asked for
};

// Returns how many rows a query asks for at most; 0 if that is not known, or too many.
int rows_asked_for(const PlannerInfo *root) {
  constexpr int64 kMost = 10'000;
  const Query *query = root->parse;
  const Const *limit = constant_of(query->limitCount);
  const Const *offset = constant_of(query->limitOffset);
  if (query->commandType != CMD_SELECT || query->limitOption != LIMIT_OPTION_COUNT ||
      query->hasTargetSRFs || root->rowMarks != NIL || limit == nullptr ||
      (offset == nullptr && query->limitOffset != nullptr)) {
    return 0;
  }
  const int64 rows = DatumGetInt64(limit->constvalue);
  const int64 skipped = offset != nullptr ? DatumGetInt64(offset->constvalue) : 0;
  return rows > 0 && rows <= kMost && skipped >= 0 && skipped <= kMost
             ? static_cast<int>(rows + skipped)
             : 0;
}

// Adds the columns by which a query sorts to a target, with their references. Returns the first one
// that is not constant; null if it also sorts by something else than columns.
const Var *add_sort_columns(const PlannerInfo *root, const RelOptInfo *rel, const PathKey *first,
                            PathTarget *target) {
  const Var *found = nullptr;
  for (auto *clause : each<SortGroupClause>(root->parse->sortClause)) {
    auto *column = as<Var>(get_sortgroupclause_expr(clause, root->processed_tlist));
    if (column == nullptr) {
      return nullptr;
    }
    add_column_to_pathtarget(target, as_expr(column), clause->tleSortGroupRef);
    if (found == nullptr &&
        find_ec_member_matching_expr(first->pk_eclass, as_expr(column), rel->relids) != nullptr) {
      found = column;
    }
  }
  return found;
}

// Reads a column of a table that is near the time of a key; returns false if it is none.
bool read_near(QueryLevel *level, const RelOptInfo *rel, const Var *column, KeyTime *time,
               Reach *tolerance) {
  constexpr int64 kFarthest = int64{1000} * 366 * USECS_PER_DAY;  // sums do not overflow
  if (!read_time(level, NIL, as_node(column), time) || !time->near ||
      (time->type != TIMESTAMPTZOID && time->type != TIMESTAMPOID) ||
      time->table->rti != rel->relid || time->steps.farthest() > kFarthest ||
      proof_of(*time->table, time->id->varattno) != Proof::all_v7) {
    return false;
  }
  Computation rest;
  for (const Step &step : time->steps) {
    if (step.kind != Step::Kind::move) {
      rest.add(step);
    }
    tolerance->least += step.reach.least;
    tolerance->most += step.reach.most;
  }
  tolerance->most += time->precise ? kMicrosPerMilli - 1 : 0;  // the node reads milliseconds
  const Bitmapset *never_null = time->table->facts.never_null;
  return rest.is_time() && has_column(never_null, column->varattno) &&
         has_column(never_null, time->id->varattno);
}

// Adds a key to the class of equal expressions by which the planner recognizes the order: the
// query's, if it sorts by the key as well, or one that it sees only in index_paths(). Returns false
// if the key is constant.
bool add_key(Reading *reading, const RelOptInfo *rel, const Var *id) {
  PlannerInfo *root = reading->root;
  const Oid family = family_of(UUIDOID);
  EquivalenceClass *eclass = reading->key != nullptr ? reading->key->pk_eclass : nullptr;
  if (eclass == nullptr) {
    for (auto *known : each<EquivalenceClass>(root->eq_classes)) {
      if (list_member_oid(known->ec_opfamilies, family) &&
          find_ec_member_matching_expr(known, as_expr(id), rel->relids) != nullptr) {
        eclass = known;
      }
    }
    if (eclass == nullptr) {
      eclass = makeNode(EquivalenceClass);
      eclass->ec_opfamilies = get_mergejoin_opfamilies(uuid_operator(BTEqualStrategyNumber));
    }
    reading->key = make_path_key(root, eclass, family, reading->descending);
  }
  if (!list_member_ptr(root->eq_classes, eclass)) {
    auto *member = makeNode(EquivalenceMember);
    member->em_expr = copy_of_expr(id);
    member->em_relids = bms_copy(rel->relids);
    member->em_datatype = UUIDOID;
    eclass->ec_members = lappend(eclass->ec_members, member);
    eclass->ec_relids = bms_add_members(eclass->ec_relids, rel->relids);
  }
  return !eclass->ec_has_const;
}

// Returns the paths of a table that the planner would make if the query sorted by the key, and read
// the columns of a target. What is changed for that is put back.
List *index_paths(const Reading &reading, RelOptInfo *rel, PathTarget *target) {
  PlannerInfo *root = reading.root;
  const RelOptInfo table = *rel;
  List *wanted = root->query_pathkeys;
  List *classes = root->eq_classes;
  rel->pathlist = rel->partial_pathlist = NIL;
  rel->reltarget = target;
  root->query_pathkeys = list_make1(reading.key);
  root->eq_classes = list_append_unique_ptr(list_copy(classes), reading.key->pk_eclass);
  create_index_paths(root, rel);
  List *paths = rel->pathlist;
  *rel = table;
  root->query_pathkeys = wanted;
  root->eq_classes = classes;
  return paths;
}

// Estimates the rows of a scan that are read beyond those that are asked for: within the tolerance
// on the far side, as most rows have the time of their key. If a condition limits the keys, its
// bound is wider by the near side.
double rows_held(const Reading &reading, const IndexPath *scan, const Var *id) {
  List *conditions = NIL;
  for (const auto *clause : each<IndexClause>(scan->indexclauses)) {
    if (scan->indexinfo->indexkeys[clause->indexcol] == id->varattno) {
      conditions = lappend(conditions, clause->rinfo);
    }
  }
  const auto [least, most] = reading.tolerance;
  const int64 reach = conditions != NIL ? most - least : reading.descending ? most : -least;
  VariableStatData data;
  examine_variable(reading.root, as_node(id), 0, &data);
  const ColumnStatistics *statistics = statistics_for(reading.root, &data, F_UUID_LT, kMax);
  ReleaseVariableStats(data);
  const double share =
      statistics != nullptr && statistics->histogram.count > 0
          ? share_at_end(*statistics, reading.descending, std::max<int64>(reach, 0))
          : 1.0 / 3;
  const double selected = clauselist_selectivity(reading.root, conditions, 0, JOIN_INNER, nullptr);
  return scan->path.rows * std::min(1.0, share / std::max(selected, 1e-10));
}

// Returns the cheapest scan of an index in the order of the key; null if there is none.
Path *cheapest_scan(Reading *reading, RelOptInfo *rel, const Var *id, PathTarget *target) {
  // There may be many partitions that are not read.
  const bool reached = reading->found <= reading->bound + reading->held;
  Path *cheapest = nullptr;
  double held = 0;
  for (auto *path : each<Path>(index_paths(*reading, rel, target))) {
    const auto *scan = as<IndexPath>(path);
    if (scan == nullptr || path->param_info != nullptr ||
        nth<PathKey>(path->pathkeys, 0) != reading->key) {
      continue;
    }
    const double more = reached ? rows_held(*reading, scan, id) : 0;
    const double share = std::min(1.0, (reading->bound + more) / std::max(path->rows, 1.0));
    if (cheapest == nullptr || compare_fractional_path_costs(path, cheapest, share) < 0) {
      cheapest = path;
      held = more;
    }
  }
  if (cheapest != nullptr) {
    reading->found += cheapest->rows;
    reading->held = std::max(reading->held, held);
  }
  return cheapest;
}

// Returns the cheapest path that reads the columns of a target from a table in the order of a key;
// null if there is none.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
Path *path_by_key(Reading *reading, RelOptInfo *rel, const Var *id, PathTarget *target) {
  check_stack_depth();
  PlannerInfo *root = reading->root;
  const RangeTblEntry *rte = root->simple_rte_array[rel->relid];
  if (rte->tablesample != nullptr || !add_key(reading, rel, id)) {
    return nullptr;
  }
  if (!rte->inh) {
    return cheapest_scan(reading, rel, id, target);
  }
  // In the order of reading.
  List *paths = NIL;
  const auto next = reading->descending ? bms_prev_member : bms_next_member;
  for (int i = -1; rel->part_scheme != nullptr && (i = next(rel->live_parts, i)) >= 0;) {
    RelOptInfo *part = rel->part_rels[i];
    if (part == nullptr || IS_DUMMY_REL(part)) {
      continue;
    }
    AppendRelInfo *info = root->append_rel_array[part->relid];
    const auto *own_id = as<Var>(nth(info->translated_vars, id->varattno - 1));
    PathTarget *own_target = copy_pathtarget(target);
    own_target->exprs =
        reinterpret_cast<List *>(adjust_appendrel_attrs(root, as_node(target->exprs), 1, &info));
    Path *path = own_id != nullptr ? path_by_key(reading, part, own_id, own_target) : nullptr;
    if (path == nullptr) {
      return nullptr;
    }
    paths = lappend(paths, path);
  }
  if (paths == NIL) {
    return nullptr;
  }
  if (rel->part_scheme->strategy != PARTITION_STRATEGY_RANGE) {
    reading->held *= list_length(paths);  // all of them have rows as new
  }
  Path *path = has_ordered_partitions(rel, id)
                   ? append_in_order(root, rel, paths, list_make1(reading->key))
                   : merge_in_order(root, rel, paths, list_make1(reading->key));
  path->pathtarget = target;
  return path;
}

// Sets the cost of a path. Each row that is read is compared with some of those that are kept.
void set_cost(Path *path, const Path *input, const Reading &reading) {
  const double rows = std::max(input->rows, 1.0);
  const double read = std::min(reading.bound + reading.held, rows);
  const QualCost &target = path->pathtarget->cost;
  path->rows = std::min<double>(reading.bound, rows);
  path->startup_cost =
      input->startup_cost + (input->total_cost - input->startup_cost) * read / rows +
      read * 2 * cpu_operator_cost * std::bit_width(static_cast<uint32>(reading.bound)) +
      target.startup;
  path->total_cost = path->startup_cost + path->rows * (cpu_operator_cost + target.per_tuple);
}

}  // namespace

void add_near_sort(QueryLevel *level, RelOptInfo *rel, RelOptInfo *result) {
  PlannerInfo *root = level->root;
  const auto *first = nth<PathKey>(root->sort_pathkeys, 0);
  Reading reading;
  reading.root = root;
  reading.bound = rows_asked_for(root);
  if (first == nullptr || reading.bound == 0 || rel->rtekind != RTE_RELATION || IS_DUMMY_REL(rel)) {
    return;
  }
  reading.descending = is_descending(first);
  KeyTime time;
  PathTarget *target = create_empty_pathtarget();
  const Var *column = add_sort_columns(root, rel, first, target);
  if (column == nullptr || !read_near(level, rel, column, &time, &reading.tolerance) ||
      first->pk_opfamily != family_of(time.type)) {
    return;
  }
  // Beside the columns by which the query sorts, those of the result, and the key.
  PathTarget *wanted = root->upper_targets[UPPERREL_ORDERED];
  List *columns = pull_var_clause(as_node(wanted->exprs), PVC_RECURSE_PLACEHOLDERS);
  add_new_columns_to_pathtarget(target, lappend(columns, copy_of(time.id)));
  set_pathtarget_cost_width(root, target);
  const bool fits = (target->width + 24.0) * reading.bound < work_mem * 1024.0;  // with headers
  Path *input = fits ? path_by_key(&reading, rel, time.id, target) : nullptr;
  if (input == nullptr) {
    return;
  }
  const auto [least, most] = reading.tolerance;
  Path *path = &make_near_sort_path(input, column, time.id, reading.descending, reading.bound,
                                    reading.descending ? most : least)
                    ->path;
  path->parent = result;
  path->pathtarget = wanted;
  path->parallel_safe = result->consider_parallel && input->parallel_safe;
  path->pathkeys = root->sort_pathkeys;
  set_cost(path, input, reading);
  add_path(result, path);
}

}  // namespace uuidx
