#include "planner/conditions/time_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/v7.hpp"
#include "pg/range_types.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/zone_bound.hpp"
#include "planner/times/zone_names.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr const char *kCast = "cast";
constexpr const char *kToInstant = "zone";
constexpr const char *kToLocal = "local";
constexpr const char *kYear = "year";
constexpr const char *kNextYear = "nextyear";

// More than the planner makes of one expression.
constexpr int kMostSteps = 64;

// Returns the time of seconds since 1970; infinite if it is out of range. As in comparisons, NaN is
// above all numbers.
int64 time_of_epoch(double seconds) {
  const double time = seconds * USECS_PER_SEC - static_cast<double>(kPostgresEpoch);
  if (!(time < 9.2e18)) {
    return DT_NOEND;
  }
  return time > -9.2e18 ? static_cast<int64>(time) : DT_NOBEGIN;
}

// Returns the beginning of the year, month or day of a text of to_char(), or of the one after it;
// infinite for other texts.
int64 time_of_text(const char *text, bool next) {
  int fields[] = {0, 1, 1};
  // NOLINTNEXTLINE(cert-err34-c): at most six digits.
  const int count = std::sscanf(text, "%6d-%2d-%2d", &fields[0], &fields[1], &fields[2]);
  if (count < 1 || fields[0] < 1 || fields[0] > 100'000) {
    return next ? DT_NOEND : DT_NOBEGIN;
  }
  fields[count - 1] += next ? 1 : 0;
  return (date2j(fields[0], fields[1], fields[2]) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;
}

// Returns an end of a range; infinite if it has none. No time is between those of an empty one.
int64 end_of(const RangeType *range, bool upper) {
  RangeBound ends[2];
  bool empty = false;
  range_deserialize(range_type(), range, &ends[0], &ends[1], &empty);
  const RangeBound &end = ends[upper ? 1 : 0];
  if (empty || end.infinite) {
    return upper != empty ? DT_NOEND : DT_NOBEGIN;
  }
  return DatumGetTimestampTz(end.val);
}

int64 microseconds_of(Datum value, Oid type, bool cast, bool upper);

// Returns the least or the greatest element of an array; the infinity that no time reaches if it
// has none.
// NOLINTNEXTLINE(misc-no-recursion): an array has no arrays.
int64 outermost_of(ArrayType *times, bool cast, bool upper) {
  int64 bound = upper ? DT_NOBEGIN : DT_NOEND;
  ArrayIterator iterator = array_create_iterator(times, 0, nullptr);
  Datum value = 0;
  bool missing = false;
  while (array_iterate(iterator, &value, &missing)) {
    CHECK_FOR_INTERRUPTS();
    if (!missing) {
      const int64 time = microseconds_of(value, ARR_ELEMTYPE(times), cast, upper);
      bound = upper ? std::max(bound, time) : std::min(bound, time);
    }
  }
  return bound;
}

// Returns a value as the microseconds that the steps begin with. `cast` makes a date or timestamp
// an instant. Raises an error for a type that the planner does not use.
// NOLINTNEXTLINE(misc-no-recursion): an array has no arrays.
int64 microseconds_of(Datum value, Oid type, bool cast, bool upper) {
  switch (type) {
    case DATEOID: {
      const DateADT date = DatumGetDateADT(value);
      return cast ? converted_or_infinite<kDateToTimestamptz>(date)
                  : converted_or_infinite<kDateToTimestamp>(date);
    }
    case TIMESTAMPOID: {
      const Timestamp timestamp = DatumGetTimestamp(value);
      return cast ? converted_or_infinite<kTimestampToTimestamptz>(timestamp) : timestamp;
    }
    case TIMESTAMPTZOID:
      return DatumGetTimestampTz(value);
    case DATEARRAYOID:
    case TIMESTAMPARRAYOID:
    case TIMESTAMPTZARRAYOID:
      return outermost_of(DatumGetArrayTypeP(value), cast, upper);
    case TEXTOID:
      return time_of_text(TextDatumGetCString(value), upper);
    case TSTZRANGEOID:
      return end_of(DatumGetRangeTypeP(value), upper);
    case FLOAT8OID:
      return time_of_epoch(DatumGetFloat8(value));
    case NUMERICOID:
      return time_of_epoch(DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value)));
    default:
      ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
              errmsg("uuid_time_bound() does not support type %s", format_type_be(type)));
  }
}

