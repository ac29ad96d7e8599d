// A value increases if each step of its computation does, from the last one to the first. Local
// time goes back when clocks are set back, and the way back to instants does so in the hours that
// clocks skip. Neither matters if what is computed of it changes only once a day, or once an hour
// in many zones: see ZoneOrder.
#include "planner/orders/increasing.hpp"

#include <algorithm>
#include <utility>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The least distance of values of the longer units of date_trunc(), and more than zones can swing.
constexpr int64 kMonth = 28 * USECS_PER_DAY;

// What is known of the steps that have been read, the outer ones.
struct OuterSteps {
  // They depend only on how many of these units a local time has; 1 for other arguments.
  int64 unit = 1;
  // Different values of their argument must be at least so far apart.
  int64 apart = 0;
  bool in_session = false;  // for the session's zone
  bool floored = false;     // by the last one
  ZoneNeed *need = nullptr;
};

// Finds the order of a zone, the session's if there is no name. Of abbreviations, whose meaning
// depends on the session, only UTC is known.
bool read_zone(const char *name, ZoneOrder *order, ZoneNeed *need) {
  Zone zone{session_timezone};
  if (name != nullptr &&
      (!find_zone(name, &zone) || (zone.is_abbreviation && pg_strcasecmp(name, "UTC") != 0))) {
    return false;
  }
  if (name == nullptr || (zone.is_abbreviation && !kUtcIsFixed)) {
    *need = std::max(*need, ZoneNeed::days);
  }
  *order = zone.rules != nullptr ? order_of(zone.rules) : ZoneOrder{};
  return true;
}

// True if the local time of an instant increases. In the session's zone, only days are known to.
bool local_increases(const Step &step, OuterSteps *outer) {
  if (outer->apart > 0) {
    if (!outer->in_session) {
      return false;
    }
    *outer->need = ZoneNeed::offset;
  }
  ZoneOrder order;
  const bool increases = read_zone(step.zone, &order, outer->need) &&
                         outer->unit >= (step.zone != nullptr ? order.unit : USECS_PER_DAY);
  outer->unit = 1;
  outer->apart = 0;
  return increases;
}

// True if the instant of a local time does.
bool instant_increases(const Step &step, OuterSteps *outer) {
  ZoneOrder order;
  if (!read_zone(step.zone, &order, outer->need)) {
    return false;
  }
  outer->in_session = step.zone == nullptr;
  outer->apart = outer->in_session ? USECS_PER_DAY : order.swing;
  outer->unit = 1;
  return true;
}

// True if a time that is rounded down does.
bool cut_increases(const Step &step, OuterSteps *outer) {
  if (step.zoned) {
    ZoneOrder order;
    return read_zone(step.zone, &order, outer->need) && (step.zone == nullptr || order.cuts);
  }
  if (step.unit == 0 || outer->apart > std::min(step.length, kMonth)) {
    return false;
  }
  outer->apart = 0;
  outer->unit = step.aligned ? std::max(outer->unit, step.unit) : step.unit;
  return true;
}

// True if what a step makes of its argument increases with it.
bool increases(const Step &step, OuterSteps *outer) {
  const bool floored = std::exchange(outer->floored, step.kind == Step::Kind::floor);
  switch (step.kind) {
    case Step::Kind::to_local:
      return local_increases(step, outer);
    case Step::Kind::to_instant:
      return instant_increases(step, outer);
    case Step::Kind::cut:
      return cut_increases(step, outer);
    case Step::Kind::move:
      outer->unit = std::min(outer->unit, unit_of(step.reach.least));
      return step.reach.least == step.reach.most;
    case Step::Kind::scale:
      // The digits of a quotient of numeric depend on the dividend, unless it is then rounded down.
      outer->unit = 1;
      return step.length == 0 || floored;
    case Step::Kind::epoch:
    case Step::Kind::floor:
    case Step::Kind::number:
      outer->unit = 1;
      return true;
    default:
      return false;
  }
}

}  // namespace

bool increases(const Computation &computation, ZoneNeed *need) {
  OuterSteps outer;
  outer.need = need;
  return !computation.is_full() && computation.farthest() <= kOrderReach &&
         std::all_of(computation.begin(), computation.end(),
                     [&](const Step &step) { return increases(step, &outer); }) &&
         relies_on_zone(*need);
}

}  // namespace uuidx
