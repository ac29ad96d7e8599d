// The form in which a table's conditions on time are planned.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/parsenodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// True if the planner can do more with two comparisons of a column than with a call of these
// functions: they prune partitions, exclude children by their constraints, can be sent to a foreign
// server, and let columnar storage skip data. Other tables keep the call, which has the better
// estimate.
bool prefers_comparisons(const RangeTblEntry *table);

}  // namespace uuidx
