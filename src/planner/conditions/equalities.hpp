// What follows from equalities of times: by constants, as PostgreSQL concludes it, bounds of the
// keys of both tables (`a.day = b.day AND a.day = '2026-05-05'`), and by those of IN and EXISTS,
// bounds for lookups of the key by its index.
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

// Notes what a clause of a semijoin implies, which was read as a comparison and has the key. Beside
// the clause, it would keep PostgreSQL from looking up each row of IN once: compute_semijoin_info()
// accepts only equalities.
void note_implied_join(QueryLevel *level, Node *clause, const TimeComparison &comparison);

// Gives the tables of a query the join clauses that were noted, once its conditions are
// distributed, as generate_base_implied_equalities() gives them those that it derives. A table
// whose index paths were made before gets them anew: null if there is none.
void give_implied_joins(QueryLevel *level, RelOptInfo *planned);

}  // namespace uuidx
