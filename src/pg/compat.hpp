// Differences between PostgreSQL versions, so that no other file tests PG_VERSION_NUM, except
// pg.hpp for the headers and planner_compat.hpp for the planner part.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xlogutils.h"
#include "funcapi.h"
#include "replication/syncrep.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/wait_event.h"
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#include "pg/end_headers.hpp"

namespace uuidx {

// Prepares the result of a function that returns rows. PostgreSQL 15.0 lacks the newer name, which
// later minor releases of 15 have.
inline void begin_rows(FunctionCallInfo fcinfo) {
#if PG_VERSION_NUM < 160000
  SetSingleFuncCall(fcinfo, 0);
#else
  InitMaterializedSRF(fcinfo, 0);
#endif
}

// Names a lock's tranche. Each process must do so before PostgreSQL 19; since then the name is
// given once, to new_tranche().
inline void name_tranche([[maybe_unused]] const LWLock &lock, [[maybe_unused]] const char *name) {
#if PG_VERSION_NUM < 190000
  LWLockRegisterTranche(lock.tranche, name);
#endif
}

// Returns a tranche for new locks.
inline int new_tranche([[maybe_unused]] const char *name) {
#if PG_VERSION_NUM >= 190000
  return LWLockNewTrancheId(name);
#else
  return LWLockNewTrancheId();
#endif
}

// Returns the shared memory with this name, which the first caller makes and `initialize` fills;
// null before PostgreSQL 17, which has no named segments. Raises an error if it has another size.
template <void (*initialize)(void *)>
void *named_segment([[maybe_unused]] const char *name, [[maybe_unused]] std::size_t size) {
#if PG_VERSION_NUM >= 190000
  bool found = false;
  return GetNamedDSMSegment(
      name, size, [](void *segment, void *) { initialize(segment); }, &found, nullptr);
#elif PG_VERSION_NUM >= 170000
  bool found = false;
  return GetNamedDSMSegment(name, size, initialize, &found);
#else
  return nullptr;
#endif
}

// Returns the wait event that pg_stat_activity shows by this name; before PostgreSQL 17, the one
// that all extensions share. `event` caches it and is 0 at first. Processes without a PGPROC, such
// as the postmaster, cannot request a name, and pg_stat_activity does not show them. Recovery
// requests none: that fails once all names of the server are in use, and would end recovery.
inline std::uint32_t wait_event([[maybe_unused]] std::uint32_t *event,
                                [[maybe_unused]] const char *name) {
#if PG_VERSION_NUM >= 170000
  if (*event == 0 && MyProc != nullptr && !InRecovery) {
    *event = WaitEventExtensionNew(name);
  }
  return *event != 0 ? *event : PG_WAIT_EXTENSION;
#else
  return PG_WAIT_EXTENSION;
#endif
}

// True if the server's minor release, which need not be that of the build, is at least the one that
// is given for its major release.
inline bool has_minor(int of_15, int of_16, int of_17, int of_18) {
  static constinit int minor = -1;
  if (minor < 0) {
    minor = pg_strtoint32(GetConfigOption("server_version_num", false, false)) % 10000;
  }
  return minor >= (PG_VERSION_NUM < 160000   ? of_15
                   : PG_VERSION_NUM < 170000 ? of_16
                   : PG_VERSION_NUM < 180000 ? of_17
                   : PG_VERSION_NUM < 190000 ? of_18
                                             : 0);
}

// True if commits wait for synchronous standbys by the flag that SyncRepWaitForLSN() goes by: a
// session rereads synchronous_standby_names only between statements. The minor releases of May 2025
// replaced a bool by two bits, in the same place; a library built for them runs on older ones, too.
inline bool are_standbys_defined() {
#ifdef SYNC_STANDBY_DEFINED
  const auto *place =
      reinterpret_cast<const volatile unsigned char *>(&WalSndCtl->sync_standbys_status);
#else
  const auto *place =
      reinterpret_cast<const volatile unsigned char *>(&WalSndCtl->sync_standbys_defined);
#endif
  const unsigned char status = *place;
  if (!has_minor(13, 9, 5, 0)) {
    return status != 0;
  }
  constexpr unsigned char kInitialized = 1;
  constexpr unsigned char kDefined = 2;
  return (status & kInitialized) != 0 ? (status & kDefined) != 0 : SyncRepStandbyNames[0] != '\0';
}

}  // namespace uuidx
