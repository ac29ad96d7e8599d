#include "planner/rewrite/zone_bound.hpp"

#include <algorithm>
#include <iterator>

#include "core/v7.hpp"
#include "pg/compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "utils/plancache.h"
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

int64 rounded_down(int64 time, int64 unit) {
  const int64 rest = time % unit;
  return time - (rest < 0 ? rest + unit : rest);
}

// Reads the order of a zone from its changes of offset.
ZoneOrder read_order(pg_tz *rules) {
  // PostgreSQL may take any offset within them for a local time: see kNearby.
  constexpr int64 kWeeks = 2 * kNearby;
  // The rules of every zone end before 2100, or repeat after 400 years.
  constexpr int64 kFirst = -kPostgresEpoch - kOrderReach - kWeeks;
  constexpr int64 kLast = -kPostgresEpoch + int64{531} * 366 * USECS_PER_DAY;
  constexpr int64 kUnits[] = {1, USECS_PER_MINUTE, USECS_PER_HOUR, USECS_PER_DAY};
  ZoneOrder order;
  int64 before = 0;
  int64 changed = kFirst - kWeeks;
  int64 least = 0;
  int64 most = 0;
  each_offset(Zone{rules, 0}, kFirst, kLast, [&](int64 offset, int64 from, int64) {
    if (from == kFirst || offset == before) {
      before = offset;
      return;
    }
    const auto increases = [&](int64 unit, bool instant) {
      return rounded_down(from - 1 + before, unit) - (instant ? before : 0) <=
             rounded_down(from + offset, unit) - (instant ? offset : 0);
    };
    order.cuts = order.cuts && increases(USECS_PER_MINUTE, true) && increases(USECS_PER_HOUR, true);
    const auto *unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                    [&](int64 one) { return increases(one, false); });
    order.unit = std::max(order.unit, unit != std::end(kUnits) ? *unit : PG_INT64_MAX);
    const bool alone = from - changed > kWeeks;
    least = std::min({alone ? before : least, before, offset});
    most = std::max({alone ? before : most, before, offset});
    order.swing = std::max(order.swing, most - least);
    before = offset;
    changed = from;
  });
  return order;
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

ZoneOrder order_of(pg_tz *rules) {
  // The last ones are kept.
  struct Known {
    pg_tz *rules = nullptr;
    ZoneOrder order;
  };
  static constinit Known known[16] = {};
  static constinit unsigned next = 0;
  for (const Known &one : known) {
    if (one.rules == rules) {
      return one.order;
    }
  }
  Known *one = &known[next++ % lengthof(known)];
  *one = {nullptr, read_order(rules)};
  one->rules = rules;
  return one->order;
}

bool has_zone(ZoneNeed need) {
  if (need == ZoneNeed::nothing) {
    return true;
  }
  const ZoneOrder order = order_of(session_timezone);
  NamedZone utc;
  return (kUtcIsFixed || find_zone("UTC", &utc)) &&
         (need == ZoneNeed::offset
              ? order.swing == 0
              : order.unit <= USECS_PER_DAY && order.cuts && order.swing <= USECS_PER_DAY);
}

// uuid_check_zone(boolean), which the planner puts into plans. The plans that are cached are made
// anew, so that a statement that is repeated succeeds.
UUIDX_FUNCTION(uuidx_check_zone) {
  if (!has_zone(PG_GETARG_BOOL(0) ? ZoneNeed::offset : ZoneNeed::days)) {
    ResetPlanCache();
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("cached plan is not valid in time zone \"%s\"",
                   pg_get_timezone_name(session_timezone)),
            errdetail("Local time goes back there, and the plan was made for another time zone."),
            errhint("Execute the statement again."));
  }
  PG_RETURN_DATUM(make_uuid(kNil));
}

}  // namespace uuidx
