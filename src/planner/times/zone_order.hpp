// Whether the local time of a time zone, rounded down to a unit, ever goes back.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_collation.h"
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

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
