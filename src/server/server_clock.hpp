// The server clock, which uuid_v7_server() reads: one tick for the whole server, in shared
// memory, with a durable high-water mark at or above it.
//
// A value is returned only once a mark at or above it is as durable as a commit of the same session
// would be, so that a server that restarts at the mark continues above all values (RFC 9562 §6.3).
// A new mark lies two seconds ahead of the values, and the first session that comes within a second
// of it raises it, so that the others seldom wait for the disk.
//
// The memory is one for the whole server. It is requested when the server starts, if the library is
// preloaded, and otherwise made on first use.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/server_ticks.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xlogdefs.h"
#include "replication/syncrep.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// The content of the shared memory. After an upgrade of the package, sessions with the old library
// and with the new one share it: the first two members never move, and every change of the others
// needs a new kServerLayout.
//
// Who writes what, and when it may go down:
//
// - last: the tick taken last. take_server_ticks() raises it by compare and swap; so do the start
//   and recovery. It may be above the mark: such a value is returned once the mark is not below it.
// - mark: durable in the file and, if `logged`, in the WAL. log_and_publish() raises it, with
//   mark_lock.
// - renew_at: the tick, at or below the mark, from which on the mark should be raised. Written with
//   the mark.
// - file_mark: the greatest mark that this run has tried to write to the file, or 0; at or above
//   `mark`. During recovery it is flushed, too. Written by whoever writes the file, with mark_lock.
// - confirmed: the marks that synchronous standbys have written, and flushed; at or below `mark`.
//   confirm_mark() raises them.
// - confirmed_at: the clock when the record was written that confirmed them, for how long they
//   count. confirm_mark() sets it.
// - awaited_at: the clock when the last record was written whose writer waits for standbys, or 0 if
//   nobody waits for that of the present mark. log_and_publish() sets it, with mark_lock.
//
// The first five only grow until the server ends, except renew_at. A restart begins with `last` at
// the mark in the file, and without a mark, so that the first value raises it. Only a clean
// shutdown lowers the mark in the file, to `last`. Recovery writes without the lock, as no session
// returns values then. The order of each access to an atomic is argued where it is made, in
// server_ticks.hpp, server_clock.cpp and high_water_mark.cpp.
struct ServerMemory {
  std::uint32_t magic;
  std::uint32_t layout;
  SharedTicks last;
  SharedTicks mark;
  SharedTicks renew_at;
  SharedTicks confirmed[SYNC_REP_WAIT_FLUSH + 1];
  SharedTicks confirmed_at[SYNC_REP_WAIT_FLUSH + 1];
  SharedTicks awaited_at;
  std::atomic<bool> loaded;           // the mark file has been read
  std::atomic<bool> clock_is_behind;  // that was reported
  bool logged;                        // marks are written to the WAL
  LWLock mark_lock;                   // held while the mark is read from the file or raised
  ConditionVariable mark_raised;      // broadcast when mark_lock is released
  UnixTicks file_mark;                // needs mark_lock, as do:
  bool directory_flushed;             // so the file's name is durable
  XLogRecPtr awaited_lsn;             // end of the record that awaited_at is of
  UnixTicks max_lead;                 // uuidx.max_clock_lead of the server; never changes
};

inline constexpr std::uint32_t kServerMagic = 0x75756964;  // "uuid"
inline constexpr std::uint32_t kServerLayout = 1;

// The size that is allocated, with room for new members: PostgreSQL refuses to attach a segment of
// another size, with a less helpful error than that for kServerLayout.
inline constexpr std::size_t kServerSize = 1024;
static_assert(sizeof(ServerMemory) <= kServerSize);

// Null if this process has not attached the memory yet, or if there is none.
extern constinit ServerMemory *the_server;

// Asks for shared memory and registers the WAL record; only while libraries are preloaded.
void prepare_server_clock();

// Takes the next tick of the server. Raises an error if there is no shared memory, during recovery,
// if the clock is out of range, and if the mark cannot be read or made durable.
UnixTicks take_server_ticks();

// Returns the tick that the server took last. Raises the same errors.
UnixTicks last_server_ticks();

// Makes later ticks of the server greater than this one. Raises the same errors.
void advance_server_clock(UnixTicks to);

// Returns the state of the server clock, for uuid_generator_state(), started from the mark in the
// file. Returns null if there is no shared memory.
ServerMemory *read_server_clock();

}  // namespace uuidx
