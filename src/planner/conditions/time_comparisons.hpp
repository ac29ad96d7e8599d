// Comparisons of times, alone and of rows.
#pragma once

#include "planner/conditions/rewritten_and.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Adds what `c op t` or `f(c) op t` becomes, from either side; returns false if a clause is
// neither.
bool add_comparison(RewrittenAnd *rewriting, Node *clause);

// Adds what a comparison of rows, such as (c, id) < (t, u), becomes; returns false if a clause is
// none of the time.
bool add_rows(RewrittenAnd *rewriting, Node *clause);

}  // namespace uuidx
