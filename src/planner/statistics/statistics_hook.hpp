// What the planner is told of the distribution of a column of type uuid.
#pragma once

#include "planner/statistics/column_statistics.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Installs the hook that gives the planner statistics adapted to the constants of a query.
void install_statistics();

// Reads the statistics of a column, as of read_statistics(); returns null if there are none, or for
// a function that may not see them.
const ColumnStatistics *statistics_for(PlannerInfo *root, Node *column, Oid function,
                                       Uuid highest = kMax);

}  // namespace uuidx
