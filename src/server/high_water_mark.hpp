// The server clock's high-water mark: at or above every value that was returned. A value is
// returned only once its mark is as durable as a commit of the same session would be. The mark goes
// to the file, the WAL, shared memory and the standbys, in the order argued in high_water_mark.cpp.
#pragma once

#include "core/v7.hpp"

#include "server/server_clock.hpp"
#include "pg/pg.hpp"

namespace uuidx {

// True if a value with this tick may be returned at this time of the clock: a mark at or above it
// is durable.
bool may_return(const ServerMemory *server, UnixTicks ticks, UnixTicks clock);

// True if the mark must be raised or confirmed before a value with this tick is returned, or will
// have to be soon: half of its lead, or of the time for which its confirmation counts, is used up.
bool is_mark_due(const ServerMemory *server, UnixTicks ticks, UnixTicks clock);

// Makes a mark at or above a tick durable, so that its value may be returned, and does what is due.
// Raises an error if it cannot.
void make_mark_durable(ServerMemory *server, UnixTicks ticks);

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
