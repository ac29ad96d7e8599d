#include "planner/rewrite/times.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/operations.hpp"
#include "planner/rewrite/generated.hpp"

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

// Follows an expression inward from what is undone already to the call that extracts the time;
// returns false if there is none.
bool follow(Statement *statement, const List *clauses, Node *node, KeyTime *time) {
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

// True if a type is one of the local time, which has no zone.
bool is_local(Oid type) {
  return type == DATEOID || type == TIMESTAMPOID;
}

// Reads the left side as a time or date that is compared with a value of a type.
bool read_value(Statement *statement, const List *clauses, Node *left, Oid type, KeyTime *time) {
  time->type = exprType(left);
  const bool local = is_local(time->type);
  if ((!local && time->type != TIMESTAMPTZOID) || (!is_local(type) && type != TIMESTAMPTZOID)) {
    return false;
  }
  if (local && !is_local(type)) {
    // Compared as instants of the session's zone.
    add_zone(time, "local", nullptr);
    time->exact = false;
  }
  return follow(statement, clauses, left, time);
}

// Reads the left side as the seconds of a time.
bool read_epoch(Statement *statement, const List *clauses, Node *left, Oid type, KeyTime *time) {
  Node *argument = undo_epoch(time, left);
  time->type = exprType(left);
  time->exact = false;
  return argument != nullptr && type == time->type && follow(statement, clauses, argument, time);
}

// Reads the interval of `k - x` or `x - k`: the comparison of an interval with another becomes one
// of x with k. Intervals compare with days of 24 hours and months of 30 days.
bool read_difference(Statement *statement, const List *clauses, const Node *left, const Node *right,
                     Comparison *read) {
  const auto *op = as<OpExpr>(left);
  const Interval *interval = interval_of(right);
  if (op == nullptr || interval == nullptr || op->opfuncid != F_TIMESTAMPTZ_MI) {
    return false;
  }
  const int64 days = int64{interval->month} * DAYS_PER_MONTH + interval->day;
  const int64 span = days * USECS_PER_DAY + interval->time;
  for (const bool first : {true, false}) {
    KeyTime *time = &read->time;
    *time = {};
    time->type = TIMESTAMPTZOID;
    time->exact = false;
    undo(time, first ? Reach{-span, -span} : Reach{span, span});
    if (follow(statement, clauses, nth(op->args, first ? 0 : 1), time)) {
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
  return follow(statement, clauses, node, time);
}

bool read_comparison(Statement *statement, const List *clauses, Oid op, Node *left, Node *right,
                     Comparison *read) {
  const Oid type = exprType(right);
  *read = {{}, strategy_of(op, exprType(left)), as_expr(right)};
  if (read->strategy == 0) {
    return false;
  }
  if (!read_value(statement, clauses, left, type, &read->time)) {
    read->time = {};
    if (!read_epoch(statement, clauses, left, type, &read->time) &&
        !read_difference(statement, clauses, left, right, read)) {
      return false;
    }
  }
  read->time.expression = left;
  return !is_indexed(*read->time.table, left) &&
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
  const char *steps = upper ? time.upper : time.lower;
  const Oid type = exprType(as_node(value));
  if (*steps == '\0' && type != TIMESTAMPTZARRAYOID) {
    return value;
  }
  const Functions &functions = statement.functions;
  const Oid function = type == DATEOID               ? functions.bound_of_date
                       : type == TIMESTAMPOID        ? functions.bound_of_timestamp
                       : type == TIMESTAMPTZOID      ? functions.bound_of_timestamptz
                       : type == TIMESTAMPTZARRAYOID ? functions.bound_of_array
                       : type == FLOAT8OID           ? functions.bound_of_float8
                                                     : functions.bound_of_numeric;
  Const *program = makeConst(TEXTOID, -1, InvalidOid, -1, CStringGetTextDatum(steps), false, false);
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
