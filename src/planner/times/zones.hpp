// Time zones: their names, as AT TIME ZONE reads them, instants and local times as bounds of each
// other, and whether local time, rounded down to a unit, ever goes back.
#pragma once

#include <algorithm>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_collation.h"
#include "datatype/timestamp.h"
#include "utils/datetime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A time zone: an offset that changes, or a fixed one, in seconds east of UTC, if `rules` is null.
// The meaning of an abbreviation depends on settings of the session: timezone_abbreviations, and
// from PostgreSQL 18 on also on its time zone: under 'UTC+3', even UTC is another zone.
struct Zone {
  pg_tz *rules = nullptr;
  long offset = 0;
  bool is_abbreviation = false;
};

// Returns the name of a zone as abbreviations are looked up.
char *lower_name(const char *name);

// Reads a name in lower case as an abbreviation, if it is one; returns false if its offset depends
// on the time.
bool read_abbreviation(const char *lower, Zone *zone);

// Finds a time zone by name; returns false if there is none, for one with leap seconds, which are
// no change of its offset, or for an abbreviation whose offset depends on the time. Raises no
// error.
bool find_zone(const char *name, Zone *zone);

// True if UTC is an abbreviation of the same offset in every session.
inline constexpr bool kUtcIsFixed = PG_VERSION_NUM < 180000;

// True if the name of a zone means UTC in every session.
inline bool is_fixed_utc(const char *zone) {
  return kUtcIsFixed && pg_strcasecmp(zone, "UTC") == 0;
}

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
    long before = zone.offset;
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

// How far from the times of keys those may be whose order is known. Before that, more zones changed
// at odd times.
inline constexpr int64 kOrderReach = 2 * 366 * USECS_PER_DAY;

// In which order a zone's local time is, over all times of keys and those within kOrderReach.
struct ZoneOrder {
  // The shortest of 1 microsecond, a minute, an hour and a day whose number never decreases in
  // local time; more than a day if there is none. 1 if the offset never changes.
  int64 unit = 1;
  // Instants that are rounded down to minutes or hours of local time never decrease.
  bool cuts = true;
  int64 swing = 0;  // how much offsets differ that are in effect within weeks of each other
};

// Returns the order of a zone with rules.
ZoneOrder order_of(pg_tz *rules);

// What an order takes for granted of the session's time zone, which may change after planning.
enum class ZoneNeed : uint8 {
  nothing,
  days,    // no day begins again, nor do minutes or hours of instants
  offset,  // its offset from UTC never changes
};

// True if a plan may take for granted what it needs of the session's zone: the zone has it, and no
// plan of the session has met another one lately.
bool relies_on_zone(ZoneNeed need);

// By this collation, uuid_check_zone() knows a call of the planner: its arguments have none, so no
// call in SQL has one.
inline constexpr Oid kPlannersCollation = C_COLLATION_OID;

}  // namespace uuidx
