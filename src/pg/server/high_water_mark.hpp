// The server clock's high-water mark: at or above every value that was returned, and durable
// before it is. From here it goes to the file, the WAL, shared memory and the standbys, in the
// order argued in high_water_mark.cpp.
#pragma once

#include "core/v7.hpp"

#include "pg/server/server_memory.hpp"
#include "pg/pg.hpp"

namespace uuidx {

// True if a value with this tick may be returned now.
bool is_ensured(ServerState *server, UnixTicks ticks);

// True if the mark should be raised before a value with this tick is returned, as the tick is above
// it or near to it.
bool should_raise(ServerState *server, UnixTicks ticks);

// Makes a mark at or above a tick durable before its value is returned, and raises the mark when
// half of its lead is used up. `clock` is the tick of the clock. Returns true if it raised the
// mark. Raises an error if it cannot.
bool ensure_mark(ServerState *server, UnixTicks ticks, UnixTicks clock);

}  // namespace uuidx
