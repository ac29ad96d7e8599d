// Time ranges, and the version 7 UUID ranges that correspond to them.
#pragma once

#include "core/uuid.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/rangetypes.h"
#include "utils/typcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// What a tstzrange contains; the ends count unless it is empty.
struct TimeRange {
  RangeBound lower{};
  RangeBound upper{};
  bool empty = false;
};

// Returns the type cache's entry of tstzrange, for the function below.
TypeCacheEntry *range_type();

// Returns the content of a tstzrange.
TimeRange time_range_of(TypeCacheEntry *type, const RangeType *range);

// Returns the UUID range of a time range. It contains a version 7 UUID if and only if the time
// range contains the UUID's time in whole milliseconds, and the UUIDs of other versions whose bits
// lie between the bounds, v7_min and v7_max of the ends.
UuidRange v7_range(const TimeRange &range);

}  // namespace uuidx
