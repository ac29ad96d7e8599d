#include "planner/times/column_proofs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/computation.hpp"
#include "planner/times/zones.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A clause `column operator expression + distance`.
struct Tie {
  const Var *column = nullptr;
  Node *expression = nullptr;
  int strategy = 0;
  int64 distance = 0;
  bool distinguishes_null = false;
};

// A tolerance of which no side is known.
constexpr Reach kAnywhere = {PG_INT64_MIN, PG_INT64_MAX};

// Returns a time without what is added to it in any time zone alike, and adds that to `distance`.
Node *without_distance(Node *time, int64 *distance) {
  while (true) {
    Computation last;
    Node *before = read_operation(time, &last);
    if (before == nullptr || !last.is_shift() || exprType(before) != exprType(time)) {
      return time;
    }
    for (const Step &step : last) {
      *distance += step.reach.least;
    }
    time = before;
  }
}

// Reads a clause; returns false if it is none of the form.
bool read_tie(const Node *clause, Tie *tie) {
  const auto *op = as<OpExpr>(clause);
  const auto *negation = is_notclause(clause) ? as<BoolExpr>(clause) : nullptr;
  if (const Node *negated = negation != nullptr ? nth(negation->args, 0) : nullptr;
      negated != nullptr && IsA(negated, DistinctExpr)) {
    op = static_cast<const OpExpr *>(static_cast<const void *>(negated));  // the same struct
    tie->distinguishes_null = true;
  }
  if (op == nullptr || list_length(op->args) != 2) {
    return false;
  }
  int64 distances[] = {0, 0};
  Node *left = without_distance(nth(op->args, 0), &distances[0]);
  Node *right = without_distance(nth(op->args, 1), &distances[1]);
  const Oid type = exprType(left);
  if (!is_time(type) || exprType(right) != type) {
    return false;
  }
  tie->strategy = strategy_of(op->opno, type);
  if (as<Var>(left) == nullptr) {
    std::swap(left, right);
    std::swap(distances[0], distances[1]);
    tie->strategy = BTMaxStrategyNumber + 1 - tie->strategy;
  }
  tie->column = as<Var>(left);
  tie->expression = right;
  tie->distance = distances[1] - distances[0];
  return tie->column != nullptr && tie->strategy >= BTLessStrategyNumber &&
         tie->strategy <= BTGreaterStrategyNumber;
}

bool has_null(Node *node, void * /*context*/) {
  const auto *constant = as<Const>(node);
  return constant != nullptr ? constant->constisnull
                             : node != nullptr && walk_expression(node, has_null, nullptr);
}

// True if a clause that holds, or is NULL, says what its column is in every row. The expression has
// one column, and a key: with others, columns could be computed from each other.
bool is_proof(const TableFacts &facts, const Tie &tie) {
  Node *expression = tie.expression;
  const List *columns = list_union(NIL, pull_var_clause(expression, PVC_RECURSE_PLACEHOLDERS));
  const auto *key = nth<Var>(columns, 0);
  return list_length(columns) == 1 && key->vartype == UUIDOID && time_calls(expression) != NIL &&
         !has_abbreviation(expression, nullptr) && !contain_mutable_functions(expression) &&
         (tie.distinguishes_null ||
          (has_column(facts.never_null, tie.column->varattno) &&
           has_column(facts.never_null, key->varattno) && has_column(facts.all_v7, key->varattno) &&
           !has_null(expression, nullptr)));
}

// Adds what a clause says of a column to a list of StoredTime.
void add_tie(List **times, const Tie &tie) {
  StoredTime *time = nullptr;
  for (auto *known : each<StoredTime>(*times)) {
    if (known->column == tie.column->varattno && equal(known->expression, tie.expression)) {
      time = known;
    }
  }
  if (time == nullptr) {
    time = allocated(StoredTime{tie.column->varattno, tie.expression, kAnywhere});
    *times = lappend(*times, time);
  }
  Reach *tolerance = &time->tolerance;
  if (tie.strategy <= BTEqualStrategyNumber) {
    tolerance->most = std::min(tolerance->most, tie.distance);
  }
  if (tie.strategy >= BTEqualStrategyNumber) {
    tolerance->least = std::max(tolerance->least, tie.distance);
  }
}

// Returns a clause without `IS TRUE`, which tools write.
const Node *without_true(const Node *clause) {
  const auto *test = as<BooleanTest>(clause);
  return test != nullptr && test->booltesttype == IS_TRUE ? as_node(test->arg) : clause;
}

}  // namespace

List *checked_clauses(Relation table) {
  const TupleConstr *constraints = RelationGetDescr(table)->constr;
  List *clauses = NIL;
  for (int i = 0; i < constraints->num_check; ++i) {
    const ConstrCheck &check = constraints->check[i];
    // One that is not enforced is not valid.
    if (check.ccvalid && !(check.ccnoinherit && table->rd_rel->relhassubclass)) {
      Expr *condition = as_expr(without_true(as_node(stringToNode(check.ccbin))));
      for (const Node *clause : each(make_ands_implicit(canonicalize_qual(condition, true)))) {
        clauses = lappend(clauses, as_node(without_true(clause)));
      }
    }
  }
  return clauses;
}

const Var *key_of_equal(const TableFacts &facts, const Node *clause) {
  Tie tie;
  if (!read_tie(clause, &tie) || !tie.distinguishes_null ||
      !has_column(facts.never_null, tie.column->varattno)) {
    return nullptr;
  }
  const auto *call = as<FuncExpr>(tie.expression);
  return call != nullptr && kind_of(call->funcid) == FunctionKind::v7_time
             ? column_of(nth(call->args, 0))
             : nullptr;
}

void add_ordinary_times(TableFacts *facts, const List *clauses) {
  List *times = NIL;
  for (const Node *clause : each(clauses)) {
    Tie tie;
    if (read_tie(clause, &tie) && is_proof(*facts, tie)) {
      add_tie(&times, tie);
    }
  }
  for (auto *time : each<StoredTime>(times)) {
    const auto [least, most] = time->tolerance;
    if (least == most) {
      facts->stored_times = lcons(time, facts->stored_times);  // the first of a column counts
    } else if (least > kAnywhere.least && most < kAnywhere.most && least < most) {
      facts->stored_times = lappend(facts->stored_times, time);
    }
  }
}

bool has_abbreviation(Node *node, void * /*context*/) {
  const auto *call = as<FuncExpr>(node);
  const Oid function = call != nullptr ? call->funcid : InvalidOid;
  const bool cuts = function == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT;
  if (cuts || function == F_TIMEZONE_TEXT_TIMESTAMPTZ || function == F_TIMEZONE_TEXT_TIMESTAMP) {
    const char *zone = text_of(nth(call->args, cuts ? 2 : 0));
    if (zone == nullptr || (std::strchr(zone, '/') == nullptr && !is_fixed_utc(zone))) {
      return true;
    }
  }
  return node != nullptr && walk_expression(node, has_abbreviation, nullptr);
}

}  // namespace uuidx
