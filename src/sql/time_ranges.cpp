// SQL functions on time ranges: whether a UUID is within the bounds of one, and these bounds.
#include "core/time_range.hpp"
#include "planner/nodes.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// The bounds of constant time ranges, which a call keeps between rows.
struct Bounds {
  uint32 count = 0;
  UuidRange ranges[FLEXIBLE_ARRAY_MEMBER];
};

// True if the second argument of this call is a constant. A parameter is not: PL/pgSQL may change
// one between two calls.
bool has_constant_range(FunctionCallInfo fcinfo) {
  const List *args = args_of(fcinfo->flinfo->fn_expr);
  return list_length(args) == 2 && IsA(lsecond(args), Const);
}

// Returns the bounds of the constant time ranges of this call, computed on first use.
const Bounds *constant_bounds(FunctionCallInfo fcinfo) {
  FmgrInfo *call = fcinfo->flinfo;
  if (call->fn_extra == nullptr) {
    const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(1);
    auto *bounds = static_cast<Bounds *>(MemoryContextAlloc(
        call->fn_mcxt, offsetof(Bounds, ranges) + sizeof(UuidRange) * ranges->rangeCount));
    bounds->count = ranges->rangeCount;
    for (uint32 i = 0; i < ranges->rangeCount; ++i) {
      bounds->ranges[i] = v7_range(time_range_at(range_type(), ranges, i));
    }
    call->fn_extra = bounds;
  }
  return static_cast<const Bounds *>(call->fn_extra);
}

// Returns whether a UUID is in one of several time ranges, the arguments.
Datum is_in_ranges(FunctionCallInfo fcinfo) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  if (has_constant_range(fcinfo)) {
    const Bounds *bounds = constant_bounds(fcinfo);
    return BoolGetDatum(any_range_contains(
        bounds->count, [&](uint32 i) { return bounds->ranges[i]; }, id));
  }
  TypeCacheEntry *type = range_type();
  const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(1);
  return BoolGetDatum(any_range_contains(
      ranges->rangeCount, [&](uint32 i) { return v7_range(time_range_at(type, ranges, i)); }, id));
}

// Returns the bounds of a tstzrange argument.
UuidRange get_bounds(Datum argument) {
  return v7_range(time_range_of(range_type(), DatumGetRangeTypeP(argument)));
}

// Returns the bounds of a tstzmultirange argument: those of its ranges together.
UuidRange get_hull(Datum argument) {
  TypeCacheEntry *type = range_type();
  const MultirangeType *ranges = DatumGetMultirangeTypeP(argument);
  return hull_of(ranges->rangeCount,
                 [&](uint32 i) { return v7_range(time_range_at(type, ranges, i)); });
}

}  // namespace

// uuid_in_time_range(uuid, tstzrange)
UUIDX_FUNCTION(uuidx_in_time_range_tstzrange) {
  return BoolGetDatum(get_bounds(PG_GETARG_DATUM(1)).contains(get_uuid(PG_GETARG_DATUM(0))));
}

// uuid_in_time_range(uuid, tstzmultirange)
UUIDX_FUNCTION(uuidx_in_time_range_tstzmultirange) {
  return is_in_ranges(fcinfo);
}

// uuid_recheck_time_ranges(uuid, tstzmultirange), which the planner adds to the bounds of a
// multirange. Under another name, as it would replace the first one again and again.
UUIDX_FUNCTION(uuidx_recheck_time_ranges) {
  return is_in_ranges(fcinfo);
}

// uuid_v7_lower(tstzrange)
UUIDX_FUNCTION(uuidx_v7_lower_tstzrange) {
  return make_uuid(get_bounds(PG_GETARG_DATUM(0)).lowest);
}

// uuid_v7_upper(tstzrange)
UUIDX_FUNCTION(uuidx_v7_upper_tstzrange) {
  return make_uuid(get_bounds(PG_GETARG_DATUM(0)).highest);
}

// uuid_v7_lower(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_lower_tstzmultirange) {
  return make_uuid(get_hull(PG_GETARG_DATUM(0)).lowest);
}

// uuid_v7_upper(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_upper_tstzmultirange) {
  return make_uuid(get_hull(PG_GETARG_DATUM(0)).highest);
}

}  // namespace uuidx
