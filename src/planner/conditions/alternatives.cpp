// The alternatives of an OR or of IN.
#include <algorithm>

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/rewritten_and.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr int kMaxAlternatives = 200;

constexpr int kMaxCommon = 100;

// Each alternative is estimated with all bounds that are not constant.
constexpr int kMaxBounds = 16;

// Returns the elements of an array that are not NULL as constants; NIL if there are too many.
List *known_elements(ArrayType *values) {
  if (ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values)) > kMaxAlternatives) {
    return NIL;
  }
  const Oid type = ARR_ELEMTYPE(values);
  int16 length = 0;
  bool by_value = false;
  get_typlenbyval(type, &length, &by_value);
  List *elements = NIL;
  ArrayIterator iterator = array_create_iterator(values, 0, nullptr);
  Datum value = 0;
  bool missing = false;
  while (array_iterate(iterator, &value, &missing)) {
    if (!missing) {
      elements = lappend(elements, makeConst(type, -1, InvalidOid, length, value, false, by_value));
    }
  }
  return elements;
}

// Returns the bound that an alternative gives a key on one side, also as an argument of
// uuid_condition(); null if it gives none.
// NOLINTNEXTLINE(misc-no-recursion): of a condition in it.
Expr *bound_among(const QueryLevel &level, const Node *alternative, const Var *id, bool upper) {
  for (const Node *clause : each(make_ands_implicit(as_expr(alternative)))) {
    const auto *call = as<FuncExpr>(clause);
    if (call != nullptr && call->funcid == level.functions.condition) {
      if (Expr *bound = bound_among(level, nth(call->args, 1), id, upper)) {
        return bound;
      }
    }
    const auto [op, left, bound] = operation_of(clause);
    if (!equal(left, id)) {
      continue;
    }
    const int strategy = strategy_of(op->opno, UUIDOID);
    const bool side = upper ? strategy <= BTEqualStrategyNumber : strategy >= BTEqualStrategyNumber;
    if (strategy != 0 && side && !contain_var_clause(bound) && !contain_subplans(bound) &&
        !contain_volatile_functions(bound)) {
      return as_expr(bound);
    }
  }
  return nullptr;
}

// True if the range between bounds cannot be estimated: an unknown one, as of the parameters of a
// generic plan, may be far from another one, and PostgreSQL expects few rows between them. Two
// bounds of one value are near each other, as those of the rows after one that has been shown: the
// value is the first argument of uuid_v7_min() and the like.
bool is_range_unknown(PlannerInfo *root, const List *bounds) {
  const Node *value = nullptr;
  bool unknown = false;
  bool differs = false;
  for (Node *bound : each(bounds)) {
    const Node *own = IsA(bound, Const) ? bound : nth(args_of(bound), 0);
    unknown = unknown || !IsA(estimate_expression_value(root, bound), Const);
    differs = differs || (value != nullptr && !equal(own, value));
    value = own;
  }
  return unknown && differs;
}

// Returns the outermost of expressions.
Expr *outermost_expression(PlannerInfo *root, List *bounds, bool upper) {
  if (list_length(bounds) == 1) {
    return nth<Expr>(bounds, 0);
  }
  auto *outermost = makeNode(MinMaxExpr);
  outermost->minmaxtype = UUIDOID;
  outermost->op = upper ? IS_GREATEST : IS_LEAST;
  outermost->args = bounds;
  outermost->location = -1;
  return as_expr(eval_const_expressions(root, as_node(outermost)));
}

// Returns the comparison with the outermost of the bounds that all alternatives give a key; null if
// one of them gives none, or if there are too many.
Expr *outermost_bound(const QueryLevel &level, const List *alternatives, const Var *id,
                      bool upper) {
  PlannerInfo *root = level.root;
  List *constants = NIL;
  List *bounds = NIL;
  for (const Node *alternative : each(alternatives)) {
    CHECK_FOR_INTERRUPTS();
    Expr *bound = bound_among(level, alternative, id, upper);
    if (bound == nullptr) {
      return nullptr;
    }
    List **list = IsA(bound, Const) ? &constants : &bounds;
    *list = list_append_unique(*list, bound);
  }
  if (constants != NIL) {
    bounds = lappend(bounds, outermost_expression(root, constants, upper));
  }
  if (list_length(bounds) > kMaxBounds || is_range_unknown(root, bounds)) {
    return nullptr;
  }
  return compare_ids(as_node(id), upper ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber,
                     copy_of(outermost_expression(root, bounds, upper)));
}

// Returns the bounds that all alternatives imply for a key, as calls of uuid_condition(): pages of
// `c < t OR (c = t AND id < i)` begin there.
List *common_bounds(const QueryLevel &level, const List *alternatives) {
  List *conditions = NIL;
  // PostgreSQL compares each of them with each where an index has the bounds, too.
  if (list_length(alternatives) > kMaxCommon) {
    return NIL;
  }
  List *done = NIL;
  for (const Node *clause : each(make_ands_implicit(nth<Expr>(alternatives, 0)))) {
    const Var *id = id_of(level, nth(args_of(clause), 0));
    if (id == nullptr || list_member(done, id)) {
      continue;
    }
    done = lappend(done, const_cast<Var *>(id));
    List *bounds = NIL;
    for (const bool upper : {false, true}) {
      if (Expr *bound = outermost_bound(level, alternatives, id, upper)) {
        bounds = lappend(bounds, bound);
      }
    }
    if (bounds != NIL) {
      conditions = lappend(
          conditions, condition_call(level.functions, as_node(id), make_ands_explicit(bounds)));
    }
  }
  return conditions;
}

