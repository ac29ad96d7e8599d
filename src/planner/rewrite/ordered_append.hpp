// Partitions by ranges of a key, in the order of its time.
#pragma once

#include "planner/rewrite/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// If a query wants the time of the first partition key of a table in order, adds a path that reads
// the partitions one after the other, where PostgreSQL would merge all of them. Called when the
// paths of the table are complete. This is what generate_orderedappend_paths() does for an order by
// the key itself; nothing of the planner's is changed.
void add_ordered_append(QueryLevel *level, RelOptInfo *rel);

}  // namespace uuidx
