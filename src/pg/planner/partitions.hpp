// The partitions that a condition on the time of an id concerns.
#pragma once

#include "pg/pg.hpp"

namespace uuidx {

// True if a column is in the partition key of a partitioned table or of one of its partitions, and
// comparisons prune by it. The query holds a lock on the table.
bool is_partition_key(Oid table, const char *column);

// Returns for how many tables a condition on some time ranges has to be planned: the table and all
// its descendants, or, if it is partitioned by RANGE of the id, the share that the time ranges
// overlap.
uint32 count_tables(const RangeTblEntry *entry, AttrNumber id, const MultirangeType *ranges);

}  // namespace uuidx
