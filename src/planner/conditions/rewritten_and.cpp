#include "planner/conditions/rewritten_and.hpp"

#include <cmath>

#include "planner/conditions/equalities.hpp"
#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/time_bound.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if an expression is a constant whole number, which has no fraction to be rounded.
bool is_whole(const Node *value) {
  const Const *number = constant_of(value);
  if (number == nullptr || number->consttype != NUMERICOID) {
    return number != nullptr && number->consttype == FLOAT8OID &&
           std::floor(DatumGetFloat8(number->constvalue)) == DatumGetFloat8(number->constvalue);
  }
  const Datum floor = DirectFunctionCall1(numeric_floor, number->constvalue);
  return DatumGetBool(DirectFunctionCall2(numeric_eq, floor, number->constvalue));
}

// True if a date or timestamp is compared with a timestamptz, as which it is taken.
bool is_cast(const TimeComparison &comparison) {
  const Oid type = exprType(as_node(comparison.value));
  const Oid element = get_element_type(type);
  return comparison.time.type == TIMESTAMPTZOID && is_local(OidIsValid(element) ? element : type);
}

// Returns the arguments of uuid_time_bound() for steps.
List *bound_arguments(const TimeComparison &comparison, const char *steps, bool upper) {
  Const *text = makeConst(TEXTOID, -1, InvalidOid, -1, CStringGetTextDatum(steps), false, false);
  return list_make3(text, makeBoolConst(upper, false), copy_of(comparison.value));
}

// Returns those for a side of a comparison.
List *bound_arguments(const TimeComparison &comparison, bool upper) {
  const int strategy =
      is_whole(as_node(comparison.value)) ? comparison.strategy : BTEqualStrategyNumber;
  return bound_arguments(
      comparison, inverse_of(comparison.time.steps, is_cast(comparison), upper, strategy), upper);
}

// Returns the bound of the key's time that a comparison gives on one side.
Expr *time_bound(const QueryLevel &level, const TimeComparison &comparison, bool upper) {
  const KeyTime &time = comparison.time;
  auto *value = as_node(comparison.value);
  if (time.steps.is_empty() && exprType(value) == TIMESTAMPTZOID) {
    return copy_of(comparison.value);
  }
  List *args = bound_arguments(comparison, upper);
  if (constant_of(value) != nullptr && !is_cast(comparison) && !time.steps.depends_on_session()) {
    // The function is STABLE for the sake of the session's settings.
    auto *call = as_node(call_function(level.functions.time_bound, TIMESTAMPTZOID, args));
    return as_expr(estimate_expression_value(level.root, call));
  }
  return simplified_call(level.functions.time_bound, TIMESTAMPTZOID, args);
}

// True if the bounds that a comparison gives are equivalent to it.
bool is_equivalent(const TimeComparison &comparison) {
  const KeyTime &time = comparison.time;
  return !comparison.is_implied &&
         (time.exact || (time.type == TIMESTAMPTZOID && time.steps.is_shift()));
}

// Returns the test whether the time of the id is beyond a bound, by the arguments of
// uuid_time_bound(). A comparison with a constant would count as more expensive than the clause, so
// that PostgreSQL would test it after others.
Expr *beyond(const QueryLevel &level, const TimeComparison &read, List *args) {
  return call_function(level.functions.beyond_bound, BOOLOID, lcons(copy_of(read.time.id), args));
}

// Returns what is true of most rows that fulfil an equality, and of no others: that the time is
// between bounds that decide it. Null if there are none, if the value counts as an operation, or if
// the comparison is that of a column, which costs less.
Expr *decides_equality(const QueryLevel &level, const TimeComparison &read) {
  QualCost cost;
  cost_qual_eval_node(&cost, as_node(read.value), nullptr);
  const Computation &steps = read.time.steps;
  const char *before = inverse_of(steps, is_cast(read), true, BTLessStrategyNumber, true);
  if (before == nullptr || read.is_implied || IsA(stripped(read.time.expression), Var) ||
      cost.startup + cost.per_tuple > 0 ||
      (steps.begin()->kind == Step::Kind::year && !is_whole(as_node(read.value)))) {
    return nullptr;
  }
  const char *after = inverse_of(steps, is_cast(read), false, BTGreaterStrategyNumber, true);
  return make_andclause(list_make2(beyond(level, read, bound_arguments(read, before, true)),
                                   beyond(level, read, bound_arguments(read, after, false))));
}

// Returns a clause, below an OR with what decides it for most rows, which costs less: of the times
// beyond the bound that the opposite of the clause would give, all fulfil it.
Expr *or_decided(const QueryLevel &level, Node *clause, const TimeComparison &read) {
  Expr *decided = nullptr;
  if (read.strategy == BTEqualStrategyNumber) {
    decided = decides_equality(level, read);
  } else {
    const bool later = read.strategy > BTEqualStrategyNumber;
    TimeComparison opposite = read;
    opposite.strategy = later ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber;
    decided = beyond(level, read, bound_arguments(opposite, later));
  }
  return decided != nullptr ? make_orclause(list_make2(decided, clause)) : as_expr(clause);
}

// True if a clause is an equality from which the planner can conclude more than its bounds say.
bool has_consequences(const RewrittenAnd &rewriting, const Node *clause,
                      const TimeComparison &read) {
  const auto [op, left, right] = operation_of(clause);
  return op != nullptr && !rewriting.in_or && op_mergejoinable(op->opno, exprType(left)) &&
         is_used_elsewhere(*rewriting.level, stripped(read.time.expression));
}

