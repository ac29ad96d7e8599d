// The cluster clock's high-water mark: at or above every value that was returned, and durable
// before it is. From here it goes to the file, the WAL and shared memory, in the order argued in
// high_water_mark.cpp.
#pragma once

#include "core/v7.hpp"

#include "pg/cluster_memory.hpp"
#include "pg/pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// Starts the cluster clock from the mark in the file, unless that has been done. Returns false if
// the file cannot be read, which is reported at `level`, or if the clock is needed and out of
// range.
bool load_mark(ClusterState *cluster, int level);

// Loads the mark when the server starts. If it cannot be read now, the first call that needs it
// tries again.
void load_mark_at_start(ClusterState *cluster);

// Writes the last tick as the mark when the postmaster ends, so that a server that is often
// restarted does not run ahead of the clock.
void save_mark_at_shutdown(int code, Datum argument);

// Takes over a mark from the WAL. Called by the startup process, the only writer during recovery.
void redo_mark(UnixTicks mark);

// Returns the tick up to which this session may return values.
UnixTicks limit_of(const ClusterState &cluster);

// True if a tick is above the mark, or so near to it that the mark should be raised.
bool is_below_reserve(UnixTicks ticks, UnixTicks mark) noexcept;

// Makes a mark at or above a tick durable before its value is returned, and raises the mark when
// half of its lead is used up. Returns true if it raised the mark. Raises an error if it cannot.
bool ensure_mark(ClusterState *cluster, UnixTicks ticks);

}  // namespace uuidx

#pragma GCC visibility pop
