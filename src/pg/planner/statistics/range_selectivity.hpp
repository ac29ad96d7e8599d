// The share of a table's rows whose UUID in a column is of version 7 and in time ranges.
#pragma once

#include "core/time_range.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/supportnodes.h"
#include "utils/multirangetypes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Sets `share` to that of a UUID range, by statistics of `id` that the requesting function may see;
// returns false if there are none.
bool estimate_range(const SupportRequestSelectivity *request, Node *id, UuidRange range,
                    double *share);

// Does the same for the time ranges of a multirange.
bool estimate_multirange(const SupportRequestSelectivity *request, Node *id,
                         const MultirangeType *ranges, double *share);

}  // namespace uuidx
