#include "planner/conditions/implied_joins.hpp"

#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/rewritten_and.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/makefuncs.h"
#include "optimizer/joininfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a query still has all tables of a clause, and more than one: it may have lost joins since
// the clause was noted.
bool joins_tables(const PlannerInfo *root, Relids tables) {
  for (int i = -1; (i = bms_next_member(tables, i)) >= 0;) {
    if (rte_of(root, static_cast<Index>(i)) == nullptr || root->simple_rel_array[i] == nullptr) {
      return false;
    }
  }
  return bms_membership(tables) == BMS_MULTIPLE;
}

}  // namespace

void note_implied_join(QueryLevel *level, Node *clause, const TimeComparison &comparison) {
  const Var *id = comparison.time.id;
  // Above an outer join, it would have to wait for that.
  if (is_below_outer_join(*level, id)) {
    return;
  }
  Expr *implied = condition_call(level->functions, as_node(id),
                                 make_ands_explicit(bounds_of_id(*level, comparison)));
  // Joins have only the columns of clauses that were distributed, and of a PlaceHolderVar only its
  // value.
  const List *columns = pull_var_clause(clause, PVC_INCLUDE_PLACEHOLDERS);
  for (const Node *column : each(pull_var_clause(as_node(implied), PVC_INCLUDE_PLACEHOLDERS))) {
    if (!list_member(columns, column)) {
      return;
    }
  }
  level->implied_joins = lappend(level->implied_joins, implied);
}

void give_implied_joins(QueryLevel *level, RelOptInfo *planned) {
  PlannerInfo *root = level->root;
  bool again = false;
  for (auto *clause : each<Expr>(level->implied_joins)) {
    RestrictInfo *rinfo = make_condition(root, clause, root->qual_security_level);
    if (joins_tables(root, rinfo->required_relids)) {
      add_join_clause_to_rels(root, rinfo, rinfo->required_relids);
      again = again || (planned != nullptr && bms_is_subset(planned->relids, rinfo->clause_relids));
    }
  }
  level->implied_joins = NIL;
  if (again) {
    create_index_paths(root, planned);
  }
}

}  // namespace uuidx
