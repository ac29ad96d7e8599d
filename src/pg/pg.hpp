// What nearly all files need of PostgreSQL. Files include its other headers themselves, which shows
// what a new version can break. Include it last: port.h redefines snprintf and the like as macros,
// which breaks headers of the C++ library.
#pragma once

// PostgreSQL 15 leaves this empty on Unix. As the library is built with hidden symbols, the
// functions that the server must find would be hidden, too. Later versions define it as here.
#define PGDLLEXPORT __attribute__((visibility("default")))

#include <optional>

#include "pg/begin_headers.hpp"
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#include "pg/end_headers.hpp"

// Begins the definition of an SQL-callable function, with C linkage and a visible symbol
// (PostgreSQL 15 does not export the function itself). It stands in src/sql, except for support
// functions, which only the planner calls: they stand with what they use in src/planner.
#define UUIDX_FUNCTION(name)                           \
  extern "C" PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
  extern "C" {                                         \
  PG_FUNCTION_INFO_V1(name);                           \
  }                                                    \
  Datum name([[maybe_unused]] PG_FUNCTION_ARGS)

#include "core/timestamp.hpp"
#include "core/uuid.hpp"

namespace uuidx {

// Returns a UUID argument, without a detoasted copy: the type has a fixed length.
inline Uuid get_uuid(Datum datum) noexcept {
  return from_octets(DatumGetUUIDP(datum)->data);
}

// Returns a UUID result, allocated in the current memory context.
inline Datum make_uuid(Uuid id) {
  auto *result = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
  to_octets(id, result->data);
  return UUIDPGetDatum(result);
}

// Returns the octets of a UUID as a bytea.
inline Datum make_bytea(Uuid id) {
  auto *result = static_cast<bytea *>(palloc(VARHDRSZ + kUuidOctets));
  SET_VARSIZE(result, VARHDRSZ + kUuidOctets);
  to_octets(id, reinterpret_cast<unsigned char *>(VARDATA(result)));
  return PointerGetDatum(result);
}

// Microseconds from 1970, the core's epoch, to 2000, PostgreSQL's.
inline constexpr int64 kPostgresEpoch =
    int64{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} * USECS_PER_DAY;

// Returns a timestamptz as the core's time. Infinities become the lowest and highest value, and so
// do the few years that would overflow: all of them lie outside the range of every version.
inline UnixMicros get_time(Datum datum) noexcept {
  const TimestampTz time = DatumGetTimestampTz(datum);
  UnixMicros micros = 0;
  if (TIMESTAMP_IS_NOBEGIN(time) || __builtin_add_overflow(time, kPostgresEpoch, &micros)) {
    return time < 0 ? PG_INT64_MIN : PG_INT64_MAX;
  }
  return micros;
}

// Returns the core's time as a timestamptz; every time that a UUID can hold fits.
inline Datum make_time(UnixMicros time) {
  return TimestampTzGetDatum(time - kPostgresEpoch);
}

// Returns a small number as a smallint or an integer.
inline Datum make_integer(uint32 value) noexcept {
  return Int32GetDatum(static_cast<int32>(value));
}

// Returns the result of a function that has none for some arguments: NULL then, else what `make`
// makes of it.
template <typename Value, typename Make>
Datum make_nullable(FunctionCallInfo fcinfo, const std::optional<Value> &value, const Make &make) {
  fcinfo->isnull = !value;
  return value ? make(*value) : Datum{0};
}

}  // namespace uuidx
