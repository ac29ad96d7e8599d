#include "planner/times/computation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "planner/nodes.hpp"
#include "planner/times/zones.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

using Kind = Step::Kind;

// Places of arguments, besides their numbers: none, and the session's zone.
constexpr int8 kNone = -1;
constexpr int8 kSession = -2;

struct Reading;

struct Rule {
  bool (*add)(Reading *reading);  // adds the steps; returns false if these are not known
  Oid function;
  int8 time = 0;        // the argument that is read on
  int8 detail = kNone;  // the one that must be constant
  int8 zone = kNone;    // the zone, if the time is an instant
};

// An operation while it is read.
struct Reading {
  const Rule *rule;
  const List *args;
  Node *time;        // the argument that is read on
  const char *zone;  // the session's if null
  Computation *to;

  [[nodiscard]] Node *detail() const { return nth(args, rule->detail); }
  [[nodiscard]] bool of_instant() const { return rule->zone != kNone; }
};

// Adds a step that is one of the local time of an instant, and for a result that is an instant, the
// way back.
void add_in_local(const Reading &reading, bool returns, const Step &step) {
  if (reading.of_instant() && returns) {
    reading.to->to_instant(reading.zone);
  }
  reading.to->add(step);
  if (reading.of_instant()) {
    reading.to->to_local(reading.zone);
  }
}

Step cut(int64 length, int64 unit, bool aligned) {
  return {Kind::cut, {-length, 0}, length, unit, 0, nullptr, false, aligned};
}

// Adds nothing for an operation that has the value of its argument.
bool add_none(Reading * /*reading*/) {
  return true;
}

// Adds a step that has nothing but its kind, and its zone if it is one between zones.
template <Kind kind>
bool add_step(Reading *reading) {
  reading->to->add({kind, {}, 0, 1, 0, reading->zone});
  return true;
}

bool add_date(Reading *reading) {
  add_in_local(*reading, false, cut(USECS_PER_DAY, USECS_PER_DAY, true));
  return true;
}

// Returns the unit that an operation names; null if that is not constant, or not known.
const Unit *unit_of_detail(const Reading &reading) {
  const char *name = text_of(reading.detail());
  return name != nullptr ? unit_named(name) : nullptr;
}

// Adds date_trunc(). Units up to hours do not change the offset of an instant from UTC.
bool add_trunc(Reading *reading) {
  const Unit *unit = unit_of_detail(*reading);
  if (unit == nullptr || !unit->cuts) {
    return false;
  }
  if (reading->of_instant() && unit->length < USECS_PER_DAY) {
    reading->to->add({Kind::cut, {-unit->length, 0}, unit->length, 1, 0, reading->zone, true});
  } else {
    add_in_local(*reading, true, cut(unit->length, unit_of(unit->length), true));
  }
  return true;
}

// Adds date_bin(). Its result is NULL, or an error, for other origins and lengths.
bool add_bin(Reading *reading) {
  const Interval *stride = interval_of(reading->detail());
  const Const *origin = constant_of(nth(reading->args, 2));
  if (stride == nullptr || stride->month != 0 || origin == nullptr ||
      TIMESTAMP_NOT_FINITE(DatumGetTimestamp(origin->constvalue))) {
    return false;
  }
  const int64 length = stride->day * USECS_PER_DAY + stride->time;
  const int64 of_origin = unit_of(DatumGetTimestamp(origin->constvalue));
  reading->to->add(cut(length, std::min(unit_of(length), of_origin), false));
  return length > 0;
}

// Adds the addition of an interval, or of days. PostgreSQL adds months, then days, each in local
// time, and then the rest.
template <int sign>
bool add_shift(Reading *reading) {
  const Const *constant = constant_of(reading->detail());
  Interval days{};
  const Interval *interval = interval_of(reading->detail());
  if (constant != nullptr && constant->consttype == INT4OID &&
      std::abs(int64{DatumGetInt32(constant->constvalue)}) <= kMostDays) {
    days.day = DatumGetInt32(constant->constvalue);
    interval = &days;
  }
  if (interval == nullptr) {
    return false;
  }
  const int64 time = sign * interval->time;
  const int64 of_days = int64{sign} * interval->day * USECS_PER_DAY;
  if (time != 0) {
    reading->to->move({time, time});
  }
  if (of_days != 0) {
    add_in_local(*reading, true, {Kind::move, {of_days, of_days}});
  }
  if (interval->month != 0) {
    add_in_local(*reading, true, {Kind::move, reach_of_months(sign * interval->month)});
  }
  return true;
}

// Adds rounding to digits of a second.
bool add_rounding(Reading *reading) {
  const Const *digits = constant_of(reading->detail());
  if (digits != nullptr) {
    reading->to->round(DatumGetInt32(digits->constvalue));
  }
  return digits != nullptr;
}

// Adds extract().
bool add_field(Reading *reading) {
  if (is_text(reading->detail(), "epoch")) {
    // Rounded as a floating point number.
    const bool of_date = exprType(reading->time) == DATEOID;
    reading->to->add({of_date ? Kind::field : Kind::epoch, {-1000, 1000}, 1, 1, kUnlimited});
    return true;
  }
  const Unit *unit = unit_of_detail(*reading);
  if (unit != nullptr) {
    const Kind kind = unit->code == DTK_YEAR ? Kind::year : Kind::field;
    add_in_local(*reading, false, {kind, {}, unit->length, 1, unit->values});
  }
  return unit != nullptr;
}

