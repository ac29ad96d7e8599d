#include "pg/range_types.hpp"

#include "core/v7.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the lowest UUID that is not before a time range; none if all are before it.
std::optional<Uuid> lowest_of(const RangeBound &lower) {
  if (lower.infinite) {
    return kNil;
  }
  const UnixMicros time = get_time(lower.val);
  return lower.inclusive ? v7_min(time) : successor(v7_max(time));
}

// Returns the highest UUID that is not after a time range; none if all are after it.
std::optional<Uuid> highest_of(const RangeBound &upper) {
  if (upper.infinite) {
    return kMax;
  }
  const UnixMicros time = get_time(upper.val);
  return upper.inclusive ? v7_max(time) : predecessor(v7_min(time));
}

}  // namespace

TypeCacheEntry *range_type() {
  return lookup_type_cache(TSTZRANGEOID, TYPECACHE_RANGE_INFO);
}

TimeRange time_range_of(TypeCacheEntry *type, const RangeType *range) {
  TimeRange result;
  range_deserialize(type, range, &result.lower, &result.upper, &result.empty);
  return result;
}

UuidRange v7_range(const TimeRange &range) {
  if (range.empty) {
    return kEmptyRange;
  }
  const std::optional<Uuid> lowest = lowest_of(range.lower);
  const std::optional<Uuid> highest = highest_of(range.upper);
  // No whole millisecond may be in a time range, as in (0.2 ms, 0.8 ms].
  return lowest && highest && *lowest <= *highest ? UuidRange{*lowest, *highest} : kEmptyRange;
}

}  // namespace uuidx
