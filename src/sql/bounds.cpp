// SQL functions for bounds of UUIDs: those of a time in the order of a version, of a time range,
// and of a prefix.
#include <string_view>

#include "core/gregorian.hpp"
#include "core/text_formats.hpp"
#include "core/v7.hpp"
#include "pg/range_types.hpp"
#include "pg/text_argument.hpp"
#include "planner/planner_hooks.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns a bound, with which queries compare keys: the planner computes it before it asks how many
// rows it leaves.
Datum make_bound(Uuid id) {
  install_planner_hooks();
  return make_uuid(id);
}

// The first bound that a call has returned.
struct FirstBound {
  TimestampTz time = 0;
  pg_uuid_t bound = {};
};

// Returns the bound of the time in the first argument. It is kept for a sequential scan, which asks
// for the same one with each row; and never replaced, as results of the call may point to it.
template <typename Make>
Datum bound_of_time(FunctionCallInfo fcinfo, const Make &make) {
  const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
  FmgrInfo *function = fcinfo->flinfo;
  auto *first = function != nullptr ? static_cast<FirstBound *>(function->fn_extra) : nullptr;
  if (first != nullptr && first->time == time) {
    return UUIDPGetDatum(&first->bound);
  }
  const Datum bound = make_bound(make(get_time(PG_GETARG_DATUM(0))));
  if (function != nullptr && first == nullptr) {
    first = static_cast<FirstBound *>(MemoryContextAlloc(function->fn_mcxt, sizeof(FirstBound)));
    *first = {time, *DatumGetUUIDP(bound)};
    function->fn_extra = first;
  }
  return bound;
}

// Returns the lowest or the highest UUID that begins with the prefix in the first argument, or
// raises an error.
Datum bound_of_prefix(FunctionCallInfo fcinfo, bool highest) {
  const std::string_view prefix = get_text(PG_GETARG_DATUM(0));
  const DecodedText decoded = decode_prefix(prefix, highest);
  if (decoded.fault != TextFault::none) {
    raise_bad_text(prefix, "UUID prefix", decoded.fault, decoded.position);
  }
  return make_bound(decoded.id);
}

// Returns the bounds of a tstzrange argument.
UuidRange get_bounds(FmgrInfo *function, Datum argument) {
  // A sequential scan asks for each row.
  if (function->fn_extra == nullptr) {
    function->fn_extra = range_type();
  }
  return v7_range(time_range_of(static_cast<TypeCacheEntry *>(function->fn_extra),
                                DatumGetRangeTypeP(argument)));
}

}  // namespace

// uuid_v7_min(timestamptz)
UUIDX_FUNCTION(uuidx_v7_min) {
  return bound_of_time(fcinfo, v7_min);
}

// uuid_v7_max(timestamptz)
UUIDX_FUNCTION(uuidx_v7_max) {
  return bound_of_time(fcinfo, v7_max);
}

// uuid_v7_bound(timestamptz, boolean)
UUIDX_FUNCTION(uuidx_v7_bound) {
  const UnixMicros time = get_time(PG_GETARG_DATUM(0));
  return make_bound(PG_GETARG_BOOL(1) ? v7_precise_max(time) : v7_precise_min(time));
}

// uuid_v6_min(timestamptz)
UUIDX_FUNCTION(uuidx_v6_min) {
  return make_bound(v6_min(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v6_max(timestamptz)
UUIDX_FUNCTION(uuidx_v6_max) {
  return make_bound(v6_max(get_time(PG_GETARG_DATUM(0))));
}

// uuid_in_time_range(uuid, tstzrange)
UUIDX_FUNCTION(uuidx_in_time_range_tstzrange) {
  return BoolGetDatum(
      get_bounds(fcinfo->flinfo, PG_GETARG_DATUM(1)).contains(get_uuid(PG_GETARG_DATUM(0))));
}

// uuid_v7_lower(tstzrange)
UUIDX_FUNCTION(uuidx_v7_lower_tstzrange) {
  return make_uuid(get_bounds(fcinfo->flinfo, PG_GETARG_DATUM(0)).lowest);
}

// uuid_v7_upper(tstzrange)
UUIDX_FUNCTION(uuidx_v7_upper_tstzrange) {
  return make_uuid(get_bounds(fcinfo->flinfo, PG_GETARG_DATUM(0)).highest);
}

// uuid_prefix_min(text)
UUIDX_FUNCTION(uuidx_prefix_min) {
  return bound_of_prefix(fcinfo, false);
}

// uuid_prefix_max(text)
UUIDX_FUNCTION(uuidx_prefix_max) {
  return bound_of_prefix(fcinfo, true);
}

}  // namespace uuidx
