// SQL functions on time ranges: whether a UUID is within the bounds of one, and these bounds.
#include "pg/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

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

}  // namespace uuidx
