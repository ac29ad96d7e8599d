// An expression increases if each of its operations does, from the outside inward:
//
//   x AT TIME ZONE 'name', timestamp, date  local time of a zone
//   local time AT TIME ZONE 'name', cast    and back
//   date_trunc(unit, x [, zone]), date_bin(stride, x, origin)
//   x ± interval, date ± days               without months; of timestamptz, without days
//   extract(epoch FROM x), date_part        seconds, as numbers
//   floor(n), n * constant, n / constant    and casts of numbers, to_timestamp(n)
//
// Local time goes back when clocks are set back, and the way back to instants does so in the hours
// that clocks skip. Neither matters if what is computed of it changes only once a day, or once an
// hour in many zones: see ZoneOrder.
#include "planner/rewrite/increasing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/rewrite/operations.hpp"
#include "planner/rewrite/zone_order.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The least distance of values of the longer units of date_trunc(), and more than zones can swing.
constexpr int64 kMonth = 28 * USECS_PER_DAY;

// Returns the longest of a day, an hour, a minute and a microsecond of which a time is a multiple.
int64 unit_of(int64 time) {
  for (const int64 unit : {USECS_PER_DAY, USECS_PER_HOUR, USECS_PER_MINUTE}) {
    if (time % unit == 0) {
      return unit;
    }
  }
  return 1;
}

// True for a constant number above 0.
bool is_positive(const Node *node) {
  const double number = number_of(node);  // NaN is not above 0
  return number > 0 && std::isfinite(number);
}

// An expression while it is read. What has been read, the outer part, never decreases while its
// argument increases.
class Reading {
 public:
  // Returns the argument of the next operation; null if it may decrease.
  Node *next(const Node *node);

  [[nodiscard]] ZoneNeed need() const { return need_; }

 private:
  bool to_local(const Node *name);
  bool to_instant(const Node *name);
  bool round_down(int64 length, int64 unit);
  bool cut(const Node *unit, bool local, const Node *zone);
  bool shift(const Node *node, const Interval *interval);
  Node *next_number(const Node *node);

  ZoneNeed need_ = ZoneNeed::nothing;
  // The outer part depends only on how many of these units a local time has; 1 for other arguments.
  int64 unit_ = 1;
  // Different values of the argument must be at least so far apart.
  int64 apart_ = 0;
  KeyTime undone_;           // how far the argument is from a result that has been read
  bool in_session_ = false;  // for the session's zone
  bool floored_ = false;     // by the operation before
};

// Finds a zone, whose offset is fixed if it has no rules; the session's if there is no name. Of
// abbreviations, whose meaning depends on the session, only UTC is known.
bool read_zone(const Node *name, ZoneOrder *order, ZoneNeed *need) {
  NamedZone zone{session_timezone};
  if (name != nullptr) {
    const Const *constant = constant_of(name);
    const char *zone_name = constant != nullptr ? TextDatumGetCString(constant->constvalue) : "";
    if (!find_zone(zone_name, &zone) ||
        (zone.is_abbreviation && pg_strcasecmp(zone_name, "UTC") != 0)) {
      return false;
    }
  }
  if (name == nullptr || (zone.is_abbreviation && !kUtcIsFixed)) {
    *need = std::max(*need, ZoneNeed::days);
  }
  *order = zone.rules != nullptr ? order_of(zone.rules) : ZoneOrder{};
  return true;
}

// Reads the local time of an instant. In the session's zone, only days are known to increase.
bool Reading::to_local(const Node *name) {
  if (apart_ > 0) {
    if (!in_session_) {
      return false;
    }
    need_ = ZoneNeed::offset;
  }
  ZoneOrder order;
  const bool increases =
      read_zone(name, &order, &need_) && unit_ >= (name != nullptr ? order.unit : USECS_PER_DAY);
  unit_ = 1;
  apart_ = 0;
  return increases;
}

// Reads the instant of a local time.
bool Reading::to_instant(const Node *name) {
  ZoneOrder order;
  if (!read_zone(name, &order, &need_)) {
    return false;
  }
  in_session_ = name == nullptr;
  apart_ = in_session_ ? USECS_PER_DAY : order.swing;
  unit_ = 1;
  return true;
}

// Reads the rounding of a local time to values at least `length` apart that depend on how many
// units it has.
bool Reading::round_down(int64 length, int64 unit) {
  if (apart_ > length) {
    return false;
  }
  apart_ = 0;
  unit_ = unit;
  return true;
}

