// Where the planner is entered. The first hook is called for each table when its RelOptInfo is
// made.
//
// For the first table of a query that is in the FROM clause itself, that is in
// add_base_rels_to_query(): after views are flattened, virtual columns expanded and expressions
// simplified, and before deconstruct_jointree() distributes conditions and the order is planned.
// There the conditions of the whole query are rewritten. What is left is a query that a user could
// have written, so index, partitions, estimates and foreign servers follow by themselves.
//
// For a child of a UNION ALL, it is in add_other_rels_to_query(): after conditions were given to
// the UNION ALL, and before apply_child_basequals() derives those of the child from them.
//
// The query tree is the planner's own copy; lists are replaced, but no expression is changed in
// place, as others may share it. The other hooks are called when the paths of a table, and when all
// paths of a query are complete.
#include "planner/rewrite/hook.hpp"

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/clauses.hpp"
#include "planner/rewrite/comparison.hpp"
#include "planner/rewrite/conditions.hpp"
#include "planner/rewrite/order.hpp"
#include "planner/rewrite/time_index.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constinit set_rel_pathlist_hook_type next_pathlist_hook = nullptr;
constinit create_upper_paths_hook_type next_upper_paths_hook = nullptr;

// Rewrites the conditions of a join tree, which are lists of clauses by now.
// NOLINTNEXTLINE(misc-no-recursion): join trees are trees.
void rewrite_join_tree(Statement *statement, Node *node) {
  Node **quals = nullptr;
  bool semijoin = false;
  if (auto *from = as<FromExpr>(node)) {
    for (Node *item : each(from->fromlist)) {
      rewrite_join_tree(statement, item);
    }
    quals = &from->quals;
  } else if (auto *join = as<JoinExpr>(node)) {
    rewrite_join_tree(statement, join->larg);
    rewrite_join_tree(statement, join->rarg);
    quals = &join->quals;
    semijoin = join->jointype == JOIN_SEMI;
  }
  if (quals != nullptr) {
    statement->semijoin = semijoin;
    *quals = as_node(rewrite_clauses(statement, reinterpret_cast<List *>(*quals)));
  }
}

// Rewrites the conditions of row level security and of views with security_barrier.
void rewrite_security(Statement *statement) {
  for (auto *entry : each<RangeTblEntry>(statement->root->parse->rtable)) {
    for (int i = 0; i < list_length(entry->securityQuals); ++i) {
      ListCell *cell = list_nth_cell(entry->securityQuals, i);
      lfirst(cell) = rewrite_clauses(statement, static_cast<List *>(lfirst(cell)));
    }
  }
}

// True if no other table of the query is known to the planner yet.
bool is_first(const PlannerInfo *root, const RelOptInfo *rel) {
  for (int i = 1; i < root->simple_rel_array_size; ++i) {
    const RelOptInfo *other = root->simple_rel_array[i];
    if (other != nullptr && other != rel && other->rtekind == RTE_RELATION) {
      return false;
    }
  }
  return true;
}

// Lets conditions on the columns of a UNION ALL be rewritten for each of its tables, which have
// columns of their own: the planner simplifies the condition that it derives, and that rewrites it.
void wrap_conditions(Statement *statement, const RelOptInfo *child) {
  PlannerInfo *root = statement->root;
  const Index parent = root->append_rel_array[child->relid]->parent_relid;
  if (root->simple_rte_array[parent]->rtekind != RTE_SUBQUERY) {
    return;
  }
  for (auto *restriction : each<RestrictInfo>(root->simple_rel_array[parent]->baserestrictinfo)) {
    const auto *call = as<FuncExpr>(restriction->clause);
    if (!restriction->pseudoconstant && need_functions(statement) &&
        (call == nullptr || call->funcid != statement->functions.condition)) {
      restriction->clause = condition_call(
          statement->functions,
          as_node(makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, Datum{0}, true, false)),
          restriction->clause);
    }
  }
}

// Rewrites what a query has of the time of a table's keys.
void visit_table(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *entry) {
  // CLUSTER and CREATE INDEX plan with a query that has no join tree.
  if (!enable_time_columns || root->parse->jointree == nullptr || entry->rtekind != RTE_RELATION) {
    return;
  }
  Statement statement;
  statement.root = root;
  if (rel->reloptkind == RELOPT_OTHER_MEMBER_REL) {
    wrap_conditions(&statement, rel);
  } else if (is_first(root, rel)) {
    rewrite_join_tree(&statement, as_node(root->parse->jointree));
    rewrite_security(&statement);
  }
  add_time_indexes(&statement, rel);
}

// Completes the paths of a table.
void visit_paths(PlannerInfo *root, RelOptInfo *rel, Index table, RangeTblEntry *entry) {
  restore_indexes(root, rel);
  if (enable_time_columns && root->parse->jointree != nullptr) {
    order_partitions(root, rel);
  }
  if (next_pathlist_hook != nullptr) {
    next_pathlist_hook(root, rel, table, entry);
  }
}

// Completes the paths of a query.
void visit_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
                       RelOptInfo *output, void *extra) {
  if (stage == UPPERREL_FINAL) {
    restore_partitions(root);
  }
  if (next_upper_paths_hook != nullptr) {
    next_upper_paths_hook(root, stage, input, output, extra);
  }
}

}  // namespace

void install_rewriting() {
  TableHook<visit_table>::install();
  next_pathlist_hook = set_rel_pathlist_hook;
  set_rel_pathlist_hook = visit_paths;
  next_upper_paths_hook = create_upper_paths_hook;
  create_upper_paths_hook = visit_upper_paths;
}

// uuid_time_column_support(internal), the support function of the functions that extract a time:
// serves no request. The planner calls it while it simplifies the query, and so loads the library,
// which rewrites time columns, in time for the first query of a session.
UUIDX_FUNCTION(uuidx_time_column_support) {
  PG_RETURN_DATUM(0);
}

}  // namespace uuidx
