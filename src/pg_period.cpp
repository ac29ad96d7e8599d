#include "pg_period.hpp"

namespace uuidx {

namespace {

// One end of a range, as the core has it.
PeriodEnd end_of(const RangeBound &bound) {
  if (bound.infinite) {
    return {};
  }
  return {get_time(bound.val), true, bound.inclusive};
}

}  // namespace

UuidSpan span_of(TypeCacheEntry *type, const RangeType *period) {
  RangeBound lower;
  RangeBound upper;
  bool empty = false;
  range_deserialize(type, period, &lower, &upper, &empty);
  return empty ? kEmptySpan : v7_span(end_of(lower), end_of(upper));
}

UuidSpan span_at(TypeCacheEntry *type, const MultirangeType *periods, uint32 i) {
  RangeBound lower;
  RangeBound upper;
  multirange_get_bounds(type, periods, i, &lower, &upper);
  return v7_span(end_of(lower), end_of(upper));
}

UuidSpan hull_of(TypeCacheEntry *type, const MultirangeType *periods) {
  if (MultirangeIsEmpty(periods)) {
    return kEmptySpan;
  }
  return {span_at(type, periods, 0).lowest,
          span_at(type, periods, periods->rangeCount - 1).highest};
}

bool spans_contain(TypeCacheEntry *type, const MultirangeType *periods, Uuid id) {
  uint32 begin = 0;
  uint32 end = periods->rangeCount;
  while (begin < end) {
    const uint32 middle = begin + (end - begin) / 2;
    const UuidSpan span = span_at(type, periods, middle);
    if (span.contains(id)) {
      return true;
    }
    // An empty span (a range within one millisecond) still tells on which side of it the id lies.
    if (id < span.lowest) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return false;
}

}  // namespace uuidx
