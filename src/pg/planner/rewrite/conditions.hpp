// Conditions on the time of a key as conditions on the key.
#pragma once

#include "pg/planner/rewrite/key_table.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns some clauses, joined by AND, with those on the time of the table's keys as clauses on the
// keys; the same list if there are none. Changes no node.
List *rewrite_clauses(KeyTable *table, List *clauses);

}  // namespace uuidx
