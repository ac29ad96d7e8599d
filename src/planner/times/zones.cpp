#include "planner/times/zones.hpp"

#include <algorithm>
#include <cstring>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "parser/scansup.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// PostgreSQL accepts zones of POSIX form, such as '<A>-100', up to 167:59:59 from UTC.
constexpr int64 kFarthest = 168 * USECS_PER_HOUR;

// Where a bound is so far from all times of version 7 that its zone does not matter, and the
// arithmetic below might overflow.
constexpr int64 kFar = int64{1} << 60;

}  // namespace

char *lower_name(const char *name) {
  return downcase_truncate_identifier(name, static_cast<int>(std::strlen(name)), false);
}

bool read_abbreviation(const char *lower, Zone *zone) {
  int seconds = 0;
#if PG_VERSION_NUM >= 160000
  int type = UNKNOWN_FIELD;
  DateTimeErrorExtra extra;
  if (DecodeTimezoneAbbrev(0, lower, &type, &seconds, &zone->rules, &extra) != 0) {
    return false;
  }
#else
  const int type = DecodeTimezoneAbbrev(0, const_cast<char *>(lower), &seconds, &zone->rules);
#endif
  zone->is_abbreviation = type == TZ || type == DTZ || type == DYNTZ;
  if (zone->is_abbreviation) {
    zone->rules = nullptr;
    zone->offset = seconds;
  }
  return type != DYNTZ;
}

bool find_zone(const char *name, Zone *zone) {
  if (!read_abbreviation(lower_name(name), zone)) {
    return false;
  }
  if (zone->is_abbreviation) {
    return true;
  }
  zone->rules = pg_tzset(name);
  return zone->rules != nullptr && pg_tz_acceptable(zone->rules);
}

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
