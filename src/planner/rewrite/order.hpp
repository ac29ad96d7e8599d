// Partitions by ranges of a key, read as partitions by the time of the key.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// If the query sorts or groups by the time of the first partition key of a table, shows the planner
// this time, followed by the key, as the partition key: it then reads the partitions one after the
// other, where it would merge all of them. Called when the paths of each table are complete, so
// before those of a partitioned table are made from its partitions' paths. Pruning by conditions,
// which comes before, has seen the key.
void order_partitions(PlannerInfo *root, const RelOptInfo *rel);

// Shows the key again, to pruning when the query is executed. Called when all paths of a query are
// complete.
void restore_partitions(const PlannerInfo *root);

}  // namespace uuidx
