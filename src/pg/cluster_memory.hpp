// The cluster clock's shared memory, one for the whole server, and how a process comes to it: asked
// for when the server starts, if the library is preloaded, or made on first use.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock_watch.hpp"
#include "core/shared_ticks.hpp"

#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// In shared memory. After an upgrade of the package, sessions with the old library and with the new
// one meet here: the first two members stay where they are for good, and every change of the others
// needs another kClusterLayout.
struct ClusterState {
  std::uint32_t magic;
  std::uint32_t layout;
  SharedTicks last;       // of the last value
  SharedTicks mark;       // durable here; no value above it is returned
  SharedTicks confirmed;  // durable on a synchronous standby, too; at or below the mark
  std::atomic<std::uint64_t> made;
  std::atomic<bool> loaded;  // the mark file has been read
  std::atomic<bool> behind;  // the clock was found behind the values
  bool logged;               // marks are written to the WAL
  TimestampTz since;
  LWLock mark_lock;               // to be held while the mark is read from the file or raised
  ConditionVariable mark_raised;  // broadcast when mark_lock is released
  XLogRecPtr mark_lsn;            // end of the mark's WAL record if known; needs mark_lock
  LWLock watch_lock;              // of what follows; nobody waits for a disk with it
  ClockWatch watch;
};

inline constexpr std::uint32_t kClusterMagic = 0x75756964;  // "uuid"
inline constexpr std::uint32_t kClusterLayout = 1;

// What is allocated: PostgreSQL refuses a segment of another size, so that there must be room for
// members to come.
inline constexpr std::size_t kClusterSize = 1024;
static_assert(sizeof(ClusterState) <= kClusterSize);

// Null if this process has not found it yet, or if there is none.
extern constinit ClusterState *the_cluster;

using StartCallback = void (*)(ClusterState *);

// Asks for shared memory when the server starts. `on_start` is called in the postmaster when it is
// there, and `on_stop` when the postmaster ends, with its exit code.
void request_cluster_memory(StartCallback on_start, pg_on_exit_callback on_stop);

// Finds or makes the shared memory. Returns null before PostgreSQL 17 if the library is not
// preloaded. Raises an error if an incompatible library has made it.
ClusterState *attach_cluster_memory();

}  // namespace uuidx

#pragma GCC visibility pop
