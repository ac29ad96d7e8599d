// The share of a column's rows that is of version 7 and in time ranges.
#pragma once

#include "core/time_range.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "utils/multirangetypes.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Sets `share` to the share of all rows of a table whose UUID in a column is of version 7 and in a
// range, by an index or else by statistics that a function may see. Returns false if there is
// neither.
bool estimate_range(PlannerInfo *root, VariableStatData *variable, UuidRange range, Oid function,
                    double *share);

// Sets `share` likewise for the time ranges of a multirange.
bool estimate_multirange(PlannerInfo *root, VariableStatData *variable,
                         const MultirangeType *multirange, Oid function, double *share);

}  // namespace uuidx