// True if an expression has a parameter, whose value the planner does not know.
bool has_param(Node *node, void * /*context*/) {
  return node != nullptr && (IsA(node, Param) || walk_expression(node, has_param, nullptr));
}

// True if a query need not test the version of a column: the table proves it, and no partial index
// needs the test to be proved usable.
bool may_drop_test(const KeyTable &table, const Var *id) {
  return is_all_v7(table, id) && !has_column(table.tested, id->varattno);
}

}  // namespace

List *bounds_of_id(const QueryLevel &level, const TimeComparison &comparison) {
  const KeyTime &time = comparison.time;
  const int strategy = comparison.strategy;
  List *bounds = NIL;
  for (const bool upper : {false, true}) {
    if (upper ? strategy > BTEqualStrategyNumber : strategy < BTEqualStrategyNumber) {
      continue;
    }
    const bool same = strategy != BTEqualStrategyNumber && is_equivalent(comparison);
    const int own = upper ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber;
    bounds =
        lappend(bounds, compare_with_time(level.functions, as_node(time.id), same ? strategy : own,
                                          time_bound(level, comparison, upper), time.precise));
  }
  return bounds;
}

void add_clauses(RewrittenAnd *rewriting, Expr *condition) {
  rewriting->to = list_concat(rewriting->to, make_ands_implicit(condition));
  rewriting->changed = true;
}

void add_version_test(RewrittenAnd *rewriting, const KeyTime &time) {
  if (!may_drop_test(*time.table, time.id)) {
    add_clauses(rewriting, version_test(rewriting->level->functions, as_node(time.id)));
  }
}

void add_condition(RewrittenAnd *rewriting, const Var *id, Expr *clause) {
  add_clauses(rewriting, condition_call(rewriting->level->functions, as_node(id), clause));
}

void note_unbounded(QueryLevel *level, Node *clause) {
  if (level->stored != NIL) {
    level->unbounded = list_concat(level->unbounded, pull_vars_of_level(clause, 0));
  }
}

void add_bounds(RewrittenAnd *rewriting, const Node *clause, const Var *id, List *bounds,
                bool joins) {
  Expr *all = make_ands_explicit(bounds);
  const bool may_note = joins && !rewriting->in_or;
  if (may_note && bms_is_member(id->varno, rewriting->preserved)) {
    return;
  }
  if (!(may_note &&
        (note_implied_join(rewriting->level, clause, id, all) || rewriting->semijoin))) {
    add_condition(rewriting, id, all);
  }
}

void add_implied(RewrittenAnd *rewriting, const Node *clause, const TimeComparison &comparison) {
  add_bounds(rewriting, clause, comparison.time.id, bounds_of_id(*rewriting->level, comparison),
             contain_var_clause(as_node(comparison.value)));
}

bool counts_once(const TimeComparison &read) {
  const RangeTblEntry *rte = read.time.table->rte;
  return has_param(as_node(read.value), nullptr) && !rte->inh && rte->rtekind == RTE_RELATION;
}

void add_read(RewrittenAnd *rewriting, Node *clause, const TimeComparison &read, bool keeps) {
  QueryLevel *level = rewriting->level;
  const bool concludes = !keeps && has_consequences(*rewriting, clause, read);
  if (concludes) {
    level->equalities = lappend(level->equalities, stripped(read.time.expression));
  }
  if (keeps || (concludes && counts_once(read))) {
    add_clauses(rewriting, as_expr(clause));
    add_implied(rewriting, clause, read);
    return;
  }
  add_clauses(rewriting, make_ands_explicit(bounds_of_id(*level, read)));
  add_version_test(rewriting, read.time);
  if (concludes) {
    add_clauses(rewriting, as_expr(clause));
  } else if (!is_equivalent(read)) {
    add_condition(rewriting, read.time.id, or_decided(*level, clause, read));
  }
}

bool may_join(QueryLevel *level) {
  constexpr int kMaxJoins = 32;
  return ++level->joins <= kMaxJoins;
}

bool must_keep(const TimeComparison &read, bool repeats) {
  auto *value = as_node(read.value);
  const KeyTable &table = *read.time.table;
  // A column that is only near the time has statistics, which tell more of the clause than its
  // bounds do; so has any column of an equality with an unknown value, as PostgreSQL expects a
  // two-hundredth of all rows between two bounds that it does not know. But only bounds prune
  // partitions when a query is planned.
  const bool is_unknown = read.strategy == BTEqualStrategyNumber && has_param(value, nullptr);
  const auto *column = read.time.near || is_unknown ? as<Var>(read.time.expression) : nullptr;
  const bool is_known = column != nullptr && table.rte->relkind == RELKIND_RELATION;
  return is_known || is_of_use(table, read.time.expression) ||
         (repeats && (contain_var_clause(value) || !may_repeat(value)));
}

void remove_version_tests(RewrittenAnd *rewriting) {
  List *kept = NIL;
  List *tested = NIL;
  for (Node *clause : each(rewriting->to)) {
    CHECK_FOR_INTERRUPTS();
    const Var *id = id_of(*rewriting->level, as_node(tested_column(clause)));
    if (id != nullptr &&
        (list_member(tested, id) || (is_never_null(rewriting->level, id) &&
                                     may_drop_test(*table_of(rewriting->level, id), id)))) {
      rewriting->changed = true;
      continue;
    }
    kept = lappend(kept, clause);
    if (id != nullptr) {
      tested = lappend(tested, const_cast<Var *>(id));
    }
  }
  rewriting->to = kept;
}

}  // namespace uuidx
