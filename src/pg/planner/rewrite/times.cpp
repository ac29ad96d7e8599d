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
//   x - k, k - x                       an interval, in which days have 24 hours
#include "pg/planner/rewrite/times.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pg/compat.hpp"
#include "pg/planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "parser/scansup.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// How far an operation moves what it is applied to, in microseconds.
struct Reach {
  int64 least = 0;
  int64 most = 0;
};

// Returns the function that an expression calls, by name or as an operator.
Oid function_of(const Node *node) {
  if (const auto *call = as<FuncExpr>(node)) {
    return call->funcid;
  }
  const auto *op = as<OpExpr>(node);
  return op != nullptr ? op->opfuncid : InvalidOid;
}

// Adds a step to both bounds.
void add_step(KeyTime *time, const char *step) {
  appendStringInfo(&time->lower, "%s%s", time->lower.len > 0 ? ";" : "", step);
  appendStringInfo(&time->upper, "%s%s", time->upper.len > 0 ? ";" : "", step);
}

// Adds a number of microseconds as a step.
void add_distance(StringInfo steps, int64 distance) {
  if (distance != 0) {
    appendStringInfo(steps, "%s" INT64_FORMAT, steps->len > 0 ? ";" : "", distance);
  }
}

// Adds the step that undoes an operation which moves its argument.
void undo(KeyTime *time, Reach reach) {
  add_distance(&time->lower, -reach.most);
  add_distance(&time->upper, -reach.least);
}

// Adds the step of a zone, that of the session if `name` is null; returns false if the zone is not
// constant, or an abbreviation whose offset depends on the time.
bool add_zone(KeyTime *time, const char *step, const Node *name) {
  if (name == nullptr) {
    time->in_session_zone = true;
    add_step(time, step);
    return true;
  }
  const Const *constant = constant_of(name);
  if (constant == nullptr) {
    return false;
  }
  const char *zone = TextDatumGetCString(constant->constvalue);
  pg_tz *rules = nullptr;
  long offset = 0;
  if (std::strchr(zone, ';') != nullptr || !find_zone(zone, &rules, &offset)) {
    return false;
  }
  add_step(time, psprintf("%s=%s", step, zone));
  return true;
}

// Sets `length` to the longest one of a unit of date_trunc(); returns false if there is none.
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
                {DTK_YEAR, 366 * USECS_PER_DAY},
                {DTK_DECADE, 3'653 * USECS_PER_DAY},
                {DTK_CENTURY, 36'525 * USECS_PER_DAY},
                {DTK_MILLENNIUM, 365'250 * USECS_PER_DAY}};
  for (const auto &known : kUnits) {
    if (known.unit == value) {
      *length = known.length;
      return true;
    }
  }
  return false;
}

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

// Returns a constant interval of a moderate length; null for any other expression.
const Interval *interval_of(const Node *node) {
  const Const *constant = constant_of(node);
  if (constant == nullptr || constant->consttype != INTERVALOID) {
    return nullptr;
  }
  const Interval *interval = DatumGetIntervalP(constant->constvalue);
  constexpr int kMostDays = 100'000;
  constexpr int64 kMostTime = kMostDays * USECS_PER_DAY;
  const bool moderate = std::abs(static_cast<double>(interval->month)) < kMostDays &&
                        std::abs(static_cast<double>(interval->day)) < kMostDays &&
                        interval->time < kMostTime && interval->time > -kMostTime;
  return moderate ? interval : nullptr;
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
      add_zone(time, "local", nullptr);
    }
    undo(time, reach);
    if (!local) {
      add_step(time, "zone");
    }
  };
  undo(time, {sign * interval->time, sign * interval->time});
  if (const int64 days = sign * interval->day * USECS_PER_DAY; days != 0) {
    undo_local({days, days});
  }
  if (interval->month != 0) {
    undo_local(reach_of_months(sign * interval->month));
  }
  return true;
}

// Undoes date_trunc() of a timestamptz. Units up to hours do not change its offset from UTC.
bool undo_trunc(KeyTime *time, const Node *unit, const Node *zone) {
  int64 length = 0;
  if (!read_unit(unit, &length)) {
    return false;
  }
  const bool local = length >= USECS_PER_DAY;
  if (local && !add_zone(time, "local", zone)) {
    return false;
  }
  undo(time, {-length, 0});
  return !local || add_zone(time, "zone", zone);
}

