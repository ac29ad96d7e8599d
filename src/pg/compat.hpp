// What differs between the PostgreSQL versions that the library is built for, so that no other file
// asks for the version. (Headers that moved are in pg.hpp.)
#pragma once

#include "pg/pg.hpp"

namespace uuidx {

// Names a lock's tranche. From PostgreSQL 19 on this is done when the lock is initialized, before
// by each process.
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

// Returns the shared memory of a name, which the first caller makes and `initialize` fills; null
// before PostgreSQL 17, which has none by name. Raises an error if it has another size.
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

// Returns the wait event of a name, which pg_stat_activity shows; before PostgreSQL 17 the one that
// all extensions share. `event` keeps it, 0 at first. Processes that have no place in shared
// memory, as the postmaster, cannot ask for a name, and nobody sees what they wait for.
inline std::uint32_t wait_event([[maybe_unused]] std::uint32_t *event,
                                [[maybe_unused]] const char *name) {
#if PG_VERSION_NUM >= 170000
  if (*event == 0 && MyProc != nullptr) {
    *event = WaitEventExtensionNew(name);
  }
  return *event != 0 ? *event : PG_WAIT_EXTENSION;
#else
  return PG_WAIT_EXTENSION;
#endif
}

}  // namespace uuidx
