// The operations that are undone, from the outside inward. Each moves a time by a bounded distance,
// so a bound of its result gives one of its argument:
//
//   date, timestamp                    local time of the session's zone
//   x AT TIME ZONE 'name'              local time of a zone, or back
//   date_trunc(unit, x [, zone])       at most one unit earlier
//   date_bin(stride, x, origin)        at most one stride earlier
//   x ± interval, date ± days          that much, months and days in local time
//   timestamptz(n)                     rounding
//   extract(epoch FROM x), date_part   seconds, as numbers
//   extract(year FROM x), date_part    local time of a year
//   to_char(x, 'YYYY-MM-DD')           local time of a day, a month or a year
//   x - k, k - x                       an interval, in which days have 24 hours; or its seconds
#include "planner/rewrite/operations.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "parser/scansup.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Longer distances are left alone: sums of them might overflow.
constexpr int kMostDays = 100'000;

// Returns how far a number of months leads: each has 28 to 31 days, and many have about the average
// number, up to leap years and to the last day of a shorter month.
Reach reach_of_months(int months) {
  const double average = 30.436875 * months;
  const double count = std::abs(static_cast<double>(months));
  double least = std::max(28 * count, std::floor(std::abs(average)) - 8);
  double most = std::min(31 * count, std::ceil(std::abs(average)) + 8);
  if (months < 0) {
    std::swap(least, most);
    least = -least;
    most = -most;
  }
  return {static_cast<int64>(least) * USECS_PER_DAY, static_cast<int64>(most) * USECS_PER_DAY};
}

// Undoes `x + interval`, or with a sign of -1 `x - interval`. PostgreSQL adds months, then days,
// each in local time, and then the rest; `local` says that x is local time itself.
bool undo_interval(KeyTime *time, const Node *node, int sign, bool local) {
  const Interval *interval = interval_of(node);
  if (interval == nullptr) {
    return false;
  }
  const auto undo_local = [&](Reach reach) {
    if (!local) {
      time->steps.to_local(nullptr);
    }
    time->steps.move(reach);
    if (!local) {
      time->steps.to_instant(nullptr);
    }
  };
  time->steps.move({sign * interval->time, sign * interval->time});
  if (const int64 days = int64{sign} * interval->day * USECS_PER_DAY; days != 0) {
    undo_local({days, days});
  }
  if (interval->month != 0) {
    undo_local(reach_of_months(sign * interval->month));
  }
  return true;
}

// Which way a step of a zone leads.
enum class Lead { to_instant, to_local };

// Adds the step of a zone, that of the session if `name` is null; returns false if the zone is not
// constant, is not known, or is an abbreviation whose offset depends on the time.
bool add_zone(KeyTime *time, Lead lead, const Node *name) {
  const Const *constant = constant_of(name);
  const char *zone = constant != nullptr ? TextDatumGetCString(constant->constvalue) : nullptr;
  if (name != nullptr) {
    NamedZone found;
    if (zone == nullptr || std::strchr(zone, ';') != nullptr || !find_zone(zone, &found)) {
      return false;
    }
    if (found.is_abbreviation && !is_fixed_utc(zone)) {
      time->steps.depend_on_session();
    }
  }
  if (lead == Lead::to_instant) {
    time->steps.to_instant(zone);
  } else {
    time->steps.to_local(zone);
  }
  return true;
}

// True if a zone is UTC, also under the name that is no abbreviation.
bool is_utc(const Node *zone) {
  return is_text(zone, "UTC") || is_text(zone, "Etc/UTC");
}

// Undoes date_trunc() of a timestamptz. Units up to hours do not change its offset from UTC.
bool undo_trunc(KeyTime *time, const Node *unit, const Node *zone) {
  int64 length = 0;
  if (!read_unit(unit, &length)) {
    return false;
  }
  const bool local = length >= USECS_PER_DAY;
  if (local && !add_zone(time, Lead::to_local, zone)) {
    return false;
  }
  time->steps.move({-length, 0});
  return !local || add_zone(time, Lead::to_instant, zone);
}

// Undoes rounding to n digits of a second; keys have three, or six.
bool undo_rounding(KeyTime *time, const Node *digits) {
  const Const *constant = constant_of(digits);
  if (constant == nullptr) {
    return false;
  }
  if (const int32 n = DatumGetInt32(constant->constvalue); n < (time->precise ? 6 : 3)) {
    const int64 unit = n < 3 ? USECS_PER_SEC : 1000;
    time->steps.move({-unit, unit});
    time->exact = false;
  }
  return true;
}

// Undoes `date + n` and `date - n`.
bool undo_days(KeyTime *time, const Node *node, int sign) {
  const Const *constant = constant_of(node);
  if (constant == nullptr) {
    return false;
  }
  const int64 days = sign * int64{DatumGetInt32(constant->constvalue)};
  if (std::abs(days) > kMostDays) {
    return false;
  }
  time->steps.move({days * USECS_PER_DAY, days * USECS_PER_DAY});
  return true;
}

