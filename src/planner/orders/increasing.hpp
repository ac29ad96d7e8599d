// What never decreases while the time of a key increases, so that the key's index has its order.
#pragma once

#include "planner/times/computation.hpp"
#include "planner/times/zones.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// True if a value never decreases while the time increases from which it is computed. Sets what
// that needs.
bool increases(const Computation &computation, ZoneNeed *need);

}  // namespace uuidx
