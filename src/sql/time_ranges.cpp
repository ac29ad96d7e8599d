// SQL functions on time ranges: whether a UUID is within the bounds of one, and these bounds.
#include "core/time_range.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// What a call keeps between rows.
struct Prepared {
  TypeCacheEntry *type = nullptr;
  bool constant = false;  // the time range is constant, and `bounds` are its bounds
  UuidRange bounds;
};

// True if the second argument of this call is a constant. A parameter is not: PL/pgSQL may change
// one between two calls.
bool has_constant_range(FunctionCallInfo fcinfo) {
  const List *args = args_of(fcinfo->flinfo->fn_expr);
  return list_length(args) == 2 && IsA(lsecond(args), Const);
}

// Returns what this call keeps, looked up on first use.
Prepared *prepare(FunctionCallInfo fcinfo) {
  FmgrInfo *call = fcinfo->flinfo;
  if (call->fn_extra == nullptr) {
    auto *prepared = static_cast<Prepared *>(MemoryContextAlloc(call->fn_mcxt, sizeof(Prepared)));
    *prepared = {range_type(), false, {}};
    call->fn_extra = prepared;
  }
  return static_cast<Prepared *>(call->fn_extra);
}

// Returns whether a UUID is in one of several time ranges, the arguments.
Datum is_in_ranges(FunctionCallInfo fcinfo) {
  TypeCacheEntry *type = prepare(fcinfo)->type;
  const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(1);
  const auto bounds = [&](uint32 i) { return v7_range(time_range_at(type, ranges, i)); };
  return BoolGetDatum(any_range_contains(ranges->rangeCount, bounds, get_uuid(PG_GETARG_DATUM(0))));
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
  Prepared *prepared = prepare(fcinfo);
  if (!prepared->constant) {
    prepared->bounds = v7_range(time_range_of(prepared->type, PG_GETARG_RANGE_P(1)));
    prepared->constant = has_constant_range(fcinfo);
  }
  return BoolGetDatum(prepared->bounds.contains(get_uuid(PG_GETARG_DATUM(0))));
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
