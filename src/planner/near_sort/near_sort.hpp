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

// Makes a path of Near Sort, which returns the first `bound` rows in the order of a query. `input`
// returns them in the order of the key `id`, with the columns by which the query sorts, `time`
// before all others. No time of a row is farther from its key's than `reach`: above it in
// descending order, else below it, as a negative number.
CustomPath *make_near_sort_path(Path *input, const Var *time, const Var *id, bool descending,
                                int bound, int64 reach);

// Registers the node of the executor, so that parallel workers can read plans that have it.
void register_near_sort();

}  // namespace uuidx