// Returns the beginning of a year, which is a number of seconds since 1970, or of the one after it;
// infinite far beyond the times of keys.
int64 start_of_year(int64 number, bool next) {
  const double year =
      (static_cast<double>(number) + static_cast<double>(kPostgresEpoch)) / USECS_PER_SEC;
  if (std::abs(year) > 100'000) {
    return year > 0 ? DT_NOEND : DT_NOBEGIN;
  }
  const double whole = next ? std::floor(year) + 1 : std::ceil(year);
  const int day = date2j(std::max(static_cast<int>(whole), -4000), 1, 1) - POSTGRES_EPOCH_JDATE;
  return day * USECS_PER_DAY;
}

// Returns what a step makes of a bound; sets `lasts` to false if that depends on the abbreviations
// of the session. A zone that is not known, for example as an abbreviation of
// the session that planned the query, gives no bound.
int64 take_step(int64 bound, const char *step, bool upper, bool *lasts) {
  const char *zone_name = std::strchr(step, '=');
  const std::size_t word =
      zone_name != nullptr ? static_cast<std::size_t>(zone_name - step) : std::strlen(step);
  const bool to_instant = std::strncmp(step, kToInstant, word) == 0;
  if (const bool next = std::strcmp(step, kNextYear) == 0; next || std::strcmp(step, kYear) == 0) {
    return start_of_year(bound, next);
  }
  if (word == 0 || (!to_instant && std::strncmp(step, kToLocal, word) != 0)) {
    return plus(bound, std::strtoll(step, nullptr, 10));
  }
  NamedZone zone{session_timezone};
  if (zone_name != nullptr && !find_zone(zone_name + 1, &zone)) {
    *lasts = false;
    return upper ? DT_NOEND : DT_NOBEGIN;
  }
  *lasts = *lasts && !zone.is_abbreviation;
  const Zone rules{zone.rules, zone.offset};
  return to_instant ? instant_bound(rules, bound, upper) : local_bound(rules, bound, upper);
}

// Returns the bound of a key's time for a value, by steps that are a text of its own.
int64 take_steps(char *step, Datum value, Oid type, bool upper, bool *lasts) {
  char *next = step;
  const bool cast = std::strncmp(step, kCast, std::strlen(kCast)) == 0;
  if (cast) {
    next = std::strchr(step, ';');
    next = next != nullptr ? next + 1 : nullptr;
  }
  int64 bound = microseconds_of(value, type, cast, upper);
  for (int count = 0; next != nullptr && *next != '\0'; ++count) {
    CHECK_FOR_INTERRUPTS();
    if (count == kMostSteps) {
      ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
              errmsg("uuid_time_bound() takes at most %d steps", kMostSteps));
    }
    step = next;
    next = std::strchr(step, ';');
    if (next != nullptr) {
      *next++ = '\0';
    }
    bound = take_step(bound, step, upper, lasts);
  }
  return bound;
}

// True if an argument of a call is a constant. A parameter is none: in PL/pgSQL, it changes from
// one execution of a call to the next.
bool is_constant(const FmgrInfo *function, int argument) {
  const auto *call = as<FuncExpr>(function->fn_expr);
  return call != nullptr && constant_of(nth(call->args, argument)) != nullptr;
}

// The last bound that a call has returned, as a sequential scan asks for it with each row.
struct LastBound {
  const pg_tz *zone = nullptr;  // the session's; null if the bound is not to be used again
  Datum value = 0;
  int64 bound = 0;
};