// Reads date_trunc(). That of a timestamptz returns to instants, up to hours with the same offset.
bool Reading::cut(const Node *unit, bool local, const Node *zone) {
  int64 length = 0;
  if (!read_unit(unit, &length)) {
    return false;
  }
  length = std::min(length, kMonth);
  if (!local && length < USECS_PER_DAY) {
    ZoneOrder order;
    return read_zone(zone, &order, &need_) && (zone == nullptr || order.cuts);
  }
  return (local || to_instant(zone)) && round_down(length, std::max(unit_, unit_of(length))) &&
         (local || to_local(zone));
}

// Reads the addition or subtraction of an interval.
bool Reading::shift(const Node *node, const Interval *interval) {
  if (interval == nullptr) {
    return exprType(node) == DATEOID;  // of days
  }
  unit_ = std::min(unit_, unit_of(interval->time));
  return interval->month == 0 && (interval->day == 0 || exprType(node) != TIMESTAMPTZOID);
}

// Reads an operation on numbers. The digits of a quotient of numeric depend on the dividend, which
// does not matter for whole numbers.
Node *Reading::next_number(const Node *node) {
  const List *args = args_of(node);
  Node *first = nth(args, 0);
  Node *second = nth(args, 1);
  const bool floored = std::exchange(floored_, false);
  unit_ = 1;
  switch (function_of(node)) {
    case F_FLOOR_NUMERIC:
      floored_ = true;
      return first;
    case F_FLOOR_FLOAT8:
    case F_FLOAT8_NUMERIC:
    case F_TO_TIMESTAMP_FLOAT8:
      return first;
    case F_NUMERIC_DIV:
      return floored && is_positive(second) ? first : nullptr;
    case F_FLOAT8DIV:
      return is_positive(second) ? first : nullptr;
    case F_NUMERIC_MUL:
    case F_FLOAT8MUL:
      return is_positive(second) ? first : is_positive(first) ? second : nullptr;
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_TIMESTAMP:
      return is_text(first, "epoch") ? second : nullptr;
    default:
      return nullptr;
  }
}

Node *Reading::next(const Node *node) {
  Node *argument = undo_operation(&undone_, node);
  if (argument == nullptr) {
    return next_number(node);
  }
  const List *args = args_of(node);
  Node *first = nth(args, 0);
  Node *third = nth(args, 2);
  bool increases = true;
  switch (function_of(node)) {
    case F_DATE_TIMESTAMPTZ:
    case F_DATE_TIMESTAMP:
      increases = round_down(USECS_PER_DAY, USECS_PER_DAY) &&
                  (exprType(argument) == TIMESTAMPOID || to_local(nullptr));
      break;
    case F_TIMESTAMP_DATE:
    case F_DATE_PLI:
    case F_DATE_MII:
      break;
    case F_TIMESTAMP_TIMESTAMPTZ:
      increases = to_local(nullptr);
      break;
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMPTZ_TIMESTAMP:
      increases = to_instant(nullptr);
      break;
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      increases = to_local(first);
      break;
    case F_TIMEZONE_TEXT_TIMESTAMP:
      increases = to_instant(first);
      break;
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      increases = cut(first, exprType(node) == TIMESTAMPOID, third);
      break;
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ: {
      const Interval *stride = interval_of(first);
      const Const *origin = constant_of(third);
      const int64 length = stride->day * USECS_PER_DAY + stride->time;
      increases = origin != nullptr &&
                  round_down(length, std::min(unit_of(length),
                                              unit_of(DatumGetTimestamp(origin->constvalue))));
      break;
    }
    default:
      increases = shift(node, interval_of(nth(args, 1)) != nullptr ? interval_of(nth(args, 1))
                                                                   : interval_of(first));
  }
  const Steps &steps = undone_.steps;
  return increases && !steps.is_full() && steps.farthest() <= kOrderReach ? argument : nullptr;
}

}  // namespace

Node *read_increasing(const QueryLevel &level, Node *expression, ZoneNeed *need) {
  Reading reading;
  for (Node *node = expression; node != nullptr;) {
    node = stripped(node);
    const auto *call = as<FuncExpr>(node);
    if (call != nullptr && is_time_function(call->funcid)) {
      *need = reading.need();
      return relies_on_zone(*need) ? node : nullptr;
    }
    const auto *column = as<Var>(node);
    node = column != nullptr ? stored_expression(level, column) : reading.next(node);
  }
  return nullptr;
}

}  // namespace uuidx
