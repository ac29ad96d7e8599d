// The WAL record of a high-water mark, which carries it to standbys and through recovery.
#pragma once

#include "core/v7.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Registers the record's resource manager; only while libraries are preloaded. The startup process
// calls `redo` with each mark that it replays.
void register_wal_record(void (*redo)(UnixTicks mark));

// Writes a mark to the WAL and flushes it. Returns the end of its record.
XLogRecPtr log_mark(UnixTicks mark);

}  // namespace uuidx