// Undoes the addition or subtraction of an interval or of days.
Node *undo_shift(KeyTime *time, const Node *node) {
  const List *args = args_of(node);
  Node *first = nth(args, 0);
  Node *second = nth(args, 1);
  switch (function_of(node)) {
    case F_TIMESTAMPTZ_PL_INTERVAL:
      return undo_interval(time, second, 1, false) ? first : nullptr;
    case F_TIMESTAMPTZ_MI_INTERVAL:
      return undo_interval(time, second, -1, false) ? first : nullptr;
    case F_INTERVAL_PL_TIMESTAMPTZ:
      return undo_interval(time, first, 1, false) ? second : nullptr;
    case F_TIMESTAMP_PL_INTERVAL:
    case F_DATE_PL_INTERVAL:
      return undo_interval(time, second, 1, true) ? first : nullptr;
    case F_TIMESTAMP_MI_INTERVAL:
    case F_DATE_MI_INTERVAL:
      return undo_interval(time, second, -1, true) ? first : nullptr;
    case F_DATE_PLI:
      return undo_days(time, second, 1) ? first : nullptr;
    case F_DATE_MII:
      return undo_days(time, second, -1) ? first : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Oid function_of(const Node *node) {
  if (const auto *call = as<FuncExpr>(node)) {
    return call->funcid;
  }
  const auto *op = as<OpExpr>(node);
  return op != nullptr ? op->opfuncid : InvalidOid;
}

bool is_text(const Node *node, const char *word) {
  const Const *constant = constant_of(node);
  return constant != nullptr && constant->consttype == TEXTOID &&
         pg_strcasecmp(TextDatumGetCString(constant->constvalue), word) == 0;
}

double number_of(const Node *node) {
  const Const *constant = constant_of(node);
  switch (constant != nullptr ? constant->consttype : InvalidOid) {
    case FLOAT4OID:
      return static_cast<double>(DatumGetFloat4(constant->constvalue));
    case FLOAT8OID:
      return DatumGetFloat8(constant->constvalue);
    case NUMERICOID:
      return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

bool read_unit(const Node *node, int64 *length) {
  const Const *constant = constant_of(node);
  if (constant == nullptr) {
    return false;
  }
  const char *name = TextDatumGetCString(constant->constvalue);
  char *unit = downcase_truncate_identifier(name, static_cast<int>(std::strlen(name)), false);
  int value = 0;
  if (DecodeUnits(0, unit, &value) != UNITS) {
    return false;
  }
  constexpr struct {
    int unit;
    int64 length;
  } kUnits[] = {{DTK_MICROSEC, 1},
                {DTK_MILLISEC, 1000},
                {DTK_SECOND, USECS_PER_SEC},
                {DTK_MINUTE, USECS_PER_MINUTE},
                {DTK_HOUR, USECS_PER_HOUR},
                {DTK_DAY, USECS_PER_DAY},
                {DTK_WEEK, 7 * USECS_PER_DAY},
                {DTK_MONTH, 31 * USECS_PER_DAY},
                {DTK_QUARTER, 92 * USECS_PER_DAY},
                {DTK_YEAR, 366 * USECS_PER_DAY}};
  for (const auto &known : kUnits) {
    if (known.unit == value) {
      *length = known.length;
      return true;
    }
  }
  return false;
}

const Interval *interval_of(const Node *node) {
  const Const *constant = constant_of(node);
  if (constant == nullptr || constant->consttype != INTERVALOID) {
    return nullptr;
  }
  const Interval *interval = DatumGetIntervalP(constant->constvalue);
  constexpr int64 kMostTime = int64{kMostDays} * USECS_PER_DAY;
  const bool moderate = std::abs(static_cast<double>(interval->month)) < kMostDays &&
                        std::abs(static_cast<double>(interval->day)) < kMostDays &&
                        interval->time < kMostTime && interval->time > -kMostTime;
  return moderate ? interval : nullptr;
}

Node *undo_operation(KeyTime *time, const Node *node) {
  const List *args = args_of(node);
  Node *first = nth(args, 0);
  Node *second = nth(args, 1);
  int64 length = 0;
  switch (function_of(node)) {
    case F_DATE_TIMESTAMPTZ:
      time->steps.move({-USECS_PER_DAY, 0});
      time->steps.to_instant(nullptr);
      return first;
    case F_DATE_TIMESTAMP:
      time->steps.move({-USECS_PER_DAY, 0});
      return first;
    case F_TIMESTAMP_DATE:
      return first;
    case F_TIMESTAMP_TIMESTAMPTZ:
      time->steps.to_instant(nullptr);
      return first;
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMPTZ_TIMESTAMP:
      time->steps.to_local(nullptr);
      return first;
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      return add_zone(time, Lead::to_instant, first) ? second : nullptr;
    case F_TIMEZONE_TEXT_TIMESTAMP:
      return add_zone(time, Lead::to_local, first) ? second : nullptr;
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      if (!read_unit(first, &length)) {
        return nullptr;
      }
      time->steps.move({-length, 0});
      return second;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
      return undo_trunc(time, first, nullptr) ? second : nullptr;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      return undo_trunc(time, first, nth(args, 2)) ? second : nullptr;
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
      if (const Interval *stride = interval_of(first); stride != nullptr && stride->month == 0) {
        time->steps.move({-(stride->day * USECS_PER_DAY + stride->time), 0});
        return second;
      }
      return nullptr;
    default:
      return undo_shift(time, node);
  }
}

Node *same_time(KeyTime *time, const Node *node) {
  const List *args = args_of(node);
  switch (function_of(node)) {
    case F_TIMESTAMPTZ_TIMESTAMPTZ_INT4:
    case F_TIMESTAMP_TIMESTAMP_INT4:
      return undo_rounding(time, nth(args, 1)) ? nth(args, 0) : nullptr;
    case F_TIMEZONE_TEXT_TIMESTAMPTZ: {
      return is_utc(nth(args, 0)) && add_zone(time, Lead::to_instant, nth(args, 0)) ? nth(args, 1)
                                                                                    : nullptr;
    }
    default:
      return nullptr;
  }
}

}  // namespace uuidx