// Adds to_char().
bool add_text(Reading *reading) {
  const char *pattern = text_of(reading->detail());
  if (pattern != nullptr) {
    add_in_local(*reading, false, step_of_pattern(pattern));
  }
  return pattern != nullptr;
}

// Adds the product or, of positive seconds, the quotient with a constant, and reads on in the other
// factor.
bool add_scale(Reading *reading) {
  const bool divides = reading->rule->detail != kNone;
  for (int i = divides ? 1 : 0; i < 2; ++i) {
    const double number = number_of(nth(reading->args, i));  // NaN is not above 0
    if (number > 0 && std::isfinite(number)) {
      reading->time = nth(reading->args, 1 - i);
      const bool exact = reading->rule->function != F_NUMERIC_DIV;
      reading->to->add({Kind::scale, {}, exact ? 0 : 1, 1, divides ? number : 0});
      return true;
    }
  }
  return false;
}

// Sets the zone of an operation; returns false if it is not constant, is not known, or is an
// abbreviation whose offset depends on the time.
bool read_zone(Reading *reading) {
  if (reading->rule->zone < 0) {
    return true;
  }
  reading->zone = text_of(nth(reading->args, reading->rule->zone));
  Zone found;
  if (reading->zone == nullptr || std::strchr(reading->zone, ';') != nullptr ||
      !find_zone(reading->zone, &found)) {
    return false;
  }
  if (found.is_abbreviation && !is_fixed_utc(reading->zone)) {
    reading->to->depend_on_session();
  }
  return true;
}

constexpr Rule kRules[] = {
    {add_none, F_TIMESTAMP_DATE},
    {add_none, F_FLOAT8_NUMERIC},
    {add_step<Kind::to_local>, F_TIMESTAMP_TIMESTAMPTZ, 0, kNone, kSession},
    {add_step<Kind::to_local>, F_TIMEZONE_TEXT_TIMESTAMPTZ, 1, kNone, 0},
    {add_step<Kind::to_instant>, F_TIMESTAMPTZ_DATE, 0, kNone, kSession},
    {add_step<Kind::to_instant>, F_TIMESTAMPTZ_TIMESTAMP, 0, kNone, kSession},
    {add_step<Kind::to_instant>, F_TIMEZONE_TEXT_TIMESTAMP, 1, kNone, 0},
    {add_date, F_DATE_TIMESTAMP},
    {add_date, F_DATE_TIMESTAMPTZ, 0, kNone, kSession},
    {add_trunc, F_DATE_TRUNC_TEXT_TIMESTAMP, 1, 0},
    {add_trunc, F_DATE_TRUNC_TEXT_TIMESTAMPTZ, 1, 0, kSession},
    {add_trunc, F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, 1, 0, 2},
    {add_bin, F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, 1, 0},
    {add_bin, F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, 1, 0},
    {add_shift<1>, F_TIMESTAMPTZ_PL_INTERVAL, 0, 1, kSession},
    {add_shift<1>, F_INTERVAL_PL_TIMESTAMPTZ, 1, 0, kSession},
    {add_shift<1>, F_TIMESTAMP_PL_INTERVAL, 0, 1},
    {add_shift<1>, F_INTERVAL_PL_TIMESTAMP, 1, 0},
    {add_shift<1>, F_DATE_PL_INTERVAL, 0, 1},
    {add_shift<1>, F_DATE_PLI, 0, 1},
    {add_shift<-1>, F_TIMESTAMPTZ_MI_INTERVAL, 0, 1, kSession},
    {add_shift<-1>, F_TIMESTAMP_MI_INTERVAL, 0, 1},
    {add_shift<-1>, F_DATE_MI_INTERVAL, 0, 1},
    {add_shift<-1>, F_DATE_MII, 0, 1},
    {add_rounding, F_TIMESTAMPTZ_TIMESTAMPTZ_INT4, 0, 1},
    {add_rounding, F_TIMESTAMP_TIMESTAMP_INT4, 0, 1},
    {add_field, F_EXTRACT_TEXT_TIMESTAMPTZ, 1, 0, kSession},
    {add_field, F_EXTRACT_TEXT_TIMESTAMP, 1, 0},
    {add_field, F_EXTRACT_TEXT_DATE, 1, 0},
    {add_field, F_DATE_PART_TEXT_TIMESTAMPTZ, 1, 0, kSession},
    {add_field, F_DATE_PART_TEXT_TIMESTAMP, 1, 0},
    {add_field, F_DATE_PART_TEXT_DATE, 1, 0},
    {add_text, F_TO_CHAR_TIMESTAMPTZ_TEXT, 0, 1, kSession},
    {add_text, F_TO_CHAR_TIMESTAMP_TEXT, 0, 1},
    {add_step<Kind::number>, F_TO_TIMESTAMP_FLOAT8},
    {add_step<Kind::floor>, F_FLOOR_NUMERIC},
    {add_step<Kind::floor>, F_FLOOR_FLOAT8},
    {add_scale, F_NUMERIC_DIV, 0, 1},
    {add_scale, F_FLOAT8DIV, 0, 1},
    {add_scale, F_NUMERIC_MUL},
    {add_scale, F_FLOAT8MUL},
};

}  // namespace

Node *read_operation(const Node *node, Computation *computation) {
  const Oid function = function_of(node);
  const auto *rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [=](const Rule &one) { return one.function == function; });
  if (rule == std::end(kRules)) {
    return nullptr;
  }
  List *args = args_of(node);
  Reading reading{rule, args, nth(args, rule->time), nullptr, computation};
  return read_zone(&reading) && rule->add(&reading) ? reading.time : nullptr;
}

}  // namespace uuidx
