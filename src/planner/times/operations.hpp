// Reading operations on times, by a table of those that are known.
#pragma once

#include "planner/times/computation.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Reads the last operation of an expression; returns its argument, or null if it is none that is
// known. `digits` are those of a second that the time has.
Node *read_operation(const Node *node, int digits, Computation *computation);

}  // namespace uuidx
