// SQL functions that read a UUID's fields. They are immutable and leakproof, as none raises an
// error that depends on its argument or reads anything else.
#include "core/fields.hpp"
#include "core/gregorian.hpp"
#include "core/v7.hpp"
#include "core/v8_node.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/inet.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns a 48-bit node as a MAC address, the most significant byte first.
Datum make_macaddr(std::uint64_t node) {
  auto *address = static_cast<macaddr *>(palloc(sizeof(macaddr)));
  const auto octet = [node](int index) {
    return static_cast<unsigned char>(node >> (40 - 8 * index));
  };
  *address = {octet(0), octet(1), octet(2), octet(3), octet(4), octet(5)};
  return MacaddrPGetDatum(address);
}

// Returns every field of a UUID as JSON with hexadecimal values, in the order of the bits, or null
// if RFC 9562 defines no layout for it.
NullableDatum fields_json(Uuid id) {
  StringInfoData json;
  initStringInfo(&json);
  for (const Field &field : layout_of(id)) {
    appendStringInfo(&json, R"(%s"%s": "0x%0*llx")", json.len == 0 ? "{" : ", ", field.name,
                     (field.width + 3) / 4,
                     static_cast<unsigned long long>(field_value(id, field)));
  }
  if (json.len == 0) {
    return {0, true};
  }
  appendStringInfoChar(&json, '}');
  return {CStringGetTextDatum(json.data), false};
}

}  // namespace

// uuid_extract_time(uuid)
UUIDX_FUNCTION(uuidx_extract_time) {
  return make_nullable(fcinfo, time_of(get_uuid(PG_GETARG_DATUM(0))), make_time);
}

// uuid_extract_v7_time(uuid)
UUIDX_FUNCTION(uuidx_extract_v7_time) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  return make_nullable(fcinfo, is_v7(id) ? time_of(id) : std::nullopt, make_time);
}

// uuid_extract_timestamp(uuid) of uuidx_compat, which reads what PostgreSQL 18's does: versions 1
// and 7, but not 6.
UUIDX_FUNCTION(uuidx_extract_timestamp) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  return make_nullable(fcinfo, version_of(id) != kV6 ? time_of(id) : std::nullopt, make_time);
}

// uuid_extract_time_precise(uuid)
UUIDX_FUNCTION(uuidx_extract_time_precise) {
  return make_nullable(fcinfo, precise_time_of(get_uuid(PG_GETARG_DATUM(0))), make_time);
}

// uuid_is_v7(uuid)
UUIDX_FUNCTION(uuidx_is_v7) {
  PG_RETURN_BOOL(is_v7(get_uuid(PG_GETARG_DATUM(0))));
}

// uuid_extract_version(uuid)
UUIDX_FUNCTION(uuidx_extract_version) {
  return make_nullable(fcinfo, version_of(get_uuid(PG_GETARG_DATUM(0))), make_integer);
}

// uuid_extract_variant(uuid)
UUIDX_FUNCTION(uuidx_extract_variant) {
  return CStringGetTextDatum(variant_name(variant_of(get_uuid(PG_GETARG_DATUM(0)))));
}

// uuid_extract_clock_seq(uuid)
UUIDX_FUNCTION(uuidx_extract_clock_seq) {
  return make_nullable(fcinfo, clock_seq_of(get_uuid(PG_GETARG_DATUM(0))), make_integer);
}

// uuid_extract_node(uuid)
UUIDX_FUNCTION(uuidx_extract_node) {
  return make_nullable(fcinfo, node_of(get_uuid(PG_GETARG_DATUM(0))), make_macaddr);
}

// uuid_extract_v8_node(uuid)
UUIDX_FUNCTION(uuidx_extract_v8_node) {
  return make_nullable(fcinfo, v8_node_of(get_uuid(PG_GETARG_DATUM(0))), make_integer);
}

// uuid_extract_v8_time(uuid)
UUIDX_FUNCTION(uuidx_extract_v8_time) {
  return make_nullable(fcinfo, v8_node_time_of(get_uuid(PG_GETARG_DATUM(0))), make_time);
}

// uuid_inspect(uuid)
UUIDX_FUNCTION(uuidx_inspect) {
  TupleDesc columns = nullptr;
  if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "return type must be a row type");
  }
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  const auto version = version_of(id);
  const auto time = time_of(id);
  const auto clock_seq = clock_seq_of(id);
  const auto node = node_of(id);
  const NullableDatum fields = fields_json(id);
  Datum values[] = {
      make_integer(version.value_or(0)),
      CStringGetTextDatum(variant_name(variant_of(id))),
      CStringGetTextDatum(description_of(id)),
      make_time(time.value_or(0)),
      make_integer(clock_seq.value_or(0)),
      make_macaddr(node.value_or(0)),
      fields.value,
  };
  bool nulls[] = {!version, false, false, !time, !clock_seq, !node, fields.isnull};
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

}  // namespace uuidx
