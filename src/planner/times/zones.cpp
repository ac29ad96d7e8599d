#include "planner/times/zones.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/v7.hpp"
#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "parser/scansup.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// PostgreSQL accepts zones of POSIX form, such as '<A>-100', up to 167:59:59 from UTC.
constexpr int64 kFarthest = 168 * USECS_PER_HOUR;

// Where a bound is so far from all times of version 7 that its zone does not matter, and the
// arithmetic below might overflow.
constexpr int64 kFar = int64{1} << 60;

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
  each_offset(Zone{rules}, kFirst, kLast, [&](int64 offset, int64 from, int64) {
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

// Set when a plan has met another zone: the session then makes no plans that would have to fail
// again, such as those of a statement that is executed for two zones in turn. As an expression that
// PostgreSQL caches, it ends with the plans of the session: by DISCARD PLANS or ALL, with which a
// session is handed to its next user.
constinit CachedExpression *zone_changes = nullptr;

// Has the plans of the session made anew, without an order that relies on its zone.
void expect_changes() {
  ResetPlanCache();
  CachedExpression *before = zone_changes;
  zone_changes = GetCachedExpression(makeBoolConst(true, false));
  if (before != nullptr) {
    FreeCachedExpression(before);
  }
}

// True if the session's zone has what is needed.
bool has_zone(ZoneNeed need) {
  const ZoneOrder order = order_of(session_timezone);
  Zone utc;
  return (kUtcIsFixed || find_zone("UTC", &utc)) &&
         (need == ZoneNeed::offset
              ? order.swing == 0
              : order.unit <= USECS_PER_DAY && order.cuts && order.swing <= USECS_PER_DAY);
}

// An execution of a plan, and its zone.
struct Execution {
  pg_tz *zone = nullptr;
  bool planned = false;  // has a call of the planner's
  MemoryContextCallback callback{};
};

// Marks the callback by which the memory in which an execution initializes its expressions has it.
void end_execution(void * /*execution*/) {}

// Returns the execution in a memory; null if it has not read a row.
Execution *known_execution(MemoryContext memory) {
  const auto *callback = find_callback(memory->reset_cbs, end_execution);
  return callback != nullptr ? static_cast<Execution *>(callback->arg) : nullptr;
}

// Raises the error of an execution in another zone. The plans that are cached are made anew,
// without the order, so that a statement that is repeated succeeds. A call that is none of the
// planner's changes nothing.
[[noreturn]] void fail(bool planned) {
  if (planned) {
    expect_changes();
  }
  ereport(
      ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
      errmsg("query plan is not valid in time zone \"%s\"", pg_get_timezone_name(session_timezone)),
      errdetail("It reads rows in the order of the local time of another time zone."),
      errhint("Execute the statement again."));
}

constinit ExecutorRun_hook_type next_run_hook = nullptr;

// Returns rows of an execution if its zone is still the session's. A scan checks that for the rows
// that it reads, but a join or an Append may compute the time of a row that was read before. From
// PostgreSQL 18 on, there is nothing in the rest.
template <typename... Rest>
void run_in_zone(QueryDesc *query, ScanDirection direction, uint64 count, Rest... rest) {
  const Execution *known = known_execution(query->estate->es_query_cxt);
  if (known != nullptr && known->planned && known->zone != session_timezone) {
    fail(true);
  }
  (next_run_hook != nullptr ? next_run_hook : standard_ExecutorRun)(query, direction, count,
                                                                    rest...);
}

// Checks executions from now on whenever they go on.
void install_run_hook() {
  static constinit bool installed = false;
  if (!installed) {
    installed = true;
    next_run_hook = ExecutorRun_hook;
    ExecutorRun_hook = run_in_zone;
  }
}

// Returns an execution with its zone: the session's when it read its first row, by any of its
// scans, as those of an Append begin one after the other. A row that was changed meanwhile is read
// again in an execution of its own (EvalPlanQual): the order of one row is always right.
Execution *execution_in(MemoryContext memory) {
  Execution *execution = known_execution(memory);
  if (execution == nullptr) {
    install_run_hook();
    execution = static_cast<Execution *>(MemoryContextAlloc(memory, sizeof(Execution)));
    *execution = {session_timezone, false, {end_execution, execution, nullptr}};
    MemoryContextRegisterResetCallback(memory, &execution->callback);
  }
  return execution;
}

}  // namespace

char *lower_name(const char *name) {
  return downcase_truncate_identifier(name, static_cast<int>(std::strlen(name)), false);
}

bool read_abbreviation(const char *lower, Zone *zone) {
  int seconds = 0;
#if PG_VERSION_NUM >= 160000
  int type = UNKNOWN_FIELD;
  DateTimeErrorExtra extra;
  if (DecodeTimezoneAbbrev(0, lower, &type, &seconds, &zone->rules, &extra) != 0) {
    return false;
  }
#else
  const int type = DecodeTimezoneAbbrev(0, const_cast<char *>(lower), &seconds, &zone->rules);
#endif
  zone->is_abbreviation = type == TZ || type == DTZ || type == DYNTZ;
  if (zone->is_abbreviation) {
    zone->rules = nullptr;
    zone->offset = seconds;
  }
  return type != DYNTZ;
}

bool find_zone(const char *name, Zone *zone) {
  if (!read_abbreviation(lower_name(name), zone)) {
    return false;
  }
  if (zone->is_abbreviation) {
    return true;
  }
  zone->rules = pg_tzset(name);
  return zone->rules != nullptr && pg_tz_acceptable(zone->rules);
}

int64 plus(int64 a, int64 b) {
  int64 sum = 0;
  if (TIMESTAMP_NOT_FINITE(a)) {
    return a;
  }
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? DT_NOBEGIN : DT_NOEND) : sum;
}

