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

// Makes a path that returns those rows of `input` that may be among the first `bound` ones in the
// order of a time, for a Sort above it, and ends when no more can follow. `input` returns the key,
// the time and other columns in the order of the key. No time of a row is farther from its key's
// than `reach`: above it in descending order, else below it, as a negative number.
CustomPath *make_near_sort_path(Path *input, bool descending, int bound, int64 reach);

// Registers the node of the executor, so that parallel workers can read plans that have it.
void register_near_sort();

}  // namespace uuidx
