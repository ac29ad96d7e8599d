// SQL functions that the planner puts into plans as bounds of times: of times of other types, and
// of times whose computed value a condition compares. None fails where the condition would not.
#include <algorithm>

#include "pg/compat.hpp"
#include "pg/zone_bound.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the bound of the key's time for one of a computed value, by the other arguments.
Datum bound_of(FunctionCallInfo fcinfo, int64 bound) {
  return TimestampTzGetDatum(
      undo_steps(bound, text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_BOOL(1)));
}

// Returns the time of seconds since 1970; infinite if it is out of range. As in comparisons, NaN is
// above all numbers.
int64 time_of_epoch(double seconds) {
  const double time = seconds * USECS_PER_SEC - static_cast<double>(kPostgresEpoch);
  if (!(time < 9.2e18)) {
    return DT_NOEND;
  }
  return time > -9.2e18 ? static_cast<int64>(time) : DT_NOBEGIN;
}

}  // namespace

// uuid_time_of(date)
UUIDX_FUNCTION(uuidx_time_of_date) {
  return TimestampTzGetDatum(converted_or_infinite<kDateToTimestamptz>(PG_GETARG_DATEADT(0)));
}

// uuid_time_of(timestamp)
UUIDX_FUNCTION(uuidx_time_of_timestamp) {
  return TimestampTzGetDatum(
      converted_or_infinite<kTimestampToTimestamptz>(PG_GETARG_TIMESTAMP(0)));
}

// uuid_time_bound(text, boolean, date)
UUIDX_FUNCTION(uuidx_time_bound_date) {
  return bound_of(fcinfo, converted_or_infinite<kDateToTimestamp>(PG_GETARG_DATEADT(2)));
}

// uuid_time_bound(text, boolean, timestamp)
UUIDX_FUNCTION(uuidx_time_bound_timestamp) {
  return bound_of(fcinfo, PG_GETARG_TIMESTAMP(2));
}

// uuid_time_bound(text, boolean, timestamptz)
UUIDX_FUNCTION(uuidx_time_bound_timestamptz) {
  return bound_of(fcinfo, PG_GETARG_TIMESTAMPTZ(2));
}

// uuid_time_bound(text, boolean, timestamptz[]): of its least or greatest element
UUIDX_FUNCTION(uuidx_time_bound__timestamptz) {
  ArrayType *times = PG_GETARG_ARRAYTYPE_P(2);
  const bool upper = PG_GETARG_BOOL(1);
  TimestampTz bound = upper ? DT_NOBEGIN : DT_NOEND;
  ArrayIterator iterator = array_create_iterator(times, 0, nullptr);
  Datum time = 0;
  bool missing = false;
  while (array_iterate(iterator, &time, &missing)) {
    if (!missing) {
      bound = upper ? std::max(bound, DatumGetTimestampTz(time))
                    : std::min(bound, DatumGetTimestampTz(time));
    }
  }
  return bound_of(fcinfo, bound);
}

// uuid_time_bound(text, boolean, double precision)
UUIDX_FUNCTION(uuidx_time_bound_float8) {
  return bound_of(fcinfo, time_of_epoch(PG_GETARG_FLOAT8(2)));
}

// uuid_time_bound(text, boolean, numeric)
UUIDX_FUNCTION(uuidx_time_bound_numeric) {
  const Datum seconds = DirectFunctionCall1(numeric_float8_no_overflow, PG_GETARG_DATUM(2));
  return bound_of(fcinfo, time_of_epoch(DatumGetFloat8(seconds)));
}

// uuid_condition(uuid, boolean)
UUIDX_FUNCTION(uuidx_condition) {
  fcinfo->isnull = PG_ARGISNULL(1);
  return PG_GETARG_DATUM(1);
}

}  // namespace uuidx
