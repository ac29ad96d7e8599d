// What the planner is told of the distribution of a column of type uuid.
#pragma once

#include "planner/statistics/column_statistics.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Installs the hook that gives the planner statistics adapted to the constants of a query.
void install_statistics();

// Returns the statistics of a column for UUIDs up to `highest`, read at most once for the planning
// of a query if it is a table's; null if there are none, or for a function that may not see them.
const ColumnStatistics *statistics_for(PlannerInfo *root, VariableStatData *variable, Oid function,
                                       Uuid highest);

}  // namespace uuidx
