// Conditions on the columns of a UNION ALL, for each of its members.
#pragma once

#include "planner/rewrite/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A clause of a UNION ALL, and what becomes of it for one member.
struct ReplacedClause {
  RestrictInfo *rinfo = nullptr;
  Expr *original = nullptr;
  Index member = 0;
  Expr *rewritten = nullptr;
};

// Rewrites the conditions on a UNION ALL for one of its members, whose columns may be times of
// keys, and returns them as a list; NIL if the table is no such member. Called before
// apply_child_basequals() derives the member's conditions from those of the UNION ALL. There is no
// hook after that, and the member may have partitions, which are pruned at once. So a clause that
// changes is replaced by a call of uuid_condition() with the clause itself. apply_child_basequals()
// copies and then simplifies it; the support function of that call makes it the new clause for this
// member, and puts the old one back. Other members get the old clause: apply_child_basequals() asks
// no further once a clause is false for a member, and members that are no tables have no hook.
List *rewrite_for_member(QueryLevel *level, const RelOptInfo *member);

// Puts back all clauses that are replaced.
void put_back_clauses(QueryLevel *level);

// Returns what a call that rewrite_for_member() has made stands for, and puts back the clause that
// was replaced by it; null for any other call, such as one that a user has written.
Node *take_condition(PlannerInfo *root, const List *args);

}  // namespace uuidx
