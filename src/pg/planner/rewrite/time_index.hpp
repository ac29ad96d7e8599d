// Indexes on keys, read as indexes on the time of the keys.
#pragma once

#include "pg/planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Adds to a table's indexes a copy of each B-tree on a key whose time the query sorts, groups or
// joins by: in the order of a version 7 key, its time is in order, too. All orders that the planner
// knows follow from that.
void add_time_indexes(Statement *statement, RelOptInfo *rel);

// Gives paths by such a copy the index itself, as the executor needs it. Called when the paths of a
// table are complete.
void restore_indexes(const RelOptInfo *rel);

}  // namespace uuidx
