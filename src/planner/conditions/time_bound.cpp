#include "planner/conditions/time_bound.hpp"

#include <cstdlib>
#include <cstring>

#include "core/v7.hpp"
#include "planner/conditions/bound_values.hpp"
#include "planner/times/zones.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr const char *kCast = "cast";
constexpr const char *kText = "text=";
constexpr const char *kCut = "cut=";
constexpr const char *kToInstant = "zone";
constexpr const char *kToLocal = "local";
constexpr const char *kYear = "year";
constexpr const char *kNextYear = "nextyear";

// More than the planner makes of one expression.
constexpr int kMostSteps = 64;

// True if a step begins with a word.
bool is_word(const char *step, const char *word) {
  return std::strncmp(step, word, std::strlen(word)) == 0;
}

// Says for how long a bound holds: as long as the session's zone, and an abbreviation of a zone if
// the steps have one.
struct Validity {
  bool lasts = true;
  char abbreviation[TOKMAXLEN + 1] = {};
  long offset = 0;

  // Notes a zone of a step.
  void add(const char *name, const Zone &zone) {
    if (!zone.is_abbreviation) {
      return;
    }
    const char *lower = lower_name(name);
    lasts = lasts && std::strlen(lower) <= TOKMAXLEN &&
            (abbreviation[0] == '\0' || std::strcmp(abbreviation, lower) == 0);
    if (lasts) {
      strlcpy(abbreviation, lower, sizeof(abbreviation));
      offset = zone.offset;
    }
  }

  // True if the abbreviation still has its offset.
  [[nodiscard]] bool has_same_offset() const {
    Zone zone;
    return abbreviation[0] == '\0' || (read_abbreviation(abbreviation, &zone) &&
                                       zone.is_abbreviation && zone.offset == offset);
  }
};

// Returns what a step makes of a bound: nothing, if it says how to read the value. A zone that is
// not known, for example as an abbreviation of the session that planned the query, gives no bound.
int64 take_step(int64 bound, const char *step, bool upper, Validity *validity) {
  const char *zone_name = std::strchr(step, '=');
  const bool to_instant = is_word(step, kToInstant);
  if (const bool next = is_word(step, kNextYear); next || is_word(step, kYear)) {
    return start_of_year(bound, next);
  }
  if (!to_instant && !is_word(step, kToLocal)) {
    return plus(bound, std::strtoll(step, nullptr, 10));
  }
  Zone zone{session_timezone};
  if (zone_name != nullptr && !find_zone(zone_name + 1, &zone)) {
    return upper ? DT_NOEND : DT_NOBEGIN;
  }
  validity->add(zone_name != nullptr ? zone_name + 1 : "", zone);
  return to_instant ? instant_bound(zone, bound, upper) : local_bound(zone, bound, upper);
}

// Returns the bound of a value with which the steps begin.
int64 bound_of_value(Datum value, Oid type, const char *steps, bool upper) {
  if (is_word(steps, kText) && type == TEXTOID) {
    const auto length = std::strtoul(steps + std::strlen(kText), nullptr, 10);
    return end_of_text(TextDatumGetCString(value), length, upper);
  }
  return microseconds_of(value, type, is_word(steps, kCast), upper);
}

// Returns the bound of a key's time for a value, by steps that are a text of its own. Cuts need
// both bounds.
int64 take_steps(char *steps, Datum value, Oid type, bool upper, Validity *validity) {
  const bool both = std::strstr(steps, kCut) != nullptr;
  int64 bounds[2] = {};
  for (const bool side : {false, true}) {
    bounds[side] = both || side == upper ? bound_of_value(value, type, steps, side) : 0;
  }
  int count = 0;
  char *rest = nullptr;
  for (const char *step = strtok_r(steps, ";", &rest); step != nullptr;
       step = strtok_r(nullptr, ";", &rest)) {
    CHECK_FOR_INTERRUPTS();
    if (++count > kMostSteps) {
      ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
              errmsg("uuid_time_bound() takes at most %d steps", kMostSteps));
    }
    const int64 before[] = {bounds[0], bounds[1]};
    for (const bool side : {false, true}) {
      if (is_word(step, kCut)) {
        bounds[side] =
            end_of_cut(before, std::strtoll(step + std::strlen(kCut), nullptr, 10), side);
      } else if (both || side == upper) {
        bounds[side] = take_step(before[side], step, side, validity);
      }
    }
  }
  return bounds[upper];
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
  Validity validity;
};