// Returns the elements of an array that are known, without NULL; NIL if there are none, or too many
// in all arrays of the query level, as each alternative must be planned, for each partition.
List *elements_of(QueryLevel *level, const KeyTable &table, const Node *array) {
  List *elements = NIL;
  const Const *constant = constant_of(array);
  if (const auto *written = as<ArrayExpr>(array)) {
    elements = written->multidims ? NIL : written->elements;
  } else if (constant != nullptr) {
    elements = known_elements(DatumGetArrayTypeP(constant->constvalue));
  }
  const int most = std::min(kMaxAlternatives, kMaxInPartitions / table.parts);
  if (level->alternatives + list_length(elements) > most) {
    return NIL;
  }
  level->alternatives += list_length(elements);
  return elements;
}

// True if the server may prune the default partition of one of the query's tables wrongly: before
// the minor releases of November 2026, for an OR of comparisons beside IS NOT NULL.
bool prunes_wrongly(const QueryLevel &level) {
  if (has_minor(20, 16, 12, 6)) {
    return false;
  }
  for (const auto *table : each<KeyTable>(level.tables)) {
    if (table->rte->relkind == RELKIND_PARTITIONED_TABLE) {
      return true;
    }
  }
  return false;
}

// True if too many alternatives of an OR are not constant. PostgreSQL copies all of them to each
// partition, as only constants prune while a query is planned, and cannot be canceled meanwhile.
bool is_too_large(const QueryLevel &level, const List *alternatives) {
  constexpr int kMostInPartitions = 5'000;
  int copied = 0;
  for (Node *alternative : each(alternatives)) {
    copied += contain_mutable_functions(alternative) ? 1 : 0;
  }
  int parts = 1;
  for (const auto *table : each<KeyTable>(level.tables)) {
    parts = std::max(parts, table->parts);
  }
  return copied > kMostInPartitions / parts;
}

// True if uuid_time_bound() takes an array.
bool is_time_array(Oid type) {
  return type == DATEARRAYOID || type == TIMESTAMPARRAYOID || type == TIMESTAMPTZARRAYOID;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool add_or(RewrittenAnd *rewriting, Node *clause) {
  if (!is_orclause(clause)) {
    return false;
  }
  QueryLevel *level = rewriting->level;
  List *alternatives = NIL;
  bool changed = false;
  for (Node *alternative : each(as<BoolExpr>(clause)->args)) {
    RewrittenAnd arm{level, make_ands_implicit(as_expr(alternative)), false, true};
    changed = rewrite_and(&arm) || changed;
    alternatives = lappend(alternatives, make_ands_explicit(arm.to));
  }
  if (!changed || prunes_wrongly(*level) || is_too_large(*level, alternatives)) {
    return false;
  }
  add_clauses(rewriting, make_orclause(alternatives));
  if (level->root->parse->sortClause != NIL) {
    rewriting->to = list_concat(rewriting->to, common_bounds(*level, alternatives));
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool add_array(RewrittenAnd *rewriting, Node *clause) {
  const auto *any = as<ScalarArrayOpExpr>(clause);
  Node *array = any != nullptr ? nth(any->args, 1) : nullptr;
  const Oid type = any != nullptr ? get_element_type(exprType(array)) : InvalidOid;
  TimeComparison read;
  if (!OidIsValid(type) || !any->useOr ||
      !read_comparison(rewriting->level, rewriting->tested, any->opno, nth(any->args, 0),
                       as_node(makeNullConst(type, -1, any->inputcollid)), &read)) {
    return false;
  }
  List *alternatives = NIL;
  const bool equality = read.strategy == BTEqualStrategyNumber;
  for (Node *element :
       each(equality ? elements_of(rewriting->level, *read.time.table, array) : NIL)) {
    Expr *alternative = make_opclause(any->opno, BOOLOID, false, as_expr(nth(any->args, 0)),
                                      as_expr(element), InvalidOid, any->inputcollid);
    as<OpExpr>(alternative)->opfuncid = any->opfuncid;
    // The last first: of lists in ascending order, most rows then fail at the first bound of each.
    alternatives = lcons(alternative, alternatives);
  }
  if (alternatives != NIL) {
    return list_length(alternatives) == 1 ? add_comparison(rewriting, nth(alternatives, 0))
                                          : add_or(rewriting, as_node(make_orclause(alternatives)));
  }
  read.value = as_expr(array);
  read.is_implied = true;
  if (read.strategy == 0 || !is_time_array(exprType(array)) ||
      !is_operand(*rewriting->level, *read.time.table, array) || may_fail(array)) {
    return false;
  }
  add_read(rewriting, clause, read, must_keep(read, true));
  return true;
}

}  // namespace uuidx
