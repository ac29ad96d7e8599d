// How long the units and fields of times stay, and how many values they have.
#pragma once

#include <limits>

#include "planner/times/computation.hpp"

#include "pg/pg.hpp"

namespace uuidx {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// A unit of date_trunc() or a field of extract(), by PostgreSQL's code.
struct Unit {
  int code;
  int64 length;
  double values = kUnlimited;
  bool cuts = true;  // date_trunc() has it
};

// Returns the unit of a name as PostgreSQL reads it; null if it is none of the known ones.
const Unit *unit_named(const char *name);

// Returns a pattern of to_char() as a step: its finest field, and as many values as its fields have
// together. Texts of a year, a month or a day have bounds.
Step step_of_pattern(const char *pattern);

// Returns how far a number of months leads: each has 28 to 31 days, and many have about the average
// number, up to leap years and to the last day of a shorter month.
Reach reach_of_months(int months);

}  // namespace uuidx
