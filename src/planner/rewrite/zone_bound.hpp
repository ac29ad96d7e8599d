// Instants and local times of time zones, as bounds of each other.
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

// Returns a sum; infinite if it would overflow, or if `a` is.
int64 plus(int64 a, int64 b);

// Returns the earliest instant (the latest, if `upper`) whose local time in a zone is at or after
// (before) a local time. Exact, also where clocks are set back or a day is skipped.
int64 instant_bound(const Zone &zone, int64 local, bool upper);

// Returns a local time that is not after (before, if `upper`) any that PostgreSQL takes for an
// instant at or after (before) this one.
int64 local_bound(const Zone &zone, int64 instant, bool upper);

}  // namespace uuidx
