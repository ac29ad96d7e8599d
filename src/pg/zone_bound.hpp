// Bounds of the times whose computed value, such as their day in a time zone, fulfils a condition.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "pgtime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A time zone: an offset that changes, or a fixed one, in seconds east of UTC, if `rules` is null.
struct Zone {
  pg_tz *rules = nullptr;
  long fixed = 0;
};

// Returns the earliest instant (the latest, if `upper`) whose local time in a zone is at or after
// (before) a local time. Exact, also where clocks are set back or a day is skipped.
int64 instant_bound(const Zone &zone, int64 local, bool upper);

// Returns a local time that is not after (before, if `upper`) any that PostgreSQL takes for an
// instant at or after (before) this one.
int64 local_bound(const Zone &zone, int64 instant, bool upper);

// Returns a bound of an instant for a bound of what `steps` compute from it, both in microseconds,
// as the type stores them, or infinite. The steps undo the computation from its last operation to
// its first one, separated by ';':
//   N           adds N microseconds
//   zone[=NAME] leads from local times to instants, of the session's zone or this one
//   local[=NAME] leads from instants to local times
// Raises an error if a zone is unknown.
int64 undo_steps(int64 bound, const char *steps, bool upper);

}  // namespace uuidx
