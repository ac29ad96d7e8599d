// Conversion of tstzrange to the core's time ranges.
#pragma once

#include "core/time_range.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/rangetypes.h"
#include "utils/typcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns the type cache's entry of tstzrange, for the functions below.
TypeCacheEntry *range_type();

// Returns the time range that a tstzrange stands for.
TimeRange time_range_of(TypeCacheEntry *type, const RangeType *range);

}  // namespace uuidx
