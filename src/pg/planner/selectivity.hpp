// The share of a column's rows that is of version 7 and in time ranges.
#pragma once

#include "core/uuid_ranges.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the share of all rows of a table whose UUID in a column is of version 7 and in a constant
// tstzrange or tstzmultirange: by an index, or else by statistics that a function may see. Returns
// PostgreSQL's default for a range if there is neither, or if `range` or the column is of another
// kind; 0 if the constant is NULL.
double estimate_time_range(PlannerInfo *root, VariableStatData *variable, const Node *range,
                           Oid function);

// Sets `share` to that of UUID ranges; returns false if there is neither an index nor statistics.
bool estimate_ranges(PlannerInfo *root, VariableStatData *variable, const UuidRanges &ranges,
                     Oid function, double *share);

}  // namespace uuidx
