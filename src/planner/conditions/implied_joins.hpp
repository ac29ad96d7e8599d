// Bounds of a key that an equality of IN or EXISTS implies, for lookups of the key by its index.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Notes what a clause of a semijoin implies, which was read as a comparison and has the key. Beside
// the clause, it would keep PostgreSQL from looking up each row of IN once: compute_semijoin_info()
// accepts only equalities.
void note_implied_join(QueryLevel *level, Node *clause, const TimeComparison &comparison);

// Gives the tables of a query the join clauses that were noted, once its conditions are
// distributed, as generate_base_implied_equalities() gives them those that it derives. A table
// whose index paths were made before gets them anew: null if there is none.
void give_implied_joins(QueryLevel *level, RelOptInfo *planned);

}  // namespace uuidx
