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

Period period_of(const RangeType *range) {
  RangeBound lower;
  RangeBound upper;
  bool empty = false;
  range_deserialize(range_type(), range, &lower, &upper, &empty);
  return empty ? Period{{}, {}, true} : Period{end_of(lower), end_of(upper), false};
}

Period period_at(const MultirangeType *ranges, uint32 i) {
  RangeBound lower;
  RangeBound upper;
  multirange_get_bounds(range_type(), ranges, i, &lower, &upper);
  return {end_of(lower), end_of(upper), false};
}

std::span<const UuidSpan> spans_of(const MultirangeType *ranges) {
  auto *spans = static_cast<UuidSpan *>(palloc(sizeof(UuidSpan) * (ranges->rangeCount + 1)));
  std::size_t count = 0;
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    const UuidSpan span = v7_span(period_at(ranges, i));
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
