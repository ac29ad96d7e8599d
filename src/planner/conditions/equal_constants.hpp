// Constants that a query says expressions are equal to, as PostgreSQL concludes from equalities:
// `a.day = b.day AND a.day = '2026-05-05'` limits the keys of both tables.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Reads the equalities that hold in every row of a query's result. Called before its conditions are
// rewritten.
void read_equal_constants(QueryLevel *level);

// What a query says that an expression is equal to, which has no columns.
struct EqualConstant {
  Node *expression = nullptr;
  Expr *constant = nullptr;
  bool is_written = false;  // else it follows from other equalities
};

// Returns what a query says that an expression is equal to; null if it says nothing of it.
const EqualConstant *constant_equal_to(const QueryLevel &level, const Node *expression);

}  // namespace uuidx
