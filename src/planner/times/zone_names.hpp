// The names of time zones, as AT TIME ZONE reads them.
#pragma once

#include <cstring>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "parser/scansup.h"
#include "utils/datetime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// How AT TIME ZONE reads a name. `rules` is null if it is a fixed offset, in seconds east of UTC.
// The meaning of an abbreviation depends on settings of the session: timezone_abbreviations, and
// from PostgreSQL 18 on also on its time zone: under 'UTC+3', even UTC is another zone.
struct NamedZone {
  pg_tz *rules = nullptr;
  long offset = 0;
  bool is_abbreviation = false;
};

// Returns the name of a zone as abbreviations are looked up.
inline char *lower_name(const char *name) {
  return downcase_truncate_identifier(name, static_cast<int>(strlen(name)), false);
}

// Reads a name in lower case as an abbreviation, if it is one; returns false if its offset depends
// on the time.
inline bool read_abbreviation(const char *lower, NamedZone *zone) {
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

// Finds a time zone by name; returns false if there is none, for one with leap seconds, which are
// no change of its offset, or for an abbreviation whose offset depends on the time. Raises no
// error.
inline bool find_zone(const char *name, NamedZone *zone) {
  if (!read_abbreviation(lower_name(name), zone)) {
    return false;
  }
  if (zone->is_abbreviation) {
    return true;
  }
  zone->rules = pg_tzset(name);
  return zone->rules != nullptr && pg_tz_acceptable(zone->rules);
}

// True if UTC is an abbreviation of the same offset in every session.
inline constexpr bool kUtcIsFixed = PG_VERSION_NUM < 180000;

// True if the name of a zone means UTC in every session.
inline bool is_fixed_utc(const char *zone) {
  return kUtcIsFixed && pg_strcasecmp(zone, "UTC") == 0;
}

}  // namespace uuidx
