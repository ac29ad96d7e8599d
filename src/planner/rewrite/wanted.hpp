// The times of keys that a query may sort, group or join by.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// An expression by which a query may sort, group or join.
struct Order {
  Node *expression = nullptr;
  const SortGroupClause *sort = nullptr;  // null if it only joins
  bool joins = false;
  bool range = false;  // it only joins, and by another comparison than equality
};

// Such an expression that is the time of a key of a table, or if it is not exact, increases with
// it.
struct WantedTime {
  KeyTime time;  // its table may be a parent of the one that has the id
  Order order;   // as the query has it, for a parent of the table
  bool not_null = false;
  bool all_v7 = false;  // all keys that the query reads are of version 7: see is_all_v7()
};

// The times of a table that has children, kept for these.
struct ParentTimes {
  Index rti = 0;
  List *times = NIL;  // of WantedTime
};

// Returns the orders of a query, of Order, those of its result first.
const List *orders_of(QueryLevel *level);

// True if a query sorts by an expression, or looks for other columns that are equal to it: then the
// planner concludes from a constant that is equal to it.
bool is_wanted_equal(const QueryLevel &level, Node *expression);

// Returns the times of a table of the query, of WantedTime, those by which it sorts its result
// first. `conditions` are those of a member of a UNION ALL.
List *wanted_times(QueryLevel *level, const RelOptInfo *rel, List *conditions);

}  // namespace uuidx
