#include "pg/planner/statistics/range_selectivity.hpp"

#include <algorithm>

#include "pg/planner/statistics/hook.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Sets `share` to that of `count` UUID ranges; `range(i)` returns the i-th, which may be empty.
template <typename RangeAt>
bool estimate(const SupportRequestSelectivity *request, Node *id, uint32 count,
              const RangeAt &range, double *share) {
  VariableStatData variable;
  examine_variable(request->root, id, request->varRelid, &variable);
  const ColumnStatistics *statistics =
      variable.rel != nullptr ? statistics_for(request->root, &variable, request->funcid) : nullptr;
  *share = 0;
  for (uint32 i = 0; statistics != nullptr && i < count; ++i) {
    CHECK_FOR_INTERRUPTS();
    *share += shares_of(*statistics, range(i)).v7;
  }
  *share = std::clamp(*share, 0.0, 1.0);
  ReleaseVariableStats(variable);
  return statistics != nullptr;
}

}  // namespace

bool estimate_range(const SupportRequestSelectivity *request, Node *id, UuidRange range,
                    double *share) {
  return estimate(
      request, id, 1, [=](uint32) { return range; }, share);
}

bool estimate_multirange(const SupportRequestSelectivity *request, Node *id,
                         const MultirangeType *ranges, double *share) {
  TypeCacheEntry *type = range_type();
  const auto range = [=](uint32 i) { return v7_range(time_range_at(type, ranges, i)); };
  return estimate(request, id, ranges->rangeCount, range, share);
}

}  // namespace uuidx
