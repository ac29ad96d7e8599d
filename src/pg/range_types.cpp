#include "pg/range_types.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns one end of a range in the core's form.
RangeEnd end_of(const RangeBound &bound) {
  if (bound.infinite) {
    return {};
  }
  return {get_time(bound.val), true, bound.inclusive};
}

}  // namespace

TypeCacheEntry *range_type() {
  return lookup_type_cache(TSTZRANGEOID, TYPECACHE_RANGE_INFO);
}

TimeRange time_range_of(TypeCacheEntry *type, const RangeType *range) {
  RangeBound lower;
  RangeBound upper;
  bool empty = false;
  range_deserialize(type, range, &lower, &upper, &empty);
  return empty ? TimeRange{{}, {}, true} : TimeRange{end_of(lower), end_of(upper), false};
}

}  // namespace uuidx
