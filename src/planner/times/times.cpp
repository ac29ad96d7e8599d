#include "planner/times/times.hpp"

#include <cmath>
#include <utility>

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the type whose values an expression has: below domains, and of the texts, which compare
// alike, text.
Oid type_of_values(Node *node) {
  const Oid type = getBaseType(exprType(node));
  return type == VARCHAROID ? TEXTOID : type;
}

// Reads a call that extracts the time of a key.
bool read_call(QueryLevel *level, const List *tested, const Node *node, KeyTime *time) {
  const auto *call = as<FuncExpr>(node);
  if (call == nullptr || call->funcresulttype != TIMESTAMPTZOID || list_length(call->args) != 1 ||
      !is_time_function(call->funcid)) {
    return false;
  }
  time->id = id_of(*level, nth(call->args, 0));
  if (time->id == nullptr) {
    return false;
  }
  time->table = table_of(level, time->id);
  time->precise = kind_of(call->funcid) == FunctionKind::precise_time;
  time->exact = time->steps.is_time();
  return time->steps.keeps(time->precise ? Computation::kAllDigits : 3) &&
         (kind_of(call->funcid) == FunctionKind::v7_time || is_all_v7(*time->table, time->id) ||
          list_member(tested, time->id));
}

// Follows an expression inward from what is read already to the call that extracts the time;
// returns false if there is none, or if it is too far in. A cast without a function to a type other
// than a domain ends it, as that type may compare its values in another way.
bool read_inward(QueryLevel *level, const List *tested, Node *node, KeyTime *time) {
  while (node != nullptr && !time->steps.is_full()) {
    Node *labeled = std::exchange(node, stripped(node));
    if (node != labeled && type_of_values(node) != type_of_values(labeled)) {
      return false;
    }
    if (read_call(level, tested, node, time)) {
      return true;
    }
    const auto *column = as<Var>(node);
    Reach tolerance;
    node = column != nullptr ? stored_expression(*level, column, &tolerance)
                             : read_operation(node, &time->steps);
    if (tolerance.least != 0 || tolerance.most != 0) {
      time->steps.move(tolerance);
      time->near = time->near || tolerance.least != tolerance.most;
    }
  }
  return false;
}

