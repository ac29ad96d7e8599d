// The synchronous standbys, which must have a mark before a session that waits for them may return
// values up to it.
#pragma once

#include <atomic>
#include <cstdint>

#include "pg/pg.hpp"

namespace uuidx {

// Identifies the standbys that commits wait for; two sets differ, in practice, if any standby or
// its priority does, or synchronous_standby_names. Never kNoStandbys.
using StandbySet = std::uint64_t;
inline constexpr StandbySet kNoStandbys = 0;

// True if commits of this session wait for a synchronous standby.
bool is_standby_awaited();

// Returns the present set. `names` is shared by all sessions, and identifies the
// synchronous_standby_names that the first of them has read.
StandbySet standbys_now(std::atomic<std::uint64_t> *names);

// Waits, as a commit does, until the synchronous standbys have confirmed the WAL up to an LSN.
// Raises an error if the wait is canceled.
//
// PostgreSQL remembers the greatest LSN that was ever confirmed, whichever standbys did so: for one
// at or below it, this returns at once, although standbys that have become synchronous since may
// lack it. So a new set needs a new record.
void wait_for_standbys(XLogRecPtr lsn);

// True if the synchronous standbys have flushed the WAL up to an LSN, with the same limit.
bool have_standbys_flushed(XLogRecPtr lsn);

}  // namespace uuidx
