// The alternatives of an OR or of IN.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the bounds that all alternatives, lists of clauses, imply for a key, as calls of
// uuid_condition(): pages of `c < t OR (c = t AND id < i)` begin there.
List *common_bounds(QueryLevel *level, const List *alternatives);

// Returns the elements of an array that are known, without NULL; NIL if there are none, or too many
// in all arrays of the query level, as each alternative must be planned, for each partition.
List *elements_of(QueryLevel *level, const KeyTable &table, const Node *array);

}  // namespace uuidx
