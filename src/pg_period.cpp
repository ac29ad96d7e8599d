#include "pg_period.hpp"

namespace uuidx {

namespace {

// What PostgreSQL keeps on the type tstzrange.
TypeCacheEntry *range_type() {
  return lookup_type_cache(TSTZRANGEOID, TYPECACHE_RANGE_INFO);
}

// One end of a range, as the core has it.
PeriodEnd end_of(const RangeBound &bound) {
  if (bound.infinite) {
    return {};
  }
  return {get_time(bound.val), true, bound.inclusive};
}

}  // namespace

UuidSpan span_of(const RangeType *period) {
  RangeBound lower;
  RangeBound upper;
  bool empty = false;
  range_deserialize(range_type(), period, &lower, &upper, &empty);
  return empty ? kEmptySpan : v7_span(end_of(lower), end_of(upper));
}

std::span<const UuidSpan> spans_of(const MultirangeType *periods) {
  TypeCacheEntry *type = range_type();
  auto *spans = static_cast<UuidSpan *>(palloc(sizeof(UuidSpan) * (periods->rangeCount + 1)));
  std::size_t count = 0;
  for (uint32 i = 0; i < periods->rangeCount; ++i) {
    RangeBound lower;
    RangeBound upper;
    multirange_get_bounds(type, periods, i, &lower, &upper);
    const UuidSpan span = v7_span(end_of(lower), end_of(upper));
    if (!span.empty()) {
      spans[count++] = span;
    }
  }
  return {spans, count};
}

UuidSpan hull_of(std::span<const UuidSpan> spans) noexcept {
  return spans.empty() ? kEmptySpan : UuidSpan{spans.front().lowest, spans.back().highest};
}

}  // namespace uuidx
