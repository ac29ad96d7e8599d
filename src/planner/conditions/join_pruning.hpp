// Partitions that a nested loop reads.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// For paths of a partitioned table that are looked up by the time of a key, adds bounds of the key,
// by which the executor prunes partitions for each row of the other table. Called when the paths of
// the table are complete: conditions of the query itself would be copied to each partition, and
// each of its indexes would be planned for them. Adds those beside conditions of the query that
// stay, too, by which the executor prunes when it starts: as conditions, they would count twice in
// estimates.
void add_join_pruning(const QueryLevel &level, RelOptInfo *rel);

}  // namespace uuidx
