// The expressions by which a query sorts, groups and joins.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// An expression by which a query may sort, group or join.
struct Order {
  Node *expression = nullptr;
  const SortGroupClause *sort = nullptr;  // null if it only joins
  bool joins = false;
  bool range = false;  // it only joins, and by another comparison than equality
};

// Returns the orders of a query, of Order, those of its result first.
const List *orders_of(QueryLevel *level);

// True if a query sorts by an expression, or looks for other columns that are equal to it: then the
// planner concludes from a constant that is equal to it.
bool is_used_elsewhere(const QueryLevel &level, Node *expression);

}  // namespace uuidx
