// SQL functions that compute a UUID from a namespace and a name (RFC 9562 §5.3, §5.5, B.2), and
// from a time and these.
#include <cstring>
#include <string_view>

#include "core/text.hpp"
#include "core/v7.hpp"
#include "pg/backend.hpp"
#include "pg/libcrypto.hpp"
#include "pg/text_argument.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "mb/pg_wchar.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The namespace IDs of RFC 9562 §6.6, table 3.
constexpr struct {
  std::string_view name;
  std::uint64_t hi;
} kNamespaces[] = {{"dns", 0x6ba7b8109dad11d1},
                   {"url", 0x6ba7b8119dad11d1},
                   {"oid", 0x6ba7b8129dad11d1},
                   {"x500", 0x6ba7b8149dad11d1}};
constexpr std::uint64_t kNamespaceLo = 0x80b400c04fd430c8;

// Returns the bytes of a bytea argument.
Name octets_of(Datum datum) {
  bytea *data = DatumGetByteaPP(datum);
  return {VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data)};
}

// Returns the bytes of a text argument in UTF-8, so that a name gives the same UUID in every
// database.
Name utf8_of(Datum datum) {
  const std::string_view name = get_text(datum);
  const char *utf8 = pg_server_to_any(name.data(), static_cast<int>(name.size()), PG_UTF8);
  return {utf8, utf8 == name.data() ? name.size() : std::strlen(utf8)};
}

// Returns the UUID of a version and its digest, with the namespace in the first argument.
template <auto digest_of, unsigned version>
Datum make_digest(FunctionCallInfo fcinfo, Name name) {
  return make_uuid(stamp(digest_of(get_uuid(PG_GETARG_DATUM(0)), name), version));
}

// Returns a version 8 UUID, with the digest in the first argument and the namespace in the second.
Datum make_v8_hash(FunctionCallInfo fcinfo, Name name) {
  const char *algorithm = text_to_cstring(PG_GETARG_TEXT_PP(0));
  return make_uuid(stamp(digest_of_name(algorithm, get_uuid(PG_GETARG_DATUM(1)), name), kV8));
}

}  // namespace

// uuid_v3(ns uuid, name text)
UUIDX_FUNCTION(uuidx_v3_text) {
  return make_digest<md5_of_name, kV3>(fcinfo, utf8_of(PG_GETARG_DATUM(1)));
}

// uuid_v3(ns uuid, name bytea)
UUIDX_FUNCTION(uuidx_v3_bytea) {
  return make_digest<md5_of_name, kV3>(fcinfo, octets_of(PG_GETARG_DATUM(1)));
}

// uuid_v5(ns uuid, name text)
UUIDX_FUNCTION(uuidx_v5_text) {
  return make_digest<sha1_of_name, kV5>(fcinfo, utf8_of(PG_GETARG_DATUM(1)));
}

// uuid_v5(ns uuid, name bytea)
UUIDX_FUNCTION(uuidx_v5_bytea) {
  return make_digest<sha1_of_name, kV5>(fcinfo, octets_of(PG_GETARG_DATUM(1)));
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
  return make_v8_hash(fcinfo, octets_of(PG_GETARG_DATUM(2)));
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

}  // namespace uuidx
