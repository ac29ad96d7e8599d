// Fields and texts of times, as conditions compare them.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// True if a function extracts a field of a time of a type, as a number.
bool extracts(Oid function, Oid type);

// Returns x of to_char(x, pattern); null for any other expression.
Node *undo_to_char(KeyTime *time, const Node *node);

// Undoes `extract(year FROM x)` and `extract(epoch FROM x)`, which is rounded as a floating point
// number; returns x, or null for any other expression.
Node *undo_extract(KeyTime *time, const Node *node);

}  // namespace uuidx
