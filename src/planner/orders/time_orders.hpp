// The times of keys that a query may sort, group or join by.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Such an expression that is the time of a key of a table, or if it is not exact, increases with
// it.
struct TimeOrder {
  KeyTime time;  // its table may be a parent of the one that has the id
  Order order;   // as the query has it, for a parent of the table
  bool not_null = false;
  bool all_v7 = false;  // all keys that the query reads are of version 7: see is_all_v7()
};

// The times of a table that has children, kept for these.
struct ParentTimes {
  Index rti = 0;
  List *times = NIL;  // of TimeOrder
};

// Returns the times of a table of the query, of TimeOrder, those by which it sorts its result
// first. `conditions` are those of a member of a UNION ALL.
List *time_orders_of(QueryLevel *level, const RelOptInfo *rel, List *conditions);

}  // namespace uuidx
