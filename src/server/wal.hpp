// The WAL record of a high-water mark, which carries it to standbys and through recovery.
#pragma once

#include "core/v7.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xlogdefs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Registers the record's resource manager; only while libraries are preloaded. The startup process
// calls `redo` with each mark that it replays.
void register_wal_record(void (*redo)(UnixTicks mark));

// Writes a mark to the WAL and flushes it. Returns the end of its record.
XLogRecPtr log_mark(UnixTicks mark);

// True if a commit of this session would wait for synchronous standbys now.
bool would_commit_wait();

// Returns what standbys must have done with the WAL before a commit of this session is durable:
// SYNC_REP_WAIT_WRITE or SYNC_REP_WAIT_FLUSH. Applying it makes nothing more durable.
int wait_mode();

// Waits, as a commit does, until synchronous standbys have confirmed the WAL up to an LSN. Returns
// false if commits no longer wait. Raises an error if the wait is canceled.
bool wait_for_standbys(XLogRecPtr lsn);

// True if the server was shut down cleanly, by the code with which the postmaster ends. An
// immediate shutdown ends it with the same code, and must not wait for a disk.
bool is_clean_shutdown(int code);

}  // namespace uuidx