int64 instant_bound(const Zone &zone, int64 local, bool upper) {
  if (local < -kFar || local > kFar) {
    return plus(local, upper ? kFarthest : -kFarthest);
  }
  int64 bound = upper ? local - kFarthest : local + kFarthest;
  each_offset(zone, local - kFarthest, local + kFarthest,
              [&](int64 offset, int64 from, int64 until) {
                const int64 instant = local - offset;
                if (upper && instant >= from) {
                  bound = std::min(instant, until - 1);
                } else if (!upper && instant < until) {
                  bound = std::min(bound, std::max(instant, from));
                }
              });
  return bound;
}

int64 local_bound(const Zone &zone, int64 instant, bool upper) {
  if (instant < -kFar || instant > kFar) {
    return plus(instant, upper ? kFarthest : -kFarthest);
  }
  int64 most = -kFarthest;
  int64 least = kFarthest;
  each_offset(zone, instant - kNearby, instant + kNearby, [&](int64 offset, int64, int64) {
    most = std::max(most, offset);
    least = std::min(least, offset);
  });
  return instant + (upper ? most : least);
}

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
  const bool changes = zone_changes != nullptr && zone_changes->is_valid;
  return need == ZoneNeed::nothing || (!changes && has_zone(need));
}

// uuid_check_zone(uuid, boolean), which the planner puts into plans: raises an error in a zone in
// which the order does not hold, and in any other one than that of the first row of the execution.
UUIDX_FUNCTION(uuidx_check_zone) {
  const bool planned = PG_GET_COLLATION() == kPlannersCollation;
  void **known = &fcinfo->flinfo->fn_extra;
  if (*known == nullptr && has_zone(PG_GETARG_BOOL(1) ? ZoneNeed::offset : ZoneNeed::days)) {
    *known = execution_in(fcinfo->flinfo->fn_mcxt);
  }
  auto *execution = static_cast<Execution *>(*known);
  if (execution == nullptr || execution->zone != session_timezone) {
    fail(planned);
  }
  execution->planned |= planned;
  PG_RETURN_BOOL(true);
}

}  // namespace uuidx
