// The server clock, which uuid_v7_server() reads: one tick for the whole server, in shared
// memory, with a durable high-water mark at or above it.
//
// A value is returned only once a mark at or above it is as durable as a commit of the same session
// would be, so that a server that restarts at the mark continues above all values (RFC 9562 §6.3).
// A new mark lies two seconds ahead of the values, and the first session that comes within a second
// of it raises it, so that the others seldom wait for the disk.
#pragma once

#include "core/v7.hpp"
#include "server/server_memory.hpp"

#include "pg/pg.hpp"

namespace uuidx {

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
