// The synchronous standbys, which must have a mark before a session that waits for them may return
// values up to it.
#pragma once

#include <cstdint>

#include "pg/pg.hpp"

namespace uuidx {

// Identifies the standbys that commits wait for; two sets differ, in practice, if any connection of
// a standby or its priority does, or synchronous_standby_names as the session has read them. Never
// kNoStandbys.
using StandbySet = std::uint64_t;
inline constexpr StandbySet kNoStandbys = 0;

// True if commits of this session wait for a synchronous standby.
bool is_standby_awaited();

// Returns the present set.
StandbySet standbys_now();

// True if the standbys that are synchronous now are those of a set, and have flushed the WAL up to
// an LSN: true for ever of this set.
bool have_flushed(StandbySet standbys, XLogRecPtr lsn);

// True if they have what is enough for a value of this session: written, with synchronous_commit =
// remote_write.
bool have_enough(StandbySet standbys, XLogRecPtr lsn);

// True if PostgreSQL takes the WAL up to an LSN for confirmed, as a session like this one requires:
// wait_for_standbys() then returns at once.
//
// PostgreSQL remembers the greatest LSN that was ever confirmed, whichever standbys did so. Those
// that are synchronous now may lack it, even if they were synchronous before. So ask
// have_enough(), too.
bool was_confirmed(XLogRecPtr lsn);

// Waits, as a commit does, until standbys have confirmed the WAL up to an LSN, or until commits
// wait for none any more. Raises an error if the wait is canceled.
void wait_for_standbys(XLogRecPtr lsn);

}  // namespace uuidx
