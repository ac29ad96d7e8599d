// The alternatives of an OR or of IN.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// True if PostgreSQL loses rows of a query's partitioned tables by an OR: for `id IS NOT NULL AND
// (id < 5 OR id < 15)`, 15.18 prunes a default partition that has such rows; 15.20 and all of 16
// and later do not. The planner adds IS NOT NULL for min(id) and max(id).
bool prunes_wrongly(const Statement &statement);

// Returns the bounds that all alternatives, lists of clauses, imply for a key, as calls of
// uuid_condition(): pages of `c < t OR (c = t AND id < i)` begin there.
List *common_bounds(Statement *statement, const List *alternatives);

// Returns the elements of an array that are known, without NULL; NIL if there are none, or more
// than 100: each alternative takes about 30 microseconds to plan.
List *elements_of(const Node *array);

}  // namespace uuidx
