// How many groups a query makes by what it computes from the time of a key.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Lets the planner ask for the number of different values of what a query groups a table by, such
// as the day of the time of a key: it would take all rows for different. As for a user's index on
// an expression, examine_variable() asks get_index_stats_hook if an index of the table has the
// expression. So an index that cannot be scanned, and has no columns for conditions, is added.
void add_group_counts(QueryLevel *level, RelOptInfo *rel);

// Returns the number of periods of a length, in microseconds, in which a table has keys, among
// those that its conditions leave; 0 if that is not known.
double count_periods(PlannerInfo *root, const RelOptInfo *rel, const Var *id, int64 unit);

// Installs that hook.
void install_group_counts();

}  // namespace uuidx
