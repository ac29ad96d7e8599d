// The WAL record of a high-water mark, which carries it to standbys and through recovery.
#pragma once

#include "core/v7.hpp"

#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// Registers the record's resource manager; only while libraries are preloaded. The startup process
// calls `redo` with each mark that it replays.
void register_wal_record(void (*redo)(UnixTicks mark));

// Writes a mark to the WAL and flushes it. Returns the end of its record.
XLogRecPtr log_mark(UnixTicks mark);

// True if commits of this session wait for a synchronous standby.
bool is_standby_awaited();

// Waits, as a commit does, until the synchronous standbys have confirmed the WAL up to an LSN.
// Raises an error if the wait is canceled.
void wait_for_standby(XLogRecPtr lsn);

// True if the synchronous standbys have flushed the WAL up to an LSN.
bool has_standby_flushed(XLogRecPtr lsn);

}  // namespace uuidx

#pragma GCC visibility pop
