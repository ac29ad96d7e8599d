// Partitions by ranges of a key, in the order of its time.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns the first column by which a table is partitioned, if it is one of uuid in the usual
// order, and the partitions that the query reads are ranges in order; null for any other table.
const Var *ordered_partition_key(const RelOptInfo *rel);

// Returns the partitions of a table that the query reads, in the order of their bounds or back.
List *partitions_of(const RelOptInfo *rel, bool descending);

// If a query wants the time of the first partition key of a table in order, adds a path that reads
// the partitions one after the other, where PostgreSQL would merge all of them. Called when the
// paths of the table are complete. This is what generate_orderedappend_paths() does for an order by
// the key itself; nothing of the planner's is changed.
void add_ordered_append(QueryLevel *level, RelOptInfo *rel);

// Does the same for the result of a query that reads only this table: for it,
// apply_scanjoin_target_to_paths() makes all paths of a partitioned table anew. Called when the
// paths in the order of the result are complete. Paths for GROUP BY, DISTINCT and window functions
// have been made from merged partitions by then.
void add_ordered_result(QueryLevel *level, RelOptInfo *rel, RelOptInfo *result);

// Returns a path in the order of a query's result, made from one that may be in the order of a part
// of it.
Path *sorted_path(PlannerInfo *root, RelOptInfo *result, Path *path);

}  // namespace uuidx
