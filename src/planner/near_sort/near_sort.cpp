// The forms that are served:
//
//   SELECT ... FROM table WHERE ... ORDER BY time [, columns] LIMIT constant [OFFSET constant]
//
//   table    one table, or a partitioned one; also in a subquery
//   WHERE    anything; an index may begin with columns that are equal to something, then the key
//   time     a column of timestamptz, or of timestamp in UTC, that CHECK constraints say is near
//            the time of the key, ascending or descending
//   columns  any columns of the table
//
// Not served: LIMIT with a parameter whose value the plan does not know, WITH TIES, FOR UPDATE,
// TABLESAMPLE, aggregates, GROUP BY, DISTINCT, window functions, functions that return sets, and
// whatever would need more memory than work_mem.
//
// Rows come from an index of the key, see key_paths.hpp, and are sorted as in near_scan.cpp. That
// reads the rows within the tolerance beyond the last one that is needed. PostgreSQL compares the
// cost of this with that of its own paths.
#include "planner/near_sort/near_sort.hpp"

#include <algorithm>
#include <cmath>

#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/near_sort/key_paths.hpp"
#include "planner/near_sort/near_scan.hpp"
#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr int64 kMostRows = 10'000;

// Returns how many rows at most a query asks for; 0 if that is not known, or too many.
int rows_asked_for(const PlannerInfo *root) {
  const Query *query = root->parse;
  const Const *count = constant_of(query->limitCount);
  const Const *offset = constant_of(query->limitOffset);
  if (query->commandType != CMD_SELECT || query->limitOption != LIMIT_OPTION_COUNT ||
      query->rowMarks != NIL || root->rowMarks != NIL || query->hasTargetSRFs || count == nullptr ||
      (offset == nullptr && query->limitOffset != nullptr)) {
    return 0;
  }
  const int64 rows = DatumGetInt64(count->constvalue);
  const int64 skipped = offset != nullptr ? DatumGetInt64(offset->constvalue) : 0;
  return rows > 0 && rows <= kMostRows && skipped >= 0 && skipped <= kMostRows - rows
             ? static_cast<int>(rows + skipped)
             : 0;
}

// Returns the column by which a query sorts first, not counting those that are constant; null if it
// sorts by an expression.
Var *first_column(const PlannerInfo *root, const RelOptInfo *rel) {
  const auto *first = nth<PathKey>(root->sort_pathkeys, 0);
  Var *found = nullptr;
  for (auto *clause : each<SortGroupClause>(root->parse->sortClause)) {
    Node *column = get_sortgroupclause_expr(clause, root->processed_tlist);
    if (first == nullptr || as<Var>(column) == nullptr) {
      return nullptr;
    }
    if (found == nullptr &&
        find_ec_member_matching_expr(first->pk_eclass, as_expr(column), rel->relids) != nullptr) {
      found = as<Var>(column);
    }
  }
  return found;
}

// Reads a column as one that is near the time of a key of its table, and sets how near.
bool read_near(QueryLevel *level, const RelOptInfo *rel, Var *column, KeyTime *time,
               Reach *tolerance) {
  constexpr int64 kMost = int64{1000} * 366 * USECS_PER_DAY;  // no overflow
  if (!read_time(level, NIL, as_node(column), time) || !time->near ||
      (time->type != TIMESTAMPTZOID && time->type != TIMESTAMPOID) ||
      time->table->rti != rel->relid || time->steps.is_full() ||
      proof_of(*time->table, time->id->varattno) != Proof::all_v7) {
    return false;
  }
  Computation rest;
  for (const Step &step : time->steps) {
    if (step.kind != Step::Kind::move) {
      rest.add(step);
      continue;
    }
    tolerance->least += step.reach.least;
    tolerance->most += step.reach.most;
  }
  if (time->precise) {
    tolerance->most += 999;  // the node reads milliseconds
  }
  const Bitmapset *never_null = time->table->facts.never_null;
  return rest.is_time() && time->steps.farthest() < kMost &&
         has_column(never_null, column->varattno) && has_column(never_null, time->id->varattno);
}

// Returns the columns that a scan must return: those of the result, with the references of those
// by which the query sorts, and the key.
PathTarget *input_target(PlannerInfo *root, const Var *id) {
  PathTarget *target = create_empty_pathtarget();
  for (const auto *clause : each<SortGroupClause>(root->parse->sortClause)) {
    Node *column =
        get_sortgroupclause_expr(const_cast<SortGroupClause *>(clause), root->processed_tlist);
    add_column_to_pathtarget(target, as_expr(column), clause->tleSortGroupRef);
  }
  List *columns = pull_var_clause(as_node(root->upper_targets[UPPERREL_ORDERED]->exprs),
                                  PVC_RECURSE_PLACEHOLDERS);
  add_new_columns_to_pathtarget(target, columns);
  add_new_column_to_pathtarget(target, copy_of_expr(id));
  return set_pathtarget_cost_width(root, target);
}

// Sets the cost of a path: its input is read until the rows are certain, and each row is compared
// with those that are kept.
void set_cost(NearSortPath *near, const Path *input, double held) {
  Path *path = &near->custom.path;
  const double bound = near->bound;
  const double read = std::min(bound + held, std::max(input->rows, 1.0));
  const PathTarget *target = path->pathtarget;
  path->rows = std::min(bound, std::max(input->rows, 1.0));
  path->startup_cost = cost_of_first(input, read) +
                       read * 2 * cpu_operator_cost * std::log2(bound + 1) + target->cost.startup;
  path->total_cost = path->startup_cost + path->rows * (cpu_operator_cost + target->cost.per_tuple);
}

}  // namespace

void add_near_sort(QueryLevel *level, RelOptInfo *rel, RelOptInfo *result) {
  PlannerInfo *root = level->root;
  const int bound = rel->rtekind == RTE_RELATION && !IS_DUMMY_REL(rel) ? rows_asked_for(root) : 0;
  Var *column = bound > 0 ? first_column(root, rel) : nullptr;
  if (column == nullptr) {
    return;
  }
  const auto *first = nth<PathKey>(root->sort_pathkeys, 0);
  KeyTime time;
  KeyOrder order;
  order.root = root;
  order.descending = is_descending(first);
  order.rows = bound;
  if (!read_near(level, rel, column, &time, &order.tolerance) ||
      first->pk_opfamily != family_of(time.type)) {
    return;
  }
  PathTarget *target = input_target(root, time.id);
  const Size row = MAXALIGN(static_cast<Size>(target->width)) + MAXALIGN(SizeofMinimalTupleHeader);
  Path *input = row * static_cast<Size>(bound) < static_cast<Size>(work_mem) * 1024
                    ? path_by_key(&order, rel, time.id, target)
                    : nullptr;
  if (input == nullptr) {
    return;
  }
  NearSortPath *near = make_near_sort_path(input);
  near->time = column;
  near->id = time.id;
  near->descending = order.descending;
  near->reach = order.descending ? order.tolerance.most : order.tolerance.least;
  near->bound = bound;
  Path *path = &near->custom.path;
  path->parent = result;
  path->pathtarget = root->upper_targets[UPPERREL_ORDERED];
  path->parallel_safe = result->consider_parallel && input->parallel_safe;
  path->pathkeys = root->sort_pathkeys;
  set_cost(near, input, order.held);
  add_path(result, path);
}

}  // namespace uuidx
