#include "planner/rewrite/rewriting.hpp"

#include "planner/nodes.hpp"
#include "planner/rewrite/clauses.hpp"
#include "planner/rewrite/wanted.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a clause is an equality from which the planner can conclude more than its bounds say.
bool has_consequences(const Rewriting &rewriting, const Node *clause, const TimeComparison &read) {
  const auto [op, left, right] = operation_of(clause);
  return op != nullptr && !rewriting.in_or && op_mergejoinable(op->opno, exprType(left)) &&
         is_wanted_equal(*rewriting.level, stripped(read.time.expression));
}

}  // namespace

List *bounds_of_id(const QueryLevel &level, const TimeComparison &comparison) {
  const KeyTime &time = comparison.time;
  List *bounds = NIL;
  const auto add_bound = [&](bool upper, int strategy) {
    strategy =
        time.exact && comparison.strategy != BTEqualStrategyNumber ? comparison.strategy : strategy;
    Expr *bound = time_bound(level, comparison, upper);
    bounds = lappend(bounds, compare_with_time(level.functions, as_node(time.id), strategy, bound,
                                               time.precise));
  };
  if (comparison.strategy >= BTEqualStrategyNumber) {
    add_bound(false, BTGreaterEqualStrategyNumber);
  }
  if (comparison.strategy <= BTEqualStrategyNumber) {
    add_bound(true, BTLessEqualStrategyNumber);
  }
  return bounds;
}

void add(Rewriting *rewriting, Expr *condition) {
  rewriting->to = list_concat(rewriting->to, make_ands_implicit(condition));
  rewriting->changed = true;
}

bool may_drop_test(const KeyTable &table, const Var *id) {
  return proof_of(table, id->varattno) == Proof::all_v7 && !has_column(table.tested, id->varattno);
}

void add_version_test(Rewriting *rewriting, const KeyTime &time) {
  if (!may_drop_test(*time.table, time.id)) {
    add(rewriting, version_test(rewriting->level->functions, as_node(time.id)));
  }
}

void add_condition(Rewriting *rewriting, const Var *id, Expr *clause) {
  add(rewriting, condition_call(rewriting->level->functions, as_node(id), clause));
}

void add_implied(Rewriting *rewriting, const TimeComparison &comparison) {
  add_condition(rewriting, comparison.time.id,
                make_ands_explicit(bounds_of_id(*rewriting->level, comparison)));
}

void add_read(Rewriting *rewriting, Node *clause, const TimeComparison &read, bool stays) {
  if (stays) {
    add(rewriting, as_expr(clause));
    add_implied(rewriting, read);
    return;
  }
  add(rewriting, make_ands_explicit(bounds_of_id(*rewriting->level, read)));
  add_version_test(rewriting, read.time);
  if (has_consequences(*rewriting, clause, read)) {
    QueryLevel *level = rewriting->level;
    level->kept = lappend(level->kept, stripped(read.time.expression));
    add(rewriting, as_expr(clause));
  } else if (!read.time.exact) {
    add_condition(rewriting, read.time.id, as_expr(clause));
  }
}

bool must_stay(const TimeComparison &read, bool repeats) {
  auto *value = as_node(read.value);
  return is_of_use(*read.time.table, read.time.expression) ||
         (repeats && (contain_var_clause(value) || !may_repeat(value)));
}

}  // namespace uuidx
