// What never decreases while the time of a key increases, so that the key's index has its order.
#pragma once

#include "planner/rewrite/query_level.hpp"
#include "planner/rewrite/zone_order.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the call that extracts the time of a key from which an expression is computed, if its
// value never decreases while this time increases, and sets what that needs; null if it may.
Node *read_increasing(const QueryLevel &level, Node *expression, ZoneNeed *need);

}  // namespace uuidx
