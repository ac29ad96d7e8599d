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

// How far from the times of keys those may be whose order is known. Most zones had no such odd
// changes since then as before.
constexpr int64 kOrderReach = 2 * 366 * USECS_PER_DAY;

// In which order a zone's local time is, over all times of keys and those within kOrderReach.
struct ZoneOrder {
  // The shortest of 1 microsecond, a minute, an hour and a day whose number never decreases in
  // local time; more than a day if there is none. 1 if the offset never changes.
  int64 unit = 1;
  bool cuts =
      true;  // instants that are rounded down to minutes or hours of local time never decrease
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

// True if the session's zone has what is needed.
bool has_zone(ZoneNeed need);

}  // namespace uuidx
