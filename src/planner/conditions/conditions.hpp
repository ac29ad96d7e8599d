// Conditions on the time of a key as conditions on the key.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns some clauses, joined by AND, with those on the time of keys as clauses on the keys; the
// same list if there are none. Changes no node. `semijoin` says that they are those of IN or
// EXISTS.
List *rewrite_clauses(QueryLevel *level, List *clauses, bool semijoin);

}  // namespace uuidx
