// Indexes on keys, read as indexes on the time of the keys.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Adds readings of a table's B-trees on keys to its indexes, for the times of version 7 keys that
// the query sorts, groups or joins by: copies of an index up to the key, in the order of the time.
// In the order of a key, its time is in order, too. Conditions on the key are found as before, and
// all orders that the planner knows follow from the copy. `conditions` are those of a member of a
// UNION ALL.
void add_time_indexes(QueryLevel *level, RelOptInfo *rel, List *conditions);

// Makes paths by such a copy paths by the index itself, as the executor needs them. Called when the
// paths of a table are complete.
void restore_indexes(const QueryLevel &level, const RelOptInfo *rel);

}  // namespace uuidx
