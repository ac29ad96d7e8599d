// SQL functions on periods of time: whether one contains the time of a version 7 UUID, and its
// bounds as UUIDs.
#include "period.hpp"
#include "pg_period.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// What uuid <@ tstzrange says of the arguments at these positions.
Datum in_period(FunctionCallInfo fcinfo, int id, int period) {
  const RangeType *range = PG_GETARG_RANGE_P(period);
  TypeCacheEntry *type = range_get_typcache(fcinfo, RangeTypeGetOid(range));
  return BoolGetDatum(span_of(type, range).contains(get_uuid(PG_GETARG_DATUM(id))));
}

// What uuid <@ tstzmultirange says.
Datum in_periods(FunctionCallInfo fcinfo, int id, int periods) {
  const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(periods);
  TypeCacheEntry *type = multirange_get_typcache(fcinfo, MultirangeTypeGetOid(ranges));
  return BoolGetDatum(spans_contain(type->rngtype, ranges, get_uuid(PG_GETARG_DATUM(id))));
}

// The span of a tstzrange argument.
UuidSpan get_span(FunctionCallInfo fcinfo) {
  const RangeType *range = PG_GETARG_RANGE_P(0);
  return span_of(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range);
}

// The hull of a tstzmultirange argument.
UuidSpan get_hull(FunctionCallInfo fcinfo) {
  const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(0);
  TypeCacheEntry *type = multirange_get_typcache(fcinfo, MultirangeTypeGetOid(ranges));
  return hull_of(type->rngtype, ranges);
}

}  // namespace

// uuid <@ tstzrange
UUIDX_FUNCTION(uuidx_in_period) {
  return in_period(fcinfo, 0, 1);
}

// tstzrange @> uuid
UUIDX_FUNCTION(uuidx_period_contains) {
  return in_period(fcinfo, 1, 0);
}

// uuid <@ tstzmultirange
UUIDX_FUNCTION(uuidx_in_periods) {
  return in_periods(fcinfo, 0, 1);
}

// tstzmultirange @> uuid
UUIDX_FUNCTION(uuidx_periods_contain) {
  return in_periods(fcinfo, 1, 0);
}

// uuid_v7_lower(tstzrange)
UUIDX_FUNCTION(uuidx_v7_lower) {
  return make_uuid(get_span(fcinfo).lowest);
}

// uuid_v7_upper(tstzrange)
UUIDX_FUNCTION(uuidx_v7_upper) {
  return make_uuid(get_span(fcinfo).highest);
}

// uuid_v7_lower(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_lower_multi) {
  return make_uuid(get_hull(fcinfo).lowest);
}

// uuid_v7_upper(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_upper_multi) {
  return make_uuid(get_hull(fcinfo).highest);
}

}  // namespace uuidx
