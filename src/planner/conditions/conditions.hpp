// Conditions on the time of a key as conditions on the key.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns some clauses, joined by AND, with those on the time of keys as clauses on the keys; the
// same list if there are none. Changes no node. `join` is the one that has the clauses; null for
// those of WHERE.
List *rewrite_clauses(QueryLevel *level, List *clauses, const JoinExpr *join = nullptr);

// Rewrites the conditions on a UNION ALL before they are copied to a member, if they were
// distributed before the first table of the query was planned. Returns those of the member.
List *rewrite_for_member(QueryLevel *level, const RelOptInfo *member);

}  // namespace uuidx
