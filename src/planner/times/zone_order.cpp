#include "planner/times/zone_order.hpp"

#include <algorithm>
#include <iterator>

#include "core/v7.hpp"
#include "planner/times/zone_bound.hpp"
#include "planner/times/zone_names.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "utils/plancache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns a time rounded down to a multiple of a unit, also before 2000.
int64 rounded_down(int64 time, int64 unit) {
  const int64 rest = time % unit;
  return time - (rest < 0 ? rest + unit : rest);
}

// Reads the order of a zone from its changes of offset.
ZoneOrder read_order(pg_tz *rules) {
  // PostgreSQL may take any offset within them for a local time: see kNearby.
  constexpr int64 kWeeks = 2 * kNearby;
  // The rules of every zone end before 2100, or repeat after 400 years.
  constexpr int64 kFirst = -kPostgresEpoch - kOrderReach - kWeeks;
  constexpr int64 kLast = -kPostgresEpoch + int64{531} * 366 * USECS_PER_DAY;
  constexpr int64 kUnits[] = {1, USECS_PER_MINUTE, USECS_PER_HOUR, USECS_PER_DAY};
  ZoneOrder order;
  int64 before = 0;
  int64 changed = kFirst - kWeeks;
  int64 least = 0;
  int64 most = 0;
  each_offset(Zone{rules, 0}, kFirst, kLast, [&](int64 offset, int64 from, int64) {
    if (from == kFirst || offset == before) {
      before = offset;
      return;
    }
    const auto increases = [&](int64 unit, bool instant) {
      return rounded_down(from - 1 + before, unit) - (instant ? before : 0) <=
             rounded_down(from + offset, unit) - (instant ? offset : 0);
    };
    order.cuts = order.cuts && increases(USECS_PER_MINUTE, true) && increases(USECS_PER_HOUR, true);
    const auto *unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                    [&](int64 one) { return increases(one, false); });
    order.unit = std::max(order.unit, unit != std::end(kUnits) ? *unit : PG_INT64_MAX);
    const bool alone = from - changed > kWeeks;
    least = std::min({alone ? before : least, before, offset});
    most = std::max({alone ? before : most, before, offset});
    order.swing = std::max(order.swing, most - least);
    before = offset;
    changed = from;
  });
  return order;
}

// Set when a plan has met another zone: this session makes no more plans that would have to fail.
constinit bool zone_changes = false;

// True if the session's zone has what is needed.
bool has_zone(ZoneNeed need) {
  const ZoneOrder order = order_of(session_timezone);
  NamedZone utc;
  return (kUtcIsFixed || find_zone("UTC", &utc)) &&
         (need == ZoneNeed::offset
              ? order.swing == 0
              : order.unit <= USECS_PER_DAY && order.cuts && order.swing <= USECS_PER_DAY);
}

}  // namespace

ZoneOrder order_of(pg_tz *rules) {
  // The last ones are kept.
  struct Known {
    pg_tz *rules = nullptr;
    ZoneOrder order;
  };
  static constinit Known known[16] = {};
  static constinit unsigned next = 0;
  for (const Known &one : known) {
    if (one.rules == rules) {
      return one.order;
    }
  }
  Known *one = &known[next++ % lengthof(known)];
  *one = {nullptr, read_order(rules)};
  one->rules = rules;
  return one->order;
}

bool relies_on_zone(ZoneNeed need) {
  return need == ZoneNeed::nothing || (!zone_changes && has_zone(need));
}

// uuid_check_zone(uuid, boolean), which the planner puts into plans: raises an error in a zone in
// which the order does not hold, and in any other one than that of the first row. The plans that
// are cached are made anew, without the order, so that a statement that is repeated succeeds.
UUIDX_FUNCTION(uuidx_check_zone) {
  void **of_first = &fcinfo->flinfo->fn_extra;
  if (*of_first == nullptr && has_zone(PG_GETARG_BOOL(1) ? ZoneNeed::offset : ZoneNeed::days)) {
    *of_first = session_timezone;
  }
  if (*of_first != session_timezone) {
    zone_changes = true;
    ResetPlanCache();
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("query plan is not valid in time zone \"%s\"",
                   pg_get_timezone_name(session_timezone)),
            errdetail("It reads rows in the order of the local time of another time zone."),
            errhint("Execute the statement again."));
  }
  PG_RETURN_BOOL(true);
}

}  // namespace uuidx
