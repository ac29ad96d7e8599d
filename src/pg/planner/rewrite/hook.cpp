// The planner's hook for a table of a query. It is called after views are flattened, virtual
// columns expanded and expressions simplified, and before conditions are distributed to tables and
// the order is planned. What it leaves is a query that a user could have written, so index,
// partitions, estimates and foreign servers follow by themselves. The query tree is the planner's
// own copy; lists are replaced, but no expression is changed in place, as others may share it.
#include "pg/planner/rewrite/hook.hpp"

#include "pg/compat.hpp"
#include "pg/planner/rewrite/key_table.hpp"
#include "pg/planner/rewrite/conditions.hpp"
#include "pg/planner/rewrite/order.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Rewrites the conditions of a join tree, which are lists of clauses by now.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
void rewrite_join_tree(KeyTable *table, Node *node) {
  if (IsA(node, FromExpr)) {
    auto *from = reinterpret_cast<FromExpr *>(node);
    for (int i = 0; i < list_length(from->fromlist); ++i) {
      rewrite_join_tree(table, static_cast<Node *>(list_nth(from->fromlist, i)));
    }
    from->quals =
        reinterpret_cast<Node *>(rewrite_clauses(table, reinterpret_cast<List *>(from->quals)));
  } else if (IsA(node, JoinExpr)) {
    auto *join = reinterpret_cast<JoinExpr *>(node);
    rewrite_join_tree(table, join->larg);
    rewrite_join_tree(table, join->rarg);
    join->quals =
        reinterpret_cast<Node *>(rewrite_clauses(table, reinterpret_cast<List *>(join->quals)));
  }
}

// Rewrites the conditions of row level security and of views with security_barrier.
void rewrite_security(KeyTable *table, List *conditions) {
  for (int i = 0; i < list_length(conditions); ++i) {
    ListCell *cell = list_nth_cell(conditions, i);
    lfirst(cell) = rewrite_clauses(table, static_cast<List *>(lfirst(cell)));
  }
}

// Rewrites conditions and order by the time of a table's keys.
void rewrite_for(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *entry) {
  // CLUSTER and CREATE INDEX plan with a query that has no join tree.
  if (!enable_time_columns || root->parse->jointree == nullptr ||
      rel->reloptkind != RELOPT_BASEREL || entry->rtekind != RTE_RELATION) {
    return;
  }
  KeyTable table;
  table.root = root;
  table.varno = rel->relid;
  table.entry = entry;
  rewrite_join_tree(&table, reinterpret_cast<Node *>(root->parse->jointree));
  rewrite_security(&table, entry->securityQuals);
  order_by_id(&table);
}

}  // namespace

void install_time_columns() {
  TableHook<rewrite_for>::install();
}

// uuid_time_column_support(internal), the support function of the functions that extract a time:
// serves no request. The planner calls it while it simplifies the query, and so loads the library,
// which rewrites time columns, in time for the first query of a session.
UUIDX_FUNCTION(uuidx_time_column_support) {
  PG_RETURN_DATUM(0);
}

}  // namespace uuidx
