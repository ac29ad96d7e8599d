// The partitions of a table, as far as a condition on the time of its id is about them.
#pragma once

#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// True where a column is in the key by which a partitioned table or one of its partitions is
// divided, and comparisons prune by it. The query has a lock on the table.
bool is_partition_key(Oid table, const char *column);

// How many tables a condition on some ranges would have to be planned for, as far as the id
// decides: the table with all below it, or of its partitions by the id the share that the ranges
// meet.
uint32 count_tables(const RangeTblEntry *entry, AttrNumber id, const MultirangeType *ranges);

}  // namespace uuidx

#pragma GCC visibility pop
