// The first rows in the order of a column that is near the time of a key.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Adds a path to the result of a query that reads only one table, if it has a form that is listed
// at the head of near_sort.cpp. Called when the paths in the order of the result are complete.
void add_near_sort(QueryLevel *level, RelOptInfo *rel, RelOptInfo *result);

}  // namespace uuidx
