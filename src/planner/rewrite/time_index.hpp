// Indexes on keys, read as indexes on the time of the keys.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Adds readings of a table's B-trees on keys to its indexes, for the times of version 7 keys that
// the query sorts, groups or joins by. In the order of a key, its time is in order, too.
//
// For an order, that is a copy of the index up to the key, in the order of the time. Conditions on
// the key are found as before, and all orders that the planner knows follow from the copy.
//
// For equalities with columns of other tables, which may also be hashed and merged, it is a copy
// with the time as an expression in the place of the key. Such an equality is then a condition of
// the index, and the time is known to be almost unique.
//
// `conditions` are those of a member of a UNION ALL.
void add_time_indexes(QueryLevel *level, RelOptInfo *rel, List *conditions);

// Makes paths by such a copy paths by the index itself, with conditions on the key, as the executor
// needs them. Called when the paths of a table are complete.
void restore_indexes(const RelOptInfo *rel);

}  // namespace uuidx
