// PostgreSQL's ranges of time as time ranges.
#pragma once

#include "core/time_range.hpp"

#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// What PostgreSQL keeps on the type tstzrange, for the functions below.
TypeCacheEntry *range_type();

// A tstzrange.
TimeRange time_range_of(TypeCacheEntry *type, const RangeType *range);

// The i-th range of a tstzmultirange, counted from 0.
TimeRange time_range_at(TypeCacheEntry *type, const MultirangeType *ranges, uint32 i);

}  // namespace uuidx

#pragma GCC visibility pop
