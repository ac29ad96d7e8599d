// The cluster clock's shared memory, one for the whole server. It is requested when the server
// starts, if the library is preloaded, and otherwise made on first use.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock_watch.hpp"
#include "core/shared_ticks.hpp"

#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// The content of the shared memory. After an upgrade of the package, sessions with the old library
// and with the new one share it: the first two members never move, and every change of the others
// needs a new kClusterLayout. The order of each access to an atomic is argued where it is made, in
// cluster_clock.cpp and high_water_mark.cpp.
struct ClusterState {
  std::uint32_t magic;
  std::uint32_t layout;
  SharedTicks last;       // the last tick that was taken
  SharedTicks mark;       // durable here; no value above it is returned
  SharedTicks confirmed;  // durable on a synchronous standby, too; at or below the mark
  std::atomic<std::uint64_t> generated;
  std::atomic<bool> loaded;  // the mark file has been read
  std::atomic<bool> behind;  // the clock was found behind the values
  bool logged;               // marks are written to the WAL
  TimestampTz since;
  LWLock mark_lock;               // held while the mark is read from the file or raised
  ConditionVariable mark_raised;  // broadcast when mark_lock is released
  XLogRecPtr mark_lsn;            // end of the mark's WAL record, or invalid; needs mark_lock
  LWLock watch_lock;              // protects `watch`; never held while waiting for a disk
  ClockWatch watch;
};

inline constexpr std::uint32_t kClusterMagic = 0x75756964;  // "uuid"
inline constexpr std::uint32_t kClusterLayout = 1;

// The size that is allocated, with room for new members: PostgreSQL refuses to attach a segment of
// another size, with a less helpful error than that for kClusterLayout.
inline constexpr std::size_t kClusterSize = 1024;
static_assert(sizeof(ClusterState) <= kClusterSize);

// Null if this process has not attached the memory yet, or if there is none.
extern constinit ClusterState *the_cluster;

using StartCallback = void (*)(ClusterState *);

// Requests shared memory when the server starts. The postmaster calls `on_start` once the memory is
// initialized, also after a crash of a session, and `on_stop` with its exit code when it ends.
void request_cluster_memory(StartCallback on_start, pg_on_exit_callback on_stop);

// Returns the shared memory, made if need be. Returns null before PostgreSQL 17 if the library is
// not preloaded. Raises an error if an incompatible library has made it.
ClusterState *attach_cluster_memory();

}  // namespace uuidx

#pragma GCC visibility pop
