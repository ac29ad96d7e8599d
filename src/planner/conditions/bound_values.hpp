// Values with which computed times are compared, as the microseconds of their ends.
#pragma once

#include <cstddef>

#include "pg/pg.hpp"

namespace uuidx {

// Returns a value as the microseconds that the steps begin with. `cast` makes a date or timestamp
// an instant. Raises an error for a type that the planner does not use.
int64 microseconds_of(Datum value, Oid type, bool cast, bool upper);

// Returns the beginning of a year, which is a number of seconds since 1970, or of the one after it;
// infinite far beyond the times of keys.
int64 start_of_year(int64 number, bool next);

// Returns where the times begin (`upper`), or end, of which to_char() makes exactly this text of a
// day, month or year, which is as long as that of a pattern; infinite, so that no time is between,
// if there are none.
int64 end_of_text(const char *text, std::size_t length, bool upper);

// Returns where the local times begin (`upper`), or end, that are cut to a local time whose bounds
// are given, by the unit of date_trunc() with a length; infinite, so that no time is between, if
// the bounds differ or are not the beginning of one.
int64 end_of_cut(const int64 (&local)[2], int64 length, bool upper);

}  // namespace uuidx
