// How a value is computed from the time of a key: read once, by a table of operations, for the
// bounds that conditions on the value give the time, for orders by it, and for counts of groups.
#pragma once

#include <algorithm>
#include <limits>

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A part of a computation. Operations of PostgreSQL are made up of these: date(timestamptz) takes
// the local time of an instant, and cuts it to days.
struct Step {
  enum class Kind : uint8 {
    to_local,    // the local time of an instant, in `zone`
    to_instant,  // the instant of a local time
    move,        // adds what may depend on the argument
    cut,         // rounds down to values `length` apart, which depend on how many `unit`s there are
    year,        // the number of the year
    text,        // to_char() of a day, a month or a year
    epoch,       // seconds, as a number
    scale,       // multiplies a number; by seconds if it is a quotient
    floor,       // rounds a number down
    number,      // another increasing operation on numbers
    field,       // a field that recurs: stays for `length`, has `values` values
  };
  Kind kind = Kind::move;
  Reach reach;  // how far it moves what it is applied to
  int64 length = 0;
  int64 unit = 1;
  double values = 0;
  const char *zone = nullptr;  // the session's if null
  bool zoned = false;          // cut: an instant, by the local time of the zone
  bool aligned = false;        // cut: to the beginning of such units
};

class Computation {
 public:
  static constexpr int kMost = 12;
  static constexpr int kAllDigits = 6;  // of a second

  // Adds the step before those that there are.
  void add(const Step &step);
  void move(Reach reach) { add({Step::Kind::move, reach}); }
  void to_local(const char *zone) { add({Step::Kind::to_local, {}, 0, 1, 0, zone}); }
  void to_instant(const char *zone) { add({Step::Kind::to_instant, {}, 0, 1, 0, zone}); }
  void depend_on_session() { in_session_ = true; }
  void round(int digits) { digits_ = std::min(digits_, digits); }

  // Steps from the last one to the first.
  [[nodiscard]] const Step *begin() const { return steps_; }
  [[nodiscard]] const Step *end() const { return steps_ + (count_ > kMost ? kMost : count_); }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] bool is_full() const { return count_ > kMost; }
  [[nodiscard]] bool depends_on_session() const { return in_session_; }

  // True if times with some digits of a second, milliseconds or all, are not changed by rounding.
  [[nodiscard]] bool keeps(int digits) const { return digits <= digits_; }

  // How far the steps lead from a time at most, either way.
  [[nodiscard]] int64 farthest() const;

  // True if a bound of the value gives one of the time, and no time of a key raises an error.
  [[nodiscard]] bool has_bounds() const;

  // True if the value is the time and a constant.
  [[nodiscard]] bool is_shift() const;

  // True if the value is the time itself, as a timestamptz or as a timestamp in UTC.
  [[nodiscard]] bool is_time() const;

 private:
  Step steps_[kMost];
  int count_ = 0;
  int digits_ = kAllDigits;  // that are left by rounding
  bool in_session_ = false;
};

// Returns the longest of a day, an hour, a minute and a microsecond of which a time is a multiple.
int64 unit_of(int64 time);

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

// Returns a pattern of to_char() as a step, by its finest field. Texts of a year, a month or a day
// have bounds.
Step step_of_pattern(const char *pattern);

// Returns how far a number of months leads: each has 28 to 31 days, and many have about the average
// number, up to leap years and to the last day of a shorter month.
Reach reach_of_months(int months);

// Reads the last operation of an expression; returns its argument, or null if it is none that is
// known.
Node *read_operation(const Node *node, Computation *computation);

}  // namespace uuidx
