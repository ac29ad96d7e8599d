// Instants and local times of time zones, as bounds of each other.
#pragma once

#include <algorithm>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A time zone: an offset that changes, or a fixed one, in seconds east of UTC, if `rules` is null.
struct Zone {
  pg_tz *rules = nullptr;
  long fixed = 0;
};

// PostgreSQL takes for a local time an offset that is in effect within 14 days of the instant: it
// looks from a day before until the next change, by the local time as if it were UTC. As the
// instants may be any beyond the bound, up to where the distance exceeds all offsets, twice that.
inline constexpr int64 kNearby = 28 * USECS_PER_DAY;

// Calls visit(offset, from, until) for each period of one offset between two instants, in order;
// the offset in microseconds east of UTC. The last period ends after `last`.
template <typename Visit>
void each_offset(const Zone &zone, int64 first, int64 last, const Visit &visit) {
  constexpr int64 kEpochSeconds = kPostgresEpoch / USECS_PER_SEC;
  // Times are rounded down to seconds: offsets change at whole ones.
  pg_time_t at = first / USECS_PER_SEC + kEpochSeconds - 1;
  int64 from = first;
  while (from <= last) {
    long before = zone.fixed;
    long after = 0;
    int is_dst = 0;
    pg_time_t boundary = 0;
    const bool changes =
        zone.rules != nullptr &&
        pg_next_dst_boundary(&at, &before, &is_dst, &boundary, &after, &is_dst, zone.rules) == 1;
    const int64 until =
        changes ? std::min((boundary - kEpochSeconds) * USECS_PER_SEC, last + 1) : last + 1;
    if (from < until) {
      visit(before * USECS_PER_SEC, from, until);
      from = until;
    }
    at = boundary;
  }
}

// Returns a sum; infinite if it would overflow, or if `a` is.
int64 plus(int64 a, int64 b);

// Returns the earliest instant (the latest, if `upper`) whose local time in a zone is at or after
// (before) a local time. Exact, also where clocks are set back or a day is skipped.
int64 instant_bound(const Zone &zone, int64 local, bool upper);

// Returns a local time that is not after (before, if `upper`) any that PostgreSQL takes for an
// instant at or after (before) this one.
int64 local_bound(const Zone &zone, int64 instant, bool upper);

}  // namespace uuidx