// Undoes rounding to n digits of a second; keys have three.
bool undo_rounding(KeyTime *time, const Node *digits) {
  const Const *constant = constant_of(digits);
  if (constant == nullptr) {
    return false;
  }
  if (DatumGetInt32(constant->constvalue) < 3) {
    undo(time, {-USECS_PER_SEC, USECS_PER_SEC});
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
  const int64 days = sign * int64{DatumGetInt32(constant->constvalue)} * USECS_PER_DAY;
  undo(time, {days, days});
  return true;
}

// Undoes the last operation of an expression; returns its argument, or null if it is none of those
// above.
Node *undo_operation(KeyTime *time, const Node *node) {
  const List *args = args_of(node);
  Node *first = args != NIL ? nth(args, 0) : nullptr;
  Node *second = list_length(args) > 1 ? nth(args, 1) : nullptr;
  int64 length = 0;
  switch (function_of(node)) {
    case F_DATE_TIMESTAMPTZ:
      undo(time, {-USECS_PER_DAY, 0});
      add_zone(time, "zone", nullptr);
      return first;
    case F_DATE_TIMESTAMP:
      undo(time, {-USECS_PER_DAY, 0});
      return first;
    case F_TIMESTAMP_DATE:
      return first;
    case F_TIMESTAMP_TIMESTAMPTZ:
      add_zone(time, "zone", nullptr);
      return first;
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMPTZ_TIMESTAMP:
      add_zone(time, "local", nullptr);
      return first;
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      return add_zone(time, "zone", first) ? second : nullptr;
    case F_TIMEZONE_TEXT_TIMESTAMP:
      return add_zone(time, "local", first) ? second : nullptr;
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      if (!read_unit(first, &length)) {
        return nullptr;
      }
      undo(time, {-length, 0});
      return second;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
      return undo_trunc(time, first, nullptr) ? second : nullptr;
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      return undo_trunc(time, first, nth(args, 2)) ? second : nullptr;
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
      if (const Interval *stride = interval_of(first); stride != nullptr && stride->month == 0) {
        undo(time, {-(stride->day * USECS_PER_DAY + stride->time), 0});
        return second;
      }
      return nullptr;
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

// Reads a call that extracts the time of a key.
bool read_call(Statement *statement, const List *clauses, const Node *node, KeyTime *time) {
  const auto *call = as<FuncExpr>(node);
  if (call == nullptr || call->funcresulttype != TIMESTAMPTZOID || list_length(call->args) != 1) {
    return false;
  }
  time->id = id_of(*statement, nth(call->args, 0));
  const TimeFunction function =
      time->id != nullptr ? time_function(call->funcid) : TimeFunction::none;
  if (function == TimeFunction::none || !need_functions(statement)) {
    return false;
  }
  time->table = table_of(statement, time->id);
  return function == TimeFunction::v7 ||
         proof_of(*time->table, time->id->varattno) != Proof::none ||
         tests_version(clauses, time->id);
}

// Returns the expression that generates a column, read once; null if there is none.
Node *generating_expression(Statement *statement, const Var *column) {
  for (int i = 0; i < list_length(statement->generated); ++i) {
    if (equal(nth(statement->generated, i), column)) {
      return nth(statement->generated_by, i);
    }
  }
  Node *expression = generated_by(statement->root, column);
  statement->generated = lappend(statement->generated, const_cast<Var *>(column));
  statement->generated_by = lappend(statement->generated_by, expression);
  return expression;
}

// Returns the argument of an expression that has the same value for times of keys: in more digits
// than these have, or as a timestamp in UTC; null if it is something else.
Node *same_time(KeyTime *time, const Node *node) {
  const List *args = args_of(node);
  switch (function_of(node)) {
    case F_TIMESTAMPTZ_TIMESTAMPTZ_INT4:
    case F_TIMESTAMP_TIMESTAMP_INT4:
      return undo_rounding(time, nth(args, 1)) ? nth(args, 0) : nullptr;
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      if (const Const *zone = constant_of(nth(args, 0));
          zone != nullptr && pg_strcasecmp(TextDatumGetCString(zone->constvalue), "UTC") == 0) {
        add_step(time, "zone=UTC");
        return nth(args, 1);
      }
      return nullptr;
    default:
      return nullptr;
  }
}

// Reads the interval of `k - x` or `x - k`: the comparison of an interval with another becomes one
// of x with k. Intervals compare with days of 24 hours and months of 30 days.
bool read_difference(Statement *statement, const List *clauses, Node *left, const Node *right,
                     Comparison *read) {
  const auto *op = as<OpExpr>(left);
  const Interval *interval = interval_of(right);
  if (op == nullptr || interval == nullptr || op->opfuncid != F_TIMESTAMPTZ_MI) {
    return false;
  }
  const int64 days = int64{interval->month} * DAYS_PER_MONTH + interval->day;
  const int64 span = days * USECS_PER_DAY + interval->time;
  for (const bool first : {true, false}) {
    Node *argument = nth(op->args, first ? 0 : 1);
    Node *other = nth(op->args, first ? 1 : 0);
    if (read_time(statement, clauses, argument, &read->time)) {
      StringInfoData lower = read->time.lower;
      StringInfoData upper = read->time.upper;
      initStringInfo(&read->time.lower);
      initStringInfo(&read->time.upper);
      undo(&read->time, first ? Reach{-span, -span} : Reach{span, span});
      appendStringInfo(&read->time.lower, lower.len > 0 ? ";%s" : "%s", lower.data);
      appendStringInfo(&read->time.upper, upper.len > 0 ? ";%s" : "%s", upper.data);
      read->value = as_expr(other);
      if (!first) {
        // From k - x < interval to x > k - interval.
        read->strategy = BTMaxStrategyNumber + 1 - read->strategy;
      }
      return exprType(other) == TIMESTAMPTZOID;
    }
  }
  return false;
}

// Reads `extract(epoch FROM x)`, whose value is rounded in the eyes of floating point numbers.
Node *read_epoch(KeyTime *time, const Node *node) {
  switch (function_of(node)) {
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_TIMESTAMP:
      break;
    default:
      return nullptr;
  }
  const List *args = args_of(node);
  const Const *field = constant_of(nth(args, 0));
  if (field == nullptr || pg_strcasecmp(TextDatumGetCString(field->constvalue), "epoch") != 0) {
    return nullptr;
  }
  undo(time, {-1000, 1000});
  return nth(args, 1);
}

// True if a type is one of the local time, which has no zone.
bool is_local(Oid type) {
  return type == DATEOID || type == TIMESTAMPOID;
}

// Reads a value beside a time or date that is computed from a key: adds the step between their
// types. Returns false if they cannot be compared.
bool read_value(Comparison *read, Oid type) {
  KeyTime *time = &read->time;
  if (time->type == FLOAT8OID || time->type == NUMERICOID) {
    return type == time->type;
  }
  if (type != TIMESTAMPTZOID && !is_local(type)) {
    return false;
  }
  if (is_local(time->type) && !is_local(type)) {
    // Compared as instants of the session's zone. This step comes first.
    const char *lower = time->lower.data;
    const char *upper = time->upper.data;
    initStringInfo(&time->lower);
    initStringInfo(&time->upper);
    add_zone(time, "local", nullptr);
    appendStringInfo(&time->lower, ";%s", lower);
    appendStringInfo(&time->upper, ";%s", upper);
    time->exact = false;
  }
  return true;
}

// Returns a date or timestamp as a timestamptz of the session's zone, infinite if it has none.
Expr *instant_of(const Statement &statement, Expr *value) {
  const Oid type = exprType(as_node(value));
  if (!is_local(type)) {
    return copy_of(value);
  }
  const Oid function =
      type == DATEOID ? statement.functions.time_of_date : statement.functions.time_of_timestamp;
  return simplified_call(statement.root, function, TIMESTAMPTZOID, list_make1(copy_of(value)));
}

}  // namespace

bool need_functions(Statement *statement) {
  if (!statement->has_functions) {
    const Functions *found = find_functions(statement->root);
    if (found == nullptr) {
      return false;
    }
    statement->functions = *found;
    statement->has_functions = true;
  }
  return true;
}

const Var *id_of(const Statement &statement, const Node *node) {
  const auto *var = as<Var>(node);
  if (var == nullptr || var->vartype != UUIDOID || var->varlevelsup != 0 || var->varattno <= 0 ||
      IS_SPECIAL_VARNO(var->varno)) {
    return nullptr;
  }
  const RangeTblEntry *entry = planner_rt_fetch(static_cast<int>(var->varno), statement.root);
  return entry->rtekind == RTE_RELATION ? var : nullptr;
}

KeyTable *table_of(Statement *statement, const Var *id) {
  const auto varno = static_cast<Index>(id->varno);
  for (KeyTable *table : each<KeyTable>(statement->tables)) {
    if (table->varno == varno) {
      return table;
    }
  }
  auto *table = static_cast<KeyTable *>(palloc(sizeof(KeyTable)));
  *table = read_key_table(statement->root, varno,
                          planner_rt_fetch(static_cast<int>(varno), statement->root));
  statement->tables = lappend(statement->tables, table);
  return table;
}

bool read_time(Statement *statement, const List *clauses, Node *node, KeyTime *time) {
  *time = {};
  time->expression = node;
  time->type = exprType(node);
  initStringInfo(&time->lower);
  initStringInfo(&time->upper);
  while (!read_call(statement, clauses, node, time)) {
    const auto *column = as<Var>(node);
    Node *argument =
        column != nullptr ? generating_expression(statement, column) : same_time(time, node);
    if (argument == nullptr && column == nullptr) {
      argument = undo_operation(time, node);
      time->exact = false;
    }
    if (argument == nullptr) {
      return false;
    }
    node = argument;
  }
  return true;
}

bool read_comparison(Statement *statement, const List *clauses, Oid op, Node *left, Node *right,
                     Comparison *read) {
  read->strategy = strategy_of(op, exprType(left));
  read->value = as_expr(right);
  if (read->strategy == 0) {
    return false;
  }
  if (!read_difference(statement, clauses, left, right, read)) {
    KeyTime seconds = {};
    initStringInfo(&seconds.lower);
    initStringInfo(&seconds.upper);
    Node *inner = read_epoch(&seconds, left);
    if (!read_time(statement, clauses, inner != nullptr ? inner : left, &read->time)) {
      return false;
    }
    if (inner != nullptr) {
      appendStringInfo(&seconds.lower, ";%s", read->time.lower.data);
      appendStringInfo(&seconds.upper, ";%s", read->time.upper.data);
      read->time.lower = seconds.lower;
      read->time.upper = seconds.upper;
      read->time.type = exprType(left);
      read->time.exact = false;
    }
  } else {
    read->time.exact = false;
  }
  read->time.expression = left;
  return !is_indexed(*read->time.table, left) && read_value(read, exprType(as_node(read->value))) &&
         is_operand(*statement, *read->time.table, as_node(read->value));
}

bool is_operand(const Statement &statement, const KeyTable &table, Node *value) {
  return !bms_is_member(static_cast<int>(table.varno), pull_varnos(statement.root, value)) &&
         !contain_subplans(value) && !contain_volatile_functions(value);
}

bool may_repeat(PlannerInfo *root, Node *value) {
  if (contain_subplans(value) || contain_volatile_functions(value)) {
    return false;
  }
  QualCost cost;
  cost_qual_eval_node(&cost, value, root);
  return cost.startup + cost.per_tuple <= 10 * cpu_operator_cost;
}

Expr *time_bound(const Statement &statement, const Comparison &comparison, bool upper) {
  const KeyTime &time = comparison.time;
  Expr *value = time.type == TIMESTAMPTZOID ? instant_of(statement, comparison.value)
                                            : copy_of(comparison.value);
  const StringInfoData &steps = upper ? time.upper : time.lower;
  const Oid type = exprType(as_node(value));
  if (steps.len == 0 && type != TIMESTAMPTZARRAYOID) {
    return value;
  }
  const Functions &functions = statement.functions;
  const Oid function = type == DATEOID               ? functions.bound_of_date
                       : type == TIMESTAMPOID        ? functions.bound_of_timestamp
                       : type == TIMESTAMPTZOID      ? functions.bound_of_timestamptz
                       : type == TIMESTAMPTZARRAYOID ? functions.bound_of_array
                       : type == FLOAT8OID           ? functions.bound_of_float8
                                                     : functions.bound_of_numeric;
  Const *program =
      makeConst(TEXTOID, -1, InvalidOid, -1, CStringGetTextDatum(steps.data), false, false);
  List *args = list_make3(program, makeBoolConst(upper, false), value);
  if (constant_of(as_node(value)) != nullptr && !time.in_session_zone) {
    // The function is STABLE for the sake of the session's zone.
    auto *call = as_node(call_function(function, TIMESTAMPTZOID, args));
    return as_expr(estimate_expression_value(statement.root, call));
  }
  return simplified_call(statement.root, function, TIMESTAMPTZOID, args);
}

bool tests_version(const List *clauses, const Var *id) {
  for (const Node *clause : each(clauses)) {
    const Var *tested = tested_column(clause);
    if (tested != nullptr && equal(tested, id)) {
      return true;
    }
  }
  return false;
}

}  // namespace uuidx
