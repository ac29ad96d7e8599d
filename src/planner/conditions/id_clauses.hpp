// The clauses that the planner puts in the place of a condition on the time of a key: comparisons
// of the id with the bounds of the time, and the test of its version.
#pragma once

#include "planner/functions.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns `uuid_is_v7(id)`.
Expr *version_test(const Functions &functions, const Node *id);

// Returns `uuid_condition(id, condition)`, which the planner takes for true of all rows, and whose
// index condition is the comparisons of the id in it.
Expr *condition_call(const Functions &functions, const Node *id, Expr *condition);

// Returns `id operator bound` for a comparison of uuid by its B-tree strategy.
Expr *compare_ids(const Node *id, int strategy, Expr *bound);

// Returns the comparison of the id that is equivalent to `time of the id strategy time`, or for
// equality the bound of a side, for a version 7 id. A constant bound that every such id fulfils
// becomes the test of the version, and one that none does false: TimescaleDB accepts only bounds of
// version 7 on a hypertable. `precise` says that the time of the id has microseconds.
Expr *compare_with_time(const Functions &functions, const Node *id, int strategy, Expr *time,
                        bool precise);

// Returns the test of the version, or false, for a comparison of a version 7 id with nil or max;
// null for any other clause.
Expr *simplify_extreme(const Functions &functions, const Node *clause);

// Sets a time range to a constant one; returns false if an expression is none.
bool constant_range(const Node *node, TimeRange *range);

// Returns the comparisons that are equivalent to `id <@ range` for a version 7 id: none for the
// unbounded sides of a constant tstzrange.
List *bounds_of(const Functions &functions, const Node *id, const Node *range);

}  // namespace uuidx
