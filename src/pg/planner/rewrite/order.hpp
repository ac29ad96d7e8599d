// Order by the time of a key.
#pragma once

#include "pg/planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Lets a query order by the key instead of its time where that is better than to read an index as
// one of the time: if the key itself comes next, and on a partitioned table, whose partitions are
// then read one after the other instead of merged.
void order_by_id(Statement *statement);

}  // namespace uuidx
