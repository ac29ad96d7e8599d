// SQL functions that generate UUIDs from the clock, from random bits or from given bytes.
#include "pg/backend.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns the microseconds by which an interval moves a time. Months and days have no fixed length,
// so PostgreSQL adds the interval to the time, in the session's time zone.
std::int64_t shift_in_micros(UnixMicros from, Datum interval) {
  const Datum moved = DirectFunctionCall2(timestamptz_pl_interval, make_time(from), interval);
  const UnixMicros to = get_time(moved);
  if (!in_v7_range(to)) {  // infinity, too
    raise_time_error(kV7);
  }
  return to - from;
}

// Returns a UUID of a version for the time in the first argument, or raises an error.
// `make_at(time, random)` makes it.
template <unsigned version, typename MakeAt>
Datum make_at_argument(FunctionCallInfo fcinfo, const MakeAt &make_at) {
  const std::uint64_t random = draw_random(backend_state());
  return make_for_time(make_at(get_time(PG_GETARG_DATUM(0)), random), version);
}

}  // namespace

// uuid_v1(). A backend gets its node and clock sequence on first use.
UUIDX_FUNCTION(uuidx_v1) {
  const ClockReading now = read_clock();
  BackendState *state = backend_state();
  if (!state->v1.seeded) [[unlikely]] {
    v1_seed(&state->v1, draw_random(state));
  }
  const auto id = v1_next(&state->v1, now);
  if (!id) {
    raise_clock_error(kV1);
  }
  return make_uuid(*id);
}

// uuid_v4()
UUIDX_FUNCTION(uuidx_v4) {
  BackendState *state = backend_state();
  const std::uint64_t hi = draw_random(state);
  return make_uuid(stamp({hi, draw_random(state)}, kV4));
}

// uuid_v6()
UUIDX_FUNCTION(uuidx_v6) {
  const ClockReading now = read_clock();
  BackendState *state = backend_state();
  const auto id = v6_next(&state->v6_last, now, draw_random(state));
  if (!id) {
    raise_clock_error(kV6);
  }
  return make_uuid(*id);
}

// uuid_v7()
UUIDX_FUNCTION(uuidx_v7) {
  return make_uuid(next_v7());
}

// uuid_v7(shift interval)
UUIDX_FUNCTION(uuidx_v7_interval) {
  const Uuid id = next_v7();
  // The tick is taken from this backend's generator and moved afterwards: values with the same
  // fixed shift keep the order in which they were generated, and no shift moves the generator
  // itself.
  const UnixTicks ticks = unix_ticks_of(id);
  const std::int64_t shift = shift_in_micros(micros_from_unix_ticks(ticks), PG_GETARG_DATUM(0));
  const auto shifted = shift_unix_ticks(ticks, shift);
  if (!shifted) {
    raise_time_error(kV7);
  }
  return make_uuid(v7_from_unix_ticks(*shifted, id.lo));
}

// uuid_v1_at(timestamptz)
UUIDX_FUNCTION(uuidx_v1_at) {
  return make_at_argument<kV1>(fcinfo, v1_at);
}

// uuid_v6_at(timestamptz)
UUIDX_FUNCTION(uuidx_v6_at) {
  return make_at_argument<kV6>(fcinfo, v6_at);
}

// uuid_v7_at(timestamptz)
UUIDX_FUNCTION(uuidx_v7_at) {
  return make_at_argument<kV7>(fcinfo, v7_at);
}

// uuid_v7_at(timestamptz, ordinal bigint)
UUIDX_FUNCTION(uuidx_v7_at_bigint) {
  const int64 ordinal = PG_GETARG_INT64(1);
  if (ordinal < 0 || ordinal > PG_INT32_MAX) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("ordinal %lld is out of range", static_cast<long long>(ordinal)),
            errdetail("An ordinal is a number from 0 to %d.", PG_INT32_MAX));
  }
  return make_at_argument<kV7>(fcinfo, [=](UnixMicros time, std::uint64_t random) {
    return v7_at_ordinal(time, static_cast<uint32>(ordinal), random);
  });
}

// uuid_v8(data bytea)
UUIDX_FUNCTION(uuidx_v8) {
  bytea *data = PG_GETARG_BYTEA_PP(0);
  const auto size = VARSIZE_ANY_EXHDR(data);
  if (size != kUuidOctets) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("invalid input length for UUID version 8"),
            errdetail("Expected %d bytes, got %zu.", kUuidOctets, size));
  }
  const auto *octets = reinterpret_cast<const unsigned char *>(VARDATA_ANY(data));
  return make_uuid(stamp(from_octets(octets), kV8));
}

// nil_uuid()
UUIDX_FUNCTION(uuidx_nil_uuid) {
  return make_uuid(kNil);
}

// max_uuid()
UUIDX_FUNCTION(uuidx_max_uuid) {
  return make_uuid(kMax);
}

}  // namespace uuidx
