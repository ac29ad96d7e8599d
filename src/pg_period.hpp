// PostgreSQL's ranges of time as periods.
#pragma once

#include "period.hpp"

#include "pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// What PostgreSQL keeps on the type tstzrange, for the functions below.
TypeCacheEntry *range_type();

// A tstzrange.
Period period_of(TypeCacheEntry *type, const RangeType *range);

// The i-th range of a tstzmultirange, counted from 0.
Period period_at(TypeCacheEntry *type, const MultirangeType *ranges, uint32 i);

}  // namespace uuidx

#pragma GCC visibility pop
