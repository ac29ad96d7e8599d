#include "planner/times/operations.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "planner/nodes.hpp"
#include "planner/times/constants.hpp"
#include "planner/times/units.hpp"
#include "planner/times/zone_names.hpp"

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

// What an operation does.
enum class Form : uint8 {
  same,     // has the value of its argument
  local,    // local time of an instant
  instant,  // instant of a local time
  date,     // cuts to days
  trunc,    // date_trunc()
  bin,      // date_bin()
  plus,     // an interval, or days
  minus,    //
  round,    // to digits of a second
  field,    // extract()
  text,     // to_char()
  epoch,    // to_timestamp()
  floor,
  divide,
  multiply,
};

// Places of arguments, besides their numbers: none, and the session's zone.
constexpr int8 kNone = -1;
constexpr int8 kSession = -2;

struct Rule {
  Oid function;
  Form form;
  int8 time = 0;        // the argument that is read on
  int8 detail = kNone;  // the one that must be constant
  int8 zone = kNone;    // the zone, if the time is an instant
};

constexpr Rule kRules[] = {
    {F_TIMESTAMP_DATE, Form::same},
    {F_FLOAT8_NUMERIC, Form::same},
    {F_TIMESTAMP_TIMESTAMPTZ, Form::local, 0, kNone, kSession},
    {F_TIMEZONE_TEXT_TIMESTAMPTZ, Form::local, 1, kNone, 0},
    {F_TIMESTAMPTZ_DATE, Form::instant, 0, kNone, kSession},
    {F_TIMESTAMPTZ_TIMESTAMP, Form::instant, 0, kNone, kSession},
    {F_TIMEZONE_TEXT_TIMESTAMP, Form::instant, 1, kNone, 0},
    {F_DATE_TIMESTAMP, Form::date},
    {F_DATE_TIMESTAMPTZ, Form::date, 0, kNone, kSession},
    {F_DATE_TRUNC_TEXT_TIMESTAMP, Form::trunc, 1, 0},
    {F_DATE_TRUNC_TEXT_TIMESTAMPTZ, Form::trunc, 1, 0, kSession},
    {F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, Form::trunc, 1, 0, 2},
    {F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, Form::bin, 1, 0},
    {F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, Form::bin, 1, 0},
    {F_TIMESTAMPTZ_PL_INTERVAL, Form::plus, 0, 1, kSession},
    {F_INTERVAL_PL_TIMESTAMPTZ, Form::plus, 1, 0, kSession},
    {F_TIMESTAMP_PL_INTERVAL, Form::plus, 0, 1},
    {F_DATE_PL_INTERVAL, Form::plus, 0, 1},
    {F_DATE_PLI, Form::plus, 0, 1},
    {F_TIMESTAMPTZ_MI_INTERVAL, Form::minus, 0, 1, kSession},
    {F_TIMESTAMP_MI_INTERVAL, Form::minus, 0, 1},
    {F_DATE_MI_INTERVAL, Form::minus, 0, 1},
    {F_DATE_MII, Form::minus, 0, 1},
    {F_TIMESTAMPTZ_TIMESTAMPTZ_INT4, Form::round, 0, 1},
    {F_TIMESTAMP_TIMESTAMP_INT4, Form::round, 0, 1},
    {F_EXTRACT_TEXT_TIMESTAMPTZ, Form::field, 1, 0, kSession},
    {F_EXTRACT_TEXT_TIMESTAMP, Form::field, 1, 0},
    {F_EXTRACT_TEXT_DATE, Form::field, 1, 0},
    {F_DATE_PART_TEXT_TIMESTAMPTZ, Form::field, 1, 0, kSession},
    {F_DATE_PART_TEXT_TIMESTAMP, Form::field, 1, 0},
    {F_DATE_PART_TEXT_DATE, Form::field, 1, 0},
    {F_TO_CHAR_TIMESTAMPTZ_TEXT, Form::text, 0, 1, kSession},
    {F_TO_CHAR_TIMESTAMP_TEXT, Form::text, 0, 1},
    {F_TO_TIMESTAMP_FLOAT8, Form::epoch},
    {F_FLOOR_NUMERIC, Form::floor},
    {F_FLOOR_FLOAT8, Form::floor},
    {F_NUMERIC_DIV, Form::divide, 0, 1},
    {F_FLOAT8DIV, Form::divide, 0, 1},
    {F_NUMERIC_MUL, Form::multiply},
    {F_FLOAT8MUL, Form::multiply},
};

// An operation while it is read.
struct Reading {
  const Rule *rule;
  const List *args;
  const char *zone;  // the session's if null
  int digits;
  Computation *to;

  [[nodiscard]] Node *detail() const { return nth(args, rule->detail); }
  [[nodiscard]] bool of_instant() const { return rule->zone != kNone; }
};

// Adds the steps of the local time of an instant and of what follows from it, and for a result that
// is an instant, of the way back.
template <typename Add>
void add_in_local(const Reading &reading, bool returns, const Add &add) {
  if (reading.of_instant() && returns) {
    reading.to->to_instant(reading.zone);
  }
  add();
  if (reading.of_instant()) {
    reading.to->to_local(reading.zone);
  }
}

void add_cut(Computation *to, int64 length, int64 unit, bool aligned) {
  to->add({Kind::cut, {-length, 0}, length, unit, 0, nullptr, false, aligned});
}

// Returns the unit that an operation names; null if that is not constant, or not known.
const Unit *unit_of_detail(const Reading &reading) {
  const char *name = text_of(reading.detail());
  return name != nullptr ? unit_named(name) : nullptr;
}

