// The server clock's high-water mark: at or above every value that was returned. A value is
// returned only once its mark is as durable as a commit of the same session would be. The mark goes
// to the file, the WAL, shared memory and the standbys, in the order argued in high_water_mark.cpp.
#pragma once

#include "core/v7.hpp"

#include "pg/server/server_memory.hpp"
#include "pg/pg.hpp"

namespace uuidx {

// True if a value with this tick may be returned: a mark at or above it is durable.
bool may_return(const ServerMemory *server, UnixTicks ticks);

// True if a new mark is due before a value with this tick is returned, as half of the lead of the
// last one is used up, or may_return() is false.
bool is_mark_due(const ServerMemory *server, UnixTicks ticks);

// Makes a mark at or above a tick durable, so that its value may be returned, and writes a new mark
// if that is due. `clock` is the tick of the clock. Raises an error if it cannot.
void make_mark_durable(ServerMemory *server, UnixTicks ticks, UnixTicks clock);

}  // namespace uuidx