// Returns the bound of a call whose arguments from a position on are steps, side and value. It is
// the last one if they are the same: two calls with the same datum have the same value, if that is
// passed by value or constant.
int64 bound_of_call(FunctionCallInfo fcinfo, int first) {
  FmgrInfo *function = fcinfo->flinfo;
  const Datum value = fcinfo->args[first + 2].value;
  auto *last = static_cast<LastBound *>(function->fn_extra);
  if (last != nullptr && last->zone == session_timezone && last->value == value &&
      last->validity.has_same_offset()) {
    return last->bound;
  }
  const Oid type = get_fn_expr_argtype(function, first + 2);
  Validity validity;
  validity.lasts =
      last != nullptr || (is_constant(function, first) && is_constant(function, first + 1) &&
                          (get_typbyval(type) || is_constant(function, first + 2)));
  const int64 bound = take_steps(TextDatumGetCString(fcinfo->args[first].value), value, type,
                                 DatumGetBool(fcinfo->args[first + 1].value), &validity);
  if (last == nullptr && validity.lasts) {
    last = static_cast<LastBound *>(MemoryContextAlloc(function->fn_mcxt, sizeof(LastBound)));
    function->fn_extra = last;
  }
  if (last != nullptr) {
    *last = {validity.lasts ? session_timezone : nullptr, value, bound, validity};
  }
  return bound;
}

// Appends the inverse of a step, if it is one; returns true if bounds by it may decide a value:
// those of a year, and of a cut to a unit if such bounds are wanted.
bool append_inverse(StringInfo text, const Step &step, bool upper, int strategy, bool inside) {
  const char *separator = text->len > 0 ? ";" : "";
  const int64 distance = upper ? -step.reach.least : -step.reach.most;
  switch (step.kind) {
    case Step::Kind::year: {
      const bool next =
          upper ? strategy != BTLessStrategyNumber : strategy == BTGreaterStrategyNumber;
      appendStringInfo(text, "%s%s", separator, next ? kNextYear : kYear);
      return true;
    }
    case Step::Kind::to_local:
    case Step::Kind::to_instant:
      appendStringInfo(text, "%s%s%s%s", separator,
                       step.kind == Step::Kind::to_local ? kToInstant : kToLocal,
                       step.zone != nullptr ? "=" : "", step.zone != nullptr ? step.zone : "");
      return false;
    default:
      if (step.aligned && inside) {
        appendStringInfo(text, "%s%s" INT64_FORMAT, separator, kCut, step.length);
        return true;
      }
      if (distance != 0) {
        appendStringInfo(text, "%s" INT64_FORMAT, separator, distance);
      }
      return false;
  }
}

// Returns how far the steps of a call of uuid_time_bound() lead, as far as that is known.
int64 distance_of_steps(const FuncExpr *call) {
  const Const *steps = constant_of(nth(call->args, 0));
  int64 distance = 0;
  for (const char *step = steps != nullptr ? TextDatumGetCString(steps->constvalue) : nullptr;
       step != nullptr;) {
    distance = plus(
        distance, is_word(step, kNextYear) ? 365 * USECS_PER_DAY : std::strtoll(step, nullptr, 10));
    step = std::strchr(step, ';');
    step = step != nullptr ? step + 1 : nullptr;
  }
  return distance;
}

}  // namespace

const char *inverse_of(const Computation &computation, bool cast, bool upper, int strategy,
                       bool inside) {
  const Step *first = computation.begin();
  bool found = !inside;
  StringInfoData text;
  initStringInfo(&text);
  if (cast) {
    appendStringInfoString(&text, kCast);
  } else if (inside && first != computation.end() && first->kind == Step::Kind::text) {
    const int length = first->length <= USECS_PER_DAY        ? 10
                       : first->length <= 31 * USECS_PER_DAY ? 7
                                                             : 4;
    appendStringInfo(&text, "%s%d", kText, length);
    found = true;
  }
  for (const Step &step : computation) {
    found = append_inverse(&text, step, upper, strategy, !found) || found;
  }
  return found ? text.data : nullptr;
}

int64 distance_of_bounds(const Functions &functions, const Node *lower, const Node *upper) {
  const auto *least = as<FuncExpr>(lower);
  const auto *greatest = as<FuncExpr>(upper);
  if (least == nullptr || greatest == nullptr || least->funcid != functions.time_bound ||
      greatest->funcid != functions.time_bound ||
      !equal(nth(least->args, 2), nth(greatest->args, 2))) {
    return 0;
  }
  return plus(distance_of_steps(greatest), -distance_of_steps(least));
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
