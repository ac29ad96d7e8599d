// Row estimates for `uuid <@ time range`.
//
// For two comparisons, PostgreSQL counts whole and half bins of the column's histogram, as it knows
// no distance between two UUIDs: two bounds in one bin give one row. Here, the bounds are
// interpolated within their bins.
#include "pg/selectivity.hpp"

#include <algorithm>

#include "pg/column_statistics.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// The share of rows in a time range that is not known yet: PostgreSQL's default for a range.
constexpr double kUnknownShare = DEFAULT_RANGE_INEQ_SEL;

// One UUID range, or those of a constant multirange.
struct UuidRanges {
  UuidRange range;
  TypeCacheEntry *type = nullptr;
  const MultirangeType *multirange = nullptr;  // if not null, instead of the range

  [[nodiscard]] int count() const {
    return multirange != nullptr ? static_cast<int>(multirange->rangeCount) : 1;
  }

  [[nodiscard]] UuidRange at(int i) const {
    return multirange != nullptr ? v7_range(time_range_at(type, multirange, static_cast<uint32>(i)))
                                 : range;
  }
};

// Does the same as estimate_range for several UUID ranges.
bool estimate_ranges(PlannerInfo *root, VariableStatData *variable, const UuidRanges &ranges,
                     Oid function, double *share) {
  *share = 0;
  ColumnStatistics statistics{};
  if (!statistic_proc_security_check(variable, function) ||
      !read_statistics(root, *variable, &statistics)) {
    return false;
  }
  for (int i = 0; i < ranges.count(); ++i) {
    *share += share_of(statistics, ranges.at(i));
  }
  *share = std::clamp(*share, 0.0, 1.0);
  free_statistics(&statistics);
  return true;
}

// Returns the share of rows whose UUID is in the time range on the other side of the operator. The
// types are checked, as any user may attach the estimator to another operator.
double share_of_other(PlannerInfo *root, VariableStatData *variable, Node *other, Oid op) {
  if (getBaseType(variable->vartype) != UUIDOID || !IsA(other, Const)) {
    return kUnknownShare;
  }
  const auto *constant = reinterpret_cast<const Const *>(other);
  const Oid type = getBaseType(constant->consttype);
  if (type != TSTZRANGEOID && type != TSTZMULTIRANGEOID) {
    return kUnknownShare;
  }
  if (constant->constisnull) {
    return 0;
  }
  UuidRanges ranges;
  ranges.type = range_type();
  if (type == TSTZRANGEOID) {
    ranges.range = v7_range(time_range_of(ranges.type, DatumGetRangeTypeP(constant->constvalue)));
  } else {
    ranges.multirange = DatumGetMultirangeTypeP(constant->constvalue);
  }
  double share = 0;
  return estimate_ranges(root, variable, ranges, get_opcode(op), &share) ? share : kUnknownShare;
}

}  // namespace

bool estimate_range(PlannerInfo *root, VariableStatData *variable, UuidRange range, Oid function,
                    double *share) {
  UuidRanges ranges;
  ranges.range = range;
  return estimate_ranges(root, variable, ranges, function, share);
}

// uuid_period_sel(internal, oid, internal, integer), the restriction estimator of <@ and @>. The
// arguments are the planner's root, the operator, its arguments and the relation.
UUIDX_FUNCTION(uuidx_period_sel) {
  auto *root = reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0));
  auto *args = reinterpret_cast<List *>(PG_GETARG_POINTER(2));
  VariableStatData variable;
  Node *other = nullptr;
  bool variable_on_left = false;
  if (!get_restriction_variable(root, args, PG_GETARG_INT32(3), &variable, &other,
                                &variable_on_left)) {
    PG_RETURN_FLOAT8(kUnknownShare);
  }
  const double share = share_of_other(root, &variable, other, PG_GETARG_OID(1));
  ReleaseVariableStats(variable);
  PG_RETURN_FLOAT8(share);
}

}  // namespace uuidx
