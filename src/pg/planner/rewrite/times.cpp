#include "pg/planner/rewrite/times.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pg/compat.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/operations.hpp"

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
    Node *inner = undo_epoch(&seconds, left);
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
