// The WAL record of a high-water mark, which brings it to standbys and through recovery.
#pragma once

#include "core/v7.hpp"

#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// Registers the record with the server; only while libraries are preloaded. The startup process
// calls `redo` with each mark that it reads.
void register_wal_record(void (*redo)(UnixTicks mark));

// Logs a mark and waits until that is flushed. Returns the end of its record.
XLogRecPtr log_mark(UnixTicks mark);

// True if commits of this session wait for a synchronous standby.
bool is_standby_awaited();

// Waits as a commit does until a synchronous standby has the WAL up to a tick. Raises an error
// if that is canceled.
void wait_for_standby(XLogRecPtr lsn);

// True if the synchronous standbys have flushed the WAL up to a tick.
bool has_standby_flushed(XLogRecPtr lsn);

}  // namespace uuidx

#pragma GCC visibility pop
