// Conditions on the columns of a UNION ALL, for each of its members.
#pragma once

#include "planner/rewrite/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A clause of a UNION ALL that holds what becomes of it for one member.
struct ReplacedClause {
  RestrictInfo *rinfo = nullptr;
  Expr *original = nullptr;
};

// Rewrites the conditions on a UNION ALL for one of its members, whose columns may be times of
// keys, and returns them as a list; NIL if the table is no such member. Called before
// apply_child_basequals() derives the member's conditions from those of the UNION ALL. There is no
// hook after that, and the member may have partitions, which are pruned at once. So a clause that
// changes is replaced by a call of uuid_condition() with the new one. apply_child_basequals()
// copies and then simplifies it; the support function of that call puts the clause back.
List *rewrite_for_member(QueryLevel *level, const RelOptInfo *member);

// Puts back all clauses that are replaced. There are none, unless the call has lost its support
// function.
void put_back_clauses(QueryLevel *level);

// Returns the condition within a call that rewrite_for_member() has made, and puts back the clause
// that held it; null for any other call, such as one that a user has written.
Node *take_condition(PlannerInfo *root, const List *args);

}  // namespace uuidx