// Adds date_trunc(). Units up to hours do not change the offset of an instant from UTC.
bool add_trunc(const Reading &reading) {
  const Unit *unit = unit_of_detail(reading);
  if (unit == nullptr || !unit->cuts) {
    return false;
  }
  if (reading.of_instant() && unit->length < USECS_PER_DAY) {
    reading.to->add({Kind::cut, {-unit->length, 0}, unit->length, 1, 0, reading.zone, true});
    return true;
  }
  add_in_local(reading, true,
               [&] { add_cut(reading.to, unit->length, unit_of(unit->length), true); });
  return true;
}

bool add_bin(const Reading &reading) {
  const Interval *stride = interval_of(reading.detail());
  const Const *origin = constant_of(nth(reading.args, 2));
  if (stride == nullptr || stride->month != 0) {
    return false;
  }
  const int64 length = stride->day * USECS_PER_DAY + stride->time;
  // Of no known unit if the origin is not constant.
  const int64 of_origin = origin != nullptr ? unit_of(DatumGetTimestamp(origin->constvalue)) : 0;
  add_cut(reading.to, length, std::min(unit_of(length), of_origin), false);
  return true;
}

// Adds the addition of an interval, or of days. PostgreSQL adds months, then days, each in local
// time, and then the rest.
bool add_shift(const Reading &reading, int sign) {
  const Const *constant = constant_of(reading.detail());
  Interval days{};
  const Interval *interval = interval_of(reading.detail());
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
    reading.to->move({time, time});
  }
  if (of_days != 0) {
    add_in_local(reading, true, [&] { reading.to->move({of_days, of_days}); });
  }
  if (interval->month != 0) {
    add_in_local(reading, true, [&] { reading.to->move(reach_of_months(sign * interval->month)); });
  }
  return true;
}

// Adds rounding to n digits of a second.
bool add_rounding(const Reading &reading) {
  const Const *constant = constant_of(reading.detail());
  if (constant == nullptr) {
    return false;
  }
  if (const int32 n = DatumGetInt32(constant->constvalue); n < reading.digits) {
    const int64 unit = n < 3 ? USECS_PER_SEC : 1000;
    reading.to->move({-unit, unit});
  }
  return true;
}

// Adds a field of a time, as a number.
bool add_field(const Reading &reading) {
  const bool of_date = exprType(nth(reading.args, 1)) == DATEOID;
  if (is_text(reading.detail(), "epoch")) {
    // Rounded as a floating point number.
    reading.to->add({of_date ? Kind::field : Kind::epoch, {-1000, 1000}, 1, 1, kUnlimited});
    return true;
  }
  const Unit *unit = unit_of_detail(reading);
  if (unit == nullptr) {
    return false;
  }
  const bool is_year = unit->code == DTK_YEAR;
  add_in_local(reading, false, [&] {
    reading.to->add({is_year ? Kind::year : Kind::field, {}, unit->length, 1, unit->values});
  });
  return true;
}

// Adds to_char().
bool add_text(const Reading &reading) {
  const char *pattern = text_of(reading.detail());
  if (pattern != nullptr) {
    add_in_local(reading, false, [&] { reading.to->add(step_of_pattern(pattern)); });
  }
  return pattern != nullptr;
}

// Adds the product or, of positive seconds, the quotient with a constant; sets the other factor.
bool add_scale(const Reading &reading, const Node **time) {
  for (int i = reading.rule->detail == kNone ? 0 : 1; i < 2; ++i) {
    const double number = number_of(nth(reading.args, i));  // NaN is not above 0
    if (number > 0 && std::isfinite(number)) {
      *time = nth(reading.args, 1 - i);
      const bool exact = reading.rule->function != F_NUMERIC_DIV;
      const double values = reading.rule->form == Form::divide ? number : 0;
      reading.to->add({Kind::scale, {}, exact ? 0 : 1, 1, values});
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
  NamedZone found;
  if (reading->zone == nullptr || std::strchr(reading->zone, ';') != nullptr ||
      !find_zone(reading->zone, &found)) {
    return false;
  }
  if (found.is_abbreviation && !is_fixed_utc(reading->zone)) {
    reading->to->depend_on_session();
  }
  return true;
}

bool add_steps(const Reading &reading, const Node **time) {
  switch (reading.rule->form) {
    case Form::same:
      return true;
    case Form::local:
      reading.to->to_local(reading.zone);
      return true;
    case Form::instant:
      reading.to->to_instant(reading.zone);
      return true;
    case Form::date:
      add_in_local(reading, false,
                   [&] { add_cut(reading.to, USECS_PER_DAY, USECS_PER_DAY, true); });
      return true;
    case Form::trunc:
      return add_trunc(reading);
    case Form::bin:
      return add_bin(reading);
    case Form::plus:
    case Form::minus:
      return add_shift(reading, reading.rule->form == Form::plus ? 1 : -1);
    case Form::round:
      return add_rounding(reading);
    case Form::field:
      return add_field(reading);
    case Form::text:
      return add_text(reading);
    case Form::epoch:
      reading.to->add({Kind::number, {}});
      return true;
    case Form::floor:
      reading.to->add({Kind::floor, {}});
      return true;
    case Form::divide:
    case Form::multiply:
      return add_scale(reading, time);
  }
  return false;
}

}  // namespace

Node *read_operation(const Node *node, int digits, Computation *computation) {
  const Oid function = function_of(node);
  const auto *rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [=](const Rule &one) { return one.function == function; });
  if (rule == std::end(kRules)) {
    return nullptr;
  }
  Reading reading{rule, args_of(node), nullptr, digits, computation};
  const Node *time = nth(reading.args, rule->time);
  return read_zone(&reading) && add_steps(reading, &time) ? as_node(time) : nullptr;
}

}  // namespace uuidx
