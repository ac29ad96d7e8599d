// What follows from equalities of times: by constants, as PostgreSQL concludes it, bounds of the
// keys of both tables (`a.day = b.day AND a.day = '2026-05-05'`); and what follows from any
// comparison with columns of other tables, bounds for lookups of the key by its index.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

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

// Notes the bounds of an id that a clause implies which stays and compares with columns of other
// tables; returns false if they would have to wait for an outer join, for a UNION ALL, and if the
// clause has more tables: Memoize knows the parameters of a scan by its clauses alone.
bool note_implied_join(QueryLevel *level, const Node *clause, const Var *id, Expr *bounds);

// Gives tables the join clauses of the bounds that were noted, once the conditions of the query are
// distributed, for paths that look up the key by an index. A table whose index paths were made
// before gets them anew: null if there is none.
void give_implied_joins(QueryLevel *level, RelOptInfo *planned);

// Takes them away from a table whose paths are complete. A join would test them for each pair of
// rows, and a scan for each row, whose index need not have the id.
void take_implied_joins(const QueryLevel &level, RelOptInfo *rel);

}  // namespace uuidx