// True if texts that are equal by the collations of an expression are the same.
bool is_deterministic(const Node *node) {
  const Oid collation = exprCollation(node);
  return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

// Reads the left side as a time or date, or as the seconds, the year or a text of one, that is
// compared with a value. Years before Christ are counted backward, and without a sign in texts.
bool read_value(QueryLevel *level, const List *tested, Node *left, const Node *right,
                TimeComparison *read) {
  constexpr int64 kAnnoDomini = int64{1900} * 365 * USECS_PER_DAY;  // keys have times since 1970
  KeyTime *time = &read->time;
  const Oid type = exprType(right);
  time->type = exprType(left);
  const bool of_time = is_time(time->type);
  if (of_time ? !is_time(type) : type != time->type) {
    return false;
  }
  if (is_local(time->type) && !is_local(type)) {
    time->steps.to_instant(nullptr);  // compared as instants of the session's zone
  }
  return read_inward(level, tested, left, time) && time->steps.has_bounds() &&
         (of_time || (is_deterministic(left) && is_deterministic(right) &&
                      time->steps.farthest() < kAnnoDomini &&
                      (type != TEXTOID || read->strategy == BTEqualStrategyNumber)));
}

// Sets the span of a constant that is compared with an interval or, as a number, with its seconds,
// and how far it may be rounded; returns false if there is none.
bool read_span(const Node *value, bool seconds, Reach *span) {
  if (const Interval *interval = seconds ? nullptr : interval_of(value)) {
    const int64 days = int64{interval->month} * DAYS_PER_MONTH + interval->day;
    span->least = span->most = days * USECS_PER_DAY + interval->time;
    return true;
  }
  const double count = number_of(value);
  constexpr double kMost = 8e9;  // two and a half centuries; NaN is not below it
  if (!seconds || !(std::abs(count) < kMost)) {
    return false;
  }
  const auto micros = static_cast<int64>(count * USECS_PER_SEC);
  *span = {micros - 1000, micros + 1000};
  return true;
}

// Reads the interval of `k - x` or `x - k`: the comparison of an interval with another becomes one
// of x with k. Intervals compare with days of 24 hours and months of 30 days.
bool read_difference(QueryLevel *level, const List *tested, const Node *left, const Node *right,
                     TimeComparison *read) {
  const bool seconds = (function_of(left) == F_EXTRACT_TEXT_INTERVAL ||
                        function_of(left) == F_DATE_PART_TEXT_INTERVAL) &&
                       is_text(nth(args_of(left), 0), "epoch");
  const Node *interval = seconds ? nth(args_of(left), 1) : nullptr;
  const auto *op = as<OpExpr>(interval != nullptr ? interval : left);
  Reach span;
  if (op == nullptr || op->opfuncid != F_TIMESTAMPTZ_MI ||
      !read_span(right, interval != nullptr, &span)) {
    return false;
  }
  for (const bool first : {true, false}) {
    KeyTime *time = &read->time;
    *time = {};
    time->type = TIMESTAMPTZOID;
    time->steps.move(first ? Reach{-span.most, -span.least} : span);
    if (read_inward(level, tested, nth(op->args, first ? 0 : 1), time) &&
        time->steps.has_bounds()) {
      read->value = as_expr(nth(op->args, first ? 1 : 0));
      if (!first) {
        // From k - x < interval to x > k - interval.
        read->strategy = BTMaxStrategyNumber + 1 - read->strategy;
      }
      return true;
    }
  }
  return false;
}

// True if an expression is computed from the time of a key, and raises no error.
bool is_computed_time(QueryLevel *level, const List *tested, Node *node) {
  KeyTime time;
  return read_time(level, tested, node, &time) && time.steps.has_bounds();
}

}  // namespace

List *tested_columns(const List *clauses) {
  List *columns = NIL;
  for (const Node *clause : each(clauses)) {
    CHECK_FOR_INTERRUPTS();
    if (const Var *column = tested_column(clause)) {
      columns = list_append_unique(columns, const_cast<Var *>(column));
    }
  }
  return columns;
}

bool read_time(QueryLevel *level, const List *tested, Node *node, KeyTime *time) {
  *time = {};
  time->expression = node;
  time->type = type_of_values(node);
  return read_inward(level, tested, node, time);
}

bool read_comparison(QueryLevel *level, const List *tested, Oid op, Node *left, Node *right,
                     TimeComparison *read) {
  *read = {{}, strategy_of(op, exprType(left)), as_expr(right)};
  if (read->strategy == 0) {
    return false;
  }
  if (!read_value(level, tested, left, right, read)) {
    read->time = {};
    if (!read_difference(level, tested, left, right, read)) {
      return false;
    }
  }
  read->time.expression = left;
  auto *value = as_node(read->value);
  return !is_indexed(*read->time.table, left) && is_operand(*level, *read->time.table, value) &&
         (read->time.exact || (read->time.near && as<Var>(left) != nullptr) || !may_fail(value) ||
          is_computed_time(level, tested, value));
}

bool is_operand(const QueryLevel &level, const KeyTable &table, Node *value) {
  return !bms_is_member(static_cast<int>(table.rti), pull_varnos(level.root, value)) &&
         !contain_subplans(value) && !contain_volatile_functions(value);
}

bool may_fail(Node *value) {
  return contain_var_clause(value) && contain_leaked_vars(value);
}

bool may_repeat(Node *value) {
  if (contain_subplans(value) || contain_volatile_functions(value)) {
    return false;
  }
  QualCost cost;
  // Without the query, as it may not have its tables yet, and a column of an array asks for them.
  cost_qual_eval_node(&cost, value, nullptr);
  return cost.startup + cost.per_tuple <= 10 * cpu_operator_cost;
}

}  // namespace uuidx
