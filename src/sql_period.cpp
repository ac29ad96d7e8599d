// SQL functions on periods of time: whether one contains the time of a version 7 UUID, and its
// bounds as UUIDs.
#include <span>

#include "period.hpp"
#include "pg_period.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// True where an argument of this call is a constant, so that what was read from it can be kept. A
// parameter does not count: PL/pgSQL changes one between two calls.
bool is_constant(FunctionCallInfo fcinfo, int argument) {
  const List *args = args_of(fcinfo->flinfo->fn_expr);
  return list_length(args) > argument && IsA(list_nth(args, argument), Const);
}

// Copies what was read from a constant to where it lives as long as the prepared call.
template <typename T>
const T *keep(FunctionCallInfo fcinfo, T value) {
  auto *kept = static_cast<T *>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(T)));
  *kept = value;
  fcinfo->flinfo->fn_extra = kept;
  return kept;
}

// What uuid <@ tstzrange says of the arguments at these positions.
Datum in_period(FunctionCallInfo fcinfo, int id, int period) {
  const auto *kept = static_cast<const UuidSpan *>(fcinfo->flinfo->fn_extra);
  if (kept == nullptr) {
    const UuidSpan span = v7_span(period_of(PG_GETARG_RANGE_P(period)));
    if (!is_constant(fcinfo, period)) {
      return BoolGetDatum(span.contains(get_uuid(PG_GETARG_DATUM(id))));
    }
    kept = keep(fcinfo, span);
  }
  return BoolGetDatum(kept->contains(get_uuid(PG_GETARG_DATUM(id))));
}

// What uuid <@ tstzmultirange says.
Datum in_periods(FunctionCallInfo fcinfo, int id, int periods) {
  using Spans = std::span<const UuidSpan>;
  const auto *kept = static_cast<const Spans *>(fcinfo->flinfo->fn_extra);
  if (kept == nullptr) {
    if (!is_constant(fcinfo, periods)) {
      const Spans spans = spans_of(PG_GETARG_MULTIRANGE_P(periods));
      return BoolGetDatum(contains(spans, get_uuid(PG_GETARG_DATUM(id))));
    }
    MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    kept = keep(fcinfo, spans_of(PG_GETARG_MULTIRANGE_P(periods)));
    MemoryContextSwitchTo(caller);
  }
  return BoolGetDatum(contains(*kept, get_uuid(PG_GETARG_DATUM(id))));
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
  return make_uuid(v7_span(period_of(PG_GETARG_RANGE_P(0))).lowest);
}

// uuid_v7_upper(tstzrange)
UUIDX_FUNCTION(uuidx_v7_upper) {
  return make_uuid(v7_span(period_of(PG_GETARG_RANGE_P(0))).highest);
}

// uuid_v7_lower(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_lower_multi) {
  return make_uuid(hull_of(spans_of(PG_GETARG_MULTIRANGE_P(0))).lowest);
}

// uuid_v7_upper(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_upper_multi) {
  return make_uuid(hull_of(spans_of(PG_GETARG_MULTIRANGE_P(0))).highest);
}

}  // namespace uuidx
