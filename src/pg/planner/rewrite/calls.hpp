// Comparisons of a key with times as calls, whose rows the planner estimates as one condition.
#pragma once

#include "pg/planner/rewrite/comparisons.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Adds the clauses of some comparisons of a column to a list: calls of uuid_between_times() if all
// rows for which the other clauses hold have a version 7 UUID or NULL in the column, which `v7`
// says, and the planner cannot do more with comparisons. Returns false if the clauses are those
// that were read.
bool add_comparisons(KeyTable *table, const List *comparisons, bool v7, List **clauses);

}  // namespace uuidx
