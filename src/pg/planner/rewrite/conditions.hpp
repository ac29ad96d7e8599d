// Conditions on the time of a key as conditions on the key.
#pragma once

#include "pg/planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns some clauses, joined by AND, with those on the time of keys as clauses on the keys; the
// same list if there are none. Changes no node.
List *rewrite_clauses(Statement *statement, List *clauses);

// Returns the bounds of the id that a comparison implies; they are equivalent to it if its time is
// exact.
List *bounds_of_id(const Statement &statement, const Comparison &comparison);

// Lets the join conditions of a table that other conditions imply count for nothing in estimates of
// rows. Called before joins are planned.
void count_implied_once(const RelOptInfo *rel);

// Returns the bounds of keys whose time is that of a key whose time is known, for all rows.
List *bounds_of_equal_times(const Statement &statement);

}  // namespace uuidx
