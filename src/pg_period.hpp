// PostgreSQL's ranges of time as spans of version 7.
#pragma once

#include "period.hpp"

#include "pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// The span of a tstzrange. `type` is the range's entry in the type cache.
UuidSpan span_of(TypeCacheEntry *type, const RangeType *period);

// The span of the i-th range of a tstzmultirange, counted from 0; they are in order and apart.
// `type` is the entry of its ranges' type.
UuidSpan span_at(TypeCacheEntry *type, const MultirangeType *periods, uint32 i);

// From the first span of a tstzmultirange to its last.
UuidSpan hull_of(TypeCacheEntry *type, const MultirangeType *periods);

// True where one of the spans of a tstzmultirange contains the UUID.
bool spans_contain(TypeCacheEntry *type, const MultirangeType *periods, Uuid id);

}  // namespace uuidx

#pragma GCC visibility pop
