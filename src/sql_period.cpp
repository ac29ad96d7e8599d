// SQL functions on periods of time: whether one contains the time of a version 7 UUID, and its
// bounds as UUIDs.
#include "period.hpp"
#include "pg_period.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// What a call of an operator keeps from row to row.
struct Prepared {
  TypeCacheEntry *type = nullptr;
  bool constant = false;  // the period is, and this is its span
  UuidSpan span;
};

// True where an argument of this call is a constant. A parameter does not count: PL/pgSQL changes
// one between two calls.
bool is_constant(FunctionCallInfo fcinfo, int argument) {
  const List *args = args_of(fcinfo->flinfo->fn_expr);
  return list_length(args) > argument && IsA(list_nth(args, argument), Const);
}

Prepared *prepare(FunctionCallInfo fcinfo) {
  FmgrInfo *call = fcinfo->flinfo;
  if (call->fn_extra == nullptr) {
    auto *prepared = static_cast<Prepared *>(MemoryContextAlloc(call->fn_mcxt, sizeof(Prepared)));
    *prepared = {range_type(), false, {}};
    call->fn_extra = prepared;
  }
  return static_cast<Prepared *>(call->fn_extra);
}

// What uuid <@ tstzrange says of the arguments at these positions.
Datum in_period(FunctionCallInfo fcinfo, int id, int period) {
  Prepared *prepared = prepare(fcinfo);
  if (!prepared->constant) {
    prepared->span = v7_span(period_of(prepared->type, PG_GETARG_RANGE_P(period)));
    prepared->constant = is_constant(fcinfo, period);
  }
  return BoolGetDatum(prepared->span.contains(get_uuid(PG_GETARG_DATUM(id))));
}

// What uuid <@ tstzmultirange says.
Datum in_periods(FunctionCallInfo fcinfo, int id, int periods) {
  TypeCacheEntry *type = prepare(fcinfo)->type;
  const MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(periods);
  const auto span = [&](uint32 i) { return v7_span(period_at(type, ranges, i)); };
  return BoolGetDatum(some_span_contains(ranges->rangeCount, span, get_uuid(PG_GETARG_DATUM(id))));
}

// The span of a tstzrange argument.
UuidSpan get_span(Datum argument) {
  return v7_span(period_of(range_type(), DatumGetRangeTypeP(argument)));
}

// The hull of a tstzmultirange argument.
UuidSpan get_hull(Datum argument) {
  TypeCacheEntry *type = range_type();
  const MultirangeType *ranges = DatumGetMultirangeTypeP(argument);
  return hull_of(ranges->rangeCount, [&](uint32 i) { return v7_span(period_at(type, ranges, i)); });
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
  return make_uuid(get_span(PG_GETARG_DATUM(0)).lowest);
}

// uuid_v7_upper(tstzrange)
UUIDX_FUNCTION(uuidx_v7_upper) {
  return make_uuid(get_span(PG_GETARG_DATUM(0)).highest);
}

// uuid_v7_lower(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_lower_multi) {
  return make_uuid(get_hull(PG_GETARG_DATUM(0)).lowest);
}

// uuid_v7_upper(tstzmultirange)
UUIDX_FUNCTION(uuidx_v7_upper_multi) {
  return make_uuid(get_hull(PG_GETARG_DATUM(0)).highest);
}

}  // namespace uuidx
