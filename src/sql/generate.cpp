// SQL functions that generate UUIDs: from the clock, from random bits, from given bytes, and from a
// namespace and a name (RFC 9562 §5.3, §5.5, B.2).
#include <cstring>
#include <string_view>

#include "core/text.hpp"
#include "core/v7.hpp"
#include "core/v8_node.hpp"
#include "pg/backend.hpp"
#include "pg/libcrypto.hpp"
#include "pg/settings.hpp"
#include "pg/text_argument.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "mb/pg_wchar.h"
#include "pg/end_headers.hpp"

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

// Generates the next UUID of this backend for a node, which must be in range.
Datum make_v8_node(std::uint32_t node) {
  const UnixTicks clock = read_unix_ticks(kV8);
  BackendState *state = backend_state();
  const std::uint64_t random = draw_random(state);
  const UnixTicks ticks = take_ticks(&state->v8_last, clock, kV8);
  return make_uuid(v8_node_from_unix_ticks(ticks, node, random));
}

// The namespace IDs of RFC 9562 §6.6, table 3.
constexpr struct {
  std::string_view name;
  std::uint64_t hi;
} kNamespaces[] = {{"dns", 0x6ba7b8109dad11d1},
                   {"url", 0x6ba7b8119dad11d1},
                   {"oid", 0x6ba7b8129dad11d1},
                   {"x500", 0x6ba7b8149dad11d1}};
constexpr std::uint64_t kNamespaceLo = 0x80b400c04fd430c8;

// Returns the bytes of a text argument in UTF-8, so that a name gives the same UUID in every
// database.
std::string_view utf8_of(Datum datum) {
  const std::string_view name = get_text(datum);
  const char *utf8 = pg_server_to_any(name.data(), static_cast<int>(name.size()), PG_UTF8);
  return {utf8, utf8 == name.data() ? name.size() : std::strlen(utf8)};
}

// Returns the UUID of a version and its digest, with the namespace in the first argument.
template <auto digest_of, unsigned version>
Datum make_digest(FunctionCallInfo fcinfo, std::string_view name) {
  return make_uuid(stamp(digest_of(get_uuid(PG_GETARG_DATUM(0)), name), version));
}

// Returns a version 8 UUID, with the digest in the first argument and the namespace in the second.
Datum make_v8_hash(FunctionCallInfo fcinfo, std::string_view name) {
  const char *algorithm = text_to_cstring(PG_GETARG_TEXT_PP(0));
  return make_uuid(stamp(digest_of_name(algorithm, get_uuid(PG_GETARG_DATUM(1)), name), kV8));
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
  return make_uuid(stamp(get_octets(PG_GETARG_DATUM(0), "UUID version 8"), kV8));
}

// uuid_v8_node(node integer)
UUIDX_FUNCTION(uuidx_v8_node_integer) {
  const int32 node = PG_GETARG_INT32(0);
  if (node < 0 || node > static_cast<int32>(kMaxNode)) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("node ID %d is out of range", node),
            errdetail("A node ID is a number from 0 to %u.", kMaxNode));
  }
  return make_v8_node(static_cast<std::uint32_t>(node));
}

// uuid_v8_node()
UUIDX_FUNCTION(uuidx_v8_node) {
  if (node_id == kNoNode) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("parameter \"uuidx.node_id\" is not set"),
        errhint(
            "Set it in postgresql.conf to a different number from 0 to %u on each server, or call "
            "uuid_v8_node(node).",
            kMaxNode));
  }
  return make_v8_node(static_cast<std::uint32_t>(node_id));
}

// uuid_v3(ns uuid, name text)
UUIDX_FUNCTION(uuidx_v3_text) {
  return make_digest<md5_of_name, kV3>(fcinfo, utf8_of(PG_GETARG_DATUM(1)));
}

// uuid_v3(ns uuid, name bytea)
UUIDX_FUNCTION(uuidx_v3_bytea) {
  return make_digest<md5_of_name, kV3>(fcinfo, get_text(PG_GETARG_DATUM(1)));
}

// uuid_v5(ns uuid, name text)
UUIDX_FUNCTION(uuidx_v5_text) {
  return make_digest<sha1_of_name, kV5>(fcinfo, utf8_of(PG_GETARG_DATUM(1)));
}

// uuid_v5(ns uuid, name bytea)
UUIDX_FUNCTION(uuidx_v5_bytea) {
  return make_digest<sha1_of_name, kV5>(fcinfo, get_text(PG_GETARG_DATUM(1)));
}

// uuid_v7_at(timestamptz, ns uuid, name text)
UUIDX_FUNCTION(uuidx_v7_at_text) {
  const Uuid digest = sha256_of_name(get_uuid(PG_GETARG_DATUM(1)), utf8_of(PG_GETARG_DATUM(2)));
  return make_for_time(v7_at(get_time(PG_GETARG_DATUM(0)), digest.lo), kV7);
}

// uuid_v8_hash(algorithm text, ns uuid, name text)
UUIDX_FUNCTION(uuidx_v8_hash_text) {
  return make_v8_hash(fcinfo, utf8_of(PG_GETARG_DATUM(2)));
}

// uuid_v8_hash(algorithm text, ns uuid, name bytea)
UUIDX_FUNCTION(uuidx_v8_hash_bytea) {
  return make_v8_hash(fcinfo, get_text(PG_GETARG_DATUM(2)));
}

// uuid_namespace(name text)
UUIDX_FUNCTION(uuidx_namespace) {
  for (const auto &known : kNamespaces) {
    if (equal_ignoring_case(get_text(PG_GETARG_DATUM(0)), known.name)) {
      return make_uuid({known.hi, kNamespaceLo});
    }
  }
  ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
          errmsg("unrecognized UUID namespace: \"%s\"", TextDatumGetCString(PG_GETARG_DATUM(0))),
          errhint("The namespaces are \"dns\", \"url\", \"oid\", and \"x500\"; for another one, "
                  "pass its UUID instead."));
  pg_unreachable();
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
