#include "planner/rewrite/zone_bound.hpp"

#include <algorithm>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// PostgreSQL accepts zones of POSIX form, such as '<A>-100', up to 167:59:59 from UTC.
constexpr int64 kFarthest = 168 * USECS_PER_HOUR;

// PostgreSQL takes for a local time an offset that is in effect within 14 days of the instant: it
// looks from a day before until the next change, by the local time as if it were UTC. As the
// instants may be any beyond the bound, up to where the distance exceeds all offsets, twice that.
constexpr int64 kNearby = 28 * USECS_PER_DAY;

// Where a bound is so far from all times of version 7 that its zone does not matter, and the
// arithmetic below might overflow.
constexpr int64 kFar = int64{1} << 60;

constexpr int64 kEpochSeconds = kPostgresEpoch / USECS_PER_SEC;

// Calls visit(offset, from, until) for each period of one offset between two instants, in order;
// the offset in microseconds east of UTC. The last period ends after `last`.
template <typename Visit>
void each_offset(const Zone &zone, int64 first, int64 last, const Visit &visit) {
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

}  // namespace

int64 plus(int64 a, int64 b) {
  int64 sum = 0;
  if (TIMESTAMP_NOT_FINITE(a)) {
    return a;
  }
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? DT_NOBEGIN : DT_NOEND) : sum;
}

int64 instant_bound(const Zone &zone, int64 local, bool upper) {
  if (local < -kFar || local > kFar) {
    return plus(local, upper ? kFarthest : -kFarthest);
  }
  int64 bound = upper ? local - kFarthest : local + kFarthest;
  each_offset(zone, local - kFarthest, local + kFarthest,
              [&](int64 offset, int64 from, int64 until) {
                const int64 instant = local - offset;
                if (upper && instant >= from) {
                  bound = std::min(instant, until - 1);
                } else if (!upper && instant < until) {
                  bound = std::min(bound, std::max(instant, from));
                }
              });
  return bound;
}

int64 local_bound(const Zone &zone, int64 instant, bool upper) {
  if (instant < -kFar || instant > kFar) {
    return plus(instant, upper ? kFarthest : -kFarthest);
  }
  int64 most = -kFarthest;
  int64 least = kFarthest;
  each_offset(zone, instant - kNearby, instant + kNearby, [&](int64 offset, int64, int64) {
    most = std::max(most, offset);
    least = std::min(least, offset);
  });
  return instant + (upper ? most : least);
}

}  // namespace uuidx
