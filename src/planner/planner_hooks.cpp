// Where the planner is entered. The first hook is called for each table when its RelOptInfo is
// made. A query level without a time of a key is left as it is: see query_level.hpp.
//
// For the first table that is in the FROM clause itself, that is in add_base_rels_to_query(): after
// views are flattened, virtual columns expanded and expressions simplified, and before
// deconstruct_jointree() distributes conditions and the order is planned. There the conditions of
// the whole level are rewritten. What is left is a query that a user could have written, so index,
// partitions, estimates and foreign servers follow by themselves.
//
// For a member of a UNION ALL, it is in add_other_rels_to_query(), after conditions were given to
// the UNION ALL: see rewrite_for_member(). For each table, copies of its indexes are added: see
// time_index.hpp.
//
// The query tree is the planner's own copy; lists are replaced, but no expression is changed in
// place, as others may share it. The other hooks are called when the paths of a table, and those in
// the order of a query's result, are complete. By then, PostgreSQL has removed tables: see
// visit_again().
#include "planner/planner_hooks.hpp"

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/conditions/conditions.hpp"
#include "planner/groups/group_counts.hpp"
#include "planner/conditions/equalities.hpp"
#include "planner/conditions/join_pruning.hpp"
#include "planner/near_sort/near_sort.hpp"
#include "planner/orders/column_indexes.hpp"
#include "planner/orders/ordered_append.hpp"
#include "planner/orders/time_index.hpp"
#include "planner/statistics/statistics_hook.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_class.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "utils/plancache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constinit set_rel_pathlist_hook_type next_pathlist_hook = nullptr;
constinit create_upper_paths_hook_type next_upper_paths_hook = nullptr;

// Rewrites the conditions of a join tree, which are lists of clauses by now. Those of a FULL JOIN
// stay as they are: all of them must be mergeable or hashable.
// NOLINTNEXTLINE(misc-no-recursion): join trees are trees.
void rewrite_join_tree(QueryLevel *level, Node *node) {
  check_stack_depth();
  Node **quals = nullptr;
  auto *join = as<JoinExpr>(node);
  if (auto *from = as<FromExpr>(node)) {
    for (Node *item : each(from->fromlist)) {
      rewrite_join_tree(level, item);
    }
    quals = &from->quals;
  } else if (join != nullptr) {
    rewrite_join_tree(level, join->larg);
    rewrite_join_tree(level, join->rarg);
    quals = join->jointype == JOIN_FULL ? nullptr : &join->quals;
  }
  if (quals != nullptr) {
    *quals = as_node(rewrite_clauses(level, reinterpret_cast<List *>(*quals), join));
  }
}

// Rewrites the conditions of row level security and of views with security_barrier.
void rewrite_security(QueryLevel *level) {
  for (auto *rte : each<RangeTblEntry>(level->root->parse->rtable)) {
    for (int i = 0; i < list_length(rte->securityQuals); ++i) {
      ListCell *cell = list_nth_cell(rte->securityQuals, i);
      lfirst(cell) = rewrite_clauses(level, static_cast<List *>(lfirst(cell)));
    }
  }
}

// Rewrites what a query has of the time of a table's keys. CLUSTER and CREATE INDEX plan with a
// query that has no join tree.
void visit_table(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte) {
  if (!enable_time_columns || planning_memory(root) == nullptr ||
      root->parse->jointree == nullptr || rte->rtekind != RTE_RELATION) {
    return;
  }
  QueryLevel *level = level_of(root);
  if (!level->has_times) {
    return;
  }
  List *conditions = NIL;
  if (rel->reloptkind == RELOPT_OTHER_MEMBER_REL) {
    give_implied_joins(level, nullptr);
    conditions = rewrite_for_member(level, rel);
  } else if (!level->is_rewritten) {
    read_equal_constants(level);
    rewrite_join_tree(level, as_node(root->parse->jointree));
    rewrite_security(level);
    level->is_rewritten = true;
  }
  add_time_indexes(level, rel, conditions);
  add_group_counts(level, rel);
}

// True if set_plain_rel_pathlist() has made index paths of a table or partition, so that it may
// have more.
bool has_index_paths(RelOptInfo *rel, const RangeTblEntry *rte) {
  return rte->rtekind == RTE_RELATION &&
         (rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW) && !rte->inh &&
         rte->tablesample == nullptr && !IS_DUMMY_REL(rel);
}

// Adds what a query has of the time of a table's keys once more, if PostgreSQL may have removed a
// join of the table with itself, and put the columns of this side in place of those of the other:
// from PostgreSQL 18 on, query_planner() calls remove_useless_self_joins() after the first hook.
// Makes the paths that PostgreSQL would have made of all indexes; add_path() leaves out those that
// there are already.
void visit_again(QueryLevel *level, RelOptInfo *rel, const RangeTblEntry *rte) {
  bool replaces_other = false;
  for (const auto *table : each<KeyTable>(level->tables)) {
    replaces_other = replaces_other || (level->root->simple_rel_array[table->rti] == nullptr &&
                                        table->rte->relid == rte->relid);
  }
  if (replaces_other && rel->reloptkind == RELOPT_BASEREL) {
    level->orders = NIL;
    level->knows_orders = false;
    add_time_indexes(level, rel, NIL);
    add_group_counts(level, rel);
    create_index_paths(level->root, rel);
  }
}

// Completes the paths of a table.
void visit_paths(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte) {
  QueryLevel *level = known_level(root);
  if (level != nullptr && level->has_times) {
    const bool may_have_more = has_index_paths(rel, rte);
    give_implied_joins(level, may_have_more ? rel : nullptr);
    if (may_have_more) {
      visit_again(level, rel, rte);
      add_index_only_scans(*level, rel);
    }
    restore_indexes(*level, rel);
    add_ordered_append(level, rel);
    add_join_pruning(*level, rel);
    take_implied_joins(*level, rel);
  }
  if (next_pathlist_hook != nullptr) {
    next_pathlist_hook(root, rel, rti, rte);
  }
}

// Completes the paths of a query's result.
void visit_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
                       RelOptInfo *output, void *extra) {
  if (stage == UPPERREL_ORDERED && input->reloptkind == RELOPT_BASEREL) {
    QueryLevel *level = known_level(root);
    if (level != nullptr && level->has_times) {
      add_ordered_result(level, input, output);
      add_near_sort(level, input, output);
    }
  }
  if (next_upper_paths_hook != nullptr) {
    next_upper_paths_hook(root, stage, input, output, extra);
  }
}

}  // namespace

void install_planner_hooks() {
  static constinit bool installed = false;
  if (installed) {
    return;
  }
  installed = true;
  TableHook<visit_table>::install();
  next_pathlist_hook = set_rel_pathlist_hook;
  set_rel_pathlist_hook = visit_paths;
  next_upper_paths_hook = create_upper_paths_hook;
  create_upper_paths_hook = visit_upper_paths;
  install_group_counts();
  install_statistics();
  // Plans that were made without the hooks are made anew. That may happen while a query is planned:
  // plans are only marked as invalid, as by any change of an operator that a look-up hears of.
  ResetPlanCache();
}

// uuid_time_column_support(internal), the support function of the functions that extract a time:
// serves no request. The planner calls it while it simplifies the query, and so loads the library
// and installs the hooks in time for the first query of a session.
UUIDX_FUNCTION(uuidx_time_column_support) {
  install_planner_hooks();
  PG_RETURN_DATUM(0);
}

}  // namespace uuidx
