// The only file that includes PostgreSQL's headers, which differ between its versions. Include it
// last: port.h redefines snprintf and the like as macros, which breaks headers of the C++ library.
#pragma once

// PostgreSQL 15 leaves this empty on Unix. As the library is built with hidden symbols, the
// functions that the server must find would be hidden, too. Later versions define it as here.
#define PGDLLEXPORT __attribute__((visibility("default")))

#pragma GCC diagnostic push
// PostgreSQL's headers are written in C and cause these C++ warnings.
#pragma GCC diagnostic ignored "-Wregister"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wignored-attributes"
extern "C" {
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/itup.h"
#include "access/nbtree.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "access/xloginsert.h"
#include "access/xlogutils.h"
#include "catalog/dependency.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_language.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/extension.h"
#include "common/controldata_utils.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "port/pg_crc32c.h"
#include "postmaster/interrupt.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/bufmgr.h"
#include "storage/condition_variable.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/partcache.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#include "utils/varlena.h"
#include "utils/wait_event.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
}
#pragma GCC diagnostic pop

// Begins the definition of an SQL-callable function, with C linkage and a visible symbol
// (PostgreSQL 15 does not export the function itself). It stands in src/sql, except for support and
// estimator functions: only the planner calls them, so they stand with what they use in
// src/pg/planner.
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

}  // namespace uuidx
