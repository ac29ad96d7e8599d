// SQL functions on time ranges: whether one contains the time of a version 7 UUID, and its bounds
// as UUIDs. A UUID of another version is in no time range.
#include "core/time_range.hpp"
#include "core/v7.hpp"
#include "pg/planner/columns.hpp"
#include "pg/planner/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// What a call of an operator keeps between rows.
struct Prepared {
  TypeCacheEntry *type = nullptr;
  bool constant = false;  // the time range is constant, and `bounds` are its bounds
  UuidRange bounds;
};

// True if an argument of this call is a constant. A parameter is not: PL/pgSQL may change one
// between two calls.
bool is_constant(FunctionCallInfo fcinfo, int argument) {
  const List *args = args_of(fcinfo->flinfo->fn_expr);
  return args != NIL && list_length(args) > argument && IsA(list_nth(args, argument), Const);
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

// Sets the result of `id <@ time range`, if one of the arguments with these numbers decides it: as
// of "is of version 7 AND its time is in the range", with NULL as an argument.
bool is_decided(FunctionCallInfo fcinfo, int id, int range, Datum *result) {
  const bool v7 = !PG_ARGISNULL(id) && is_v7(get_uuid(PG_GETARG_DATUM(id)));
  if (v7 && !PG_ARGISNULL(range)) [[likely]] {
    return false;
  }
  fcinfo->isnull = PG_ARGISNULL(id) || v7;
  *result = BoolGetDatum(false);
  return true;
}

// Returns uuid <@ tstzrange of the arguments with these numbers.
Datum is_in_range(FunctionCallInfo fcinfo, int id, int range) {
  Datum result = 0;
  if (is_decided(fcinfo, id, range, &result)) {
    return result;
  }
  Prepared *prepared = prepare(fcinfo);
  if (!prepared->constant) {
    prepared->bounds = v7_range(time_range_of(prepared->type, PG_GETARG_RANGE_P(range)));
    prepared->constant = is_constant(fcinfo, range);
  }
  return BoolGetDatum(prepared->bounds.contains(get_uuid(PG_GETARG_DATUM(id))));
}

// Returns uuid <@ tstzmultirange of the arguments with these numbers.
Datum is_in_ranges(FunctionCallInfo fcinfo, int id, int multirange) {
  Datum result = 0;
  if (is_decided(fcinfo, id, multirange, &result)) {
    return result;
  }
  TypeCacheEntry *type = prepare(fcinfo)->type;
  const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(multirange);
  const auto bounds = [&](uint32 i) { return v7_range(time_range_at(type, ranges, i)); };
  return BoolGetDatum(
      any_range_contains(ranges->rangeCount, bounds, get_uuid(PG_GETARG_DATUM(id))));
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

// uuid <@ tstzrange
UUIDX_FUNCTION(uuidx_contained_by_time_range) {
  return is_in_range(fcinfo, 0, 1);
}

// tstzrange @> uuid
UUIDX_FUNCTION(uuidx_time_range_contains_uuid) {
  return is_in_range(fcinfo, 1, 0);
}

// uuid <@ tstzmultirange
UUIDX_FUNCTION(uuidx_contained_by_time_ranges) {
  return is_in_ranges(fcinfo, 0, 1);
}

// tstzmultirange @> uuid
UUIDX_FUNCTION(uuidx_time_ranges_contain_uuid) {
  return is_in_ranges(fcinfo, 1, 0);
}

// uuid_recheck_time_ranges(uuid, tstzmultirange), which the planner adds to the bounds of a
// multirange
UUIDX_FUNCTION(uuidx_recheck_time_ranges) {
  return is_in_ranges(fcinfo, 0, 1);
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
