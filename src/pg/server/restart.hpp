// What the server clock does outside of normal operation: it starts from the mark in the file,
// follows the marks in the WAL during recovery, and leaves the last tick as the mark at shutdown.
#pragma once

#include "core/v7.hpp"

#include "pg/server/server_memory.hpp"
#include "pg/pg.hpp"

namespace uuidx {

// Starts the server clock from the mark in the file, unless that has been done. Returns false if
// the file cannot be read, which is reported at `level`, or if the clock is needed and out of
// range.
bool load_mark(ServerMemory *server, int level);

// Loads the mark when the server starts. If it cannot be read now, the first call that needs it
// tries again.
void load_mark_at_start(ServerMemory *server);

// Writes the last tick as the mark when the postmaster ends, so that a server that is often
// restarted does not run ahead of the clock.
void save_mark_at_shutdown(int code, Datum argument);

// Takes over a mark from the WAL. Called by the startup process, the only writer during recovery.
void redo_mark(UnixTicks mark);

}  // namespace uuidx