// Returns the bound of a call whose arguments from a position on are steps, side and value. It is
// the last one if they are the same: two calls with the same datum have the same value, if that is
// passed by value or constant.
int64 bound_of_call(FunctionCallInfo fcinfo, int first) {
  FmgrInfo *function = fcinfo->flinfo;
  const Datum value = fcinfo->args[first + 2].value;
  auto *last = static_cast<LastBound *>(function->fn_extra);
  if (last != nullptr && last->zone == session_timezone && last->value == value) {
    return last->bound;
  }
  const Oid type = get_fn_expr_argtype(function, first + 2);
  bool lasts =
      last != nullptr || (is_constant(function, first) && is_constant(function, first + 1) &&
                          (get_typbyval(type) || is_constant(function, first + 2)));
  const int64 bound = take_steps(TextDatumGetCString(fcinfo->args[first].value), value, type,
                                 DatumGetBool(fcinfo->args[first + 1].value), &lasts);
  if (last == nullptr && lasts) {
    last = static_cast<LastBound *>(MemoryContextAlloc(function->fn_mcxt, sizeof(LastBound)));
    function->fn_extra = last;
  }
  if (last != nullptr) {
    *last = {lasts ? session_timezone : nullptr, value, bound};
  }
  return bound;
}

// Appends the inverse of a step, if it is one.
void append_inverse(StringInfo text, const Step &step, bool upper, int strategy) {
  const char *separator = text->len > 0 ? ";" : "";
  const int64 distance = upper ? -step.reach.least : -step.reach.most;
  switch (step.kind) {
    case Step::Kind::year: {
      const bool next =
          upper ? strategy != BTLessStrategyNumber : strategy == BTGreaterStrategyNumber;
      appendStringInfo(text, "%s%s", separator, next ? kNextYear : kYear);
      break;
    }
    case Step::Kind::to_local:
    case Step::Kind::to_instant:
      appendStringInfo(text, "%s%s%s%s", separator,
                       step.kind == Step::Kind::to_local ? kToInstant : kToLocal,
                       step.zone != nullptr ? "=" : "", step.zone != nullptr ? step.zone : "");
      break;
    default:
      if (distance != 0) {
        appendStringInfo(text, "%s" INT64_FORMAT, separator, distance);
      }
  }
}

}  // namespace

const char *inverse_of(const Computation &computation, bool cast, bool upper, int strategy) {
  StringInfoData text;
  initStringInfo(&text);
  if (cast) {
    appendStringInfoString(&text, kCast);
  }
  for (const Step &step : computation) {
    append_inverse(&text, step, upper, strategy);
  }
  return text.data;
}

// uuid_time_bound(text, boolean, "any"), which the planner puts into plans: the bound of a key's
// time for one of a value that is computed from it, by steps: see inverse_of(). Fails for no value
// for which the computation does not.
UUIDX_FUNCTION(uuidx_time_bound) {
  const int64 bound = bound_of_call(fcinfo, 0);
  return TimestampTzGetDatum(IS_VALID_TIMESTAMP(bound) ? bound : bound < 0 ? DT_NOBEGIN : DT_NOEND);
}

// uuid_beyond_bound(uuid, text, boolean, "any"), which the planner puts into plans: true if all
// times in the millisecond of a version 7 UUID are beyond such a bound.
UUIDX_FUNCTION(uuidx_beyond_bound) {
  const int64 bound = bound_of_call(fcinfo, 1);
  const auto millis =
      static_cast<int64>(unix_ticks_of(get_uuid(PG_GETARG_DATUM(0))) >> kMillisShift);
  const int64 time = millis * kMicrosPerMilli - kPostgresEpoch;
  PG_RETURN_BOOL(PG_GETARG_BOOL(2) ? time > bound : time + (kMicrosPerMilli - 1) < bound);
}

// uuid_condition(uuid, boolean)
UUIDX_FUNCTION(uuidx_condition) {
  fcinfo->isnull = PG_ARGISNULL(1);
  return PG_GETARG_DATUM(1);
}

}  // namespace uuidx
