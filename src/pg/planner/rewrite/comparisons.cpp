#include "pg/planner/rewrite/comparisons.hpp"

#include "core/fields.hpp"
#include "core/v7.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/functions.hpp"
#include "pg/planner/rewrite/clauses.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the time whose bound a constant is; null if it is not a bound. Nil and max are bounds of
// times before and after all that version 7 can represent.
Expr *time_of_constant(Uuid bound, bool lowest) {
  if (bound == kNil || bound == kMax) {
    return constant_time(bound == kNil ? DT_NOBEGIN : DT_NOEND);
  }
  if (!is_v7(bound)) {
    return nullptr;
  }
  const UnixMicros time = time_of(bound).value_or(0);
  return bound == (lowest ? v7_min(time) : v7_max(time))
             ? constant_time(DatumGetTimestampTz(make_time(time)))
             : nullptr;
}

// Returns the time whose bound an expression is; null if it is not a bound.
Expr *time_of_bound(Node *bound, int strategy) {
  const bool lowest = is_lowest_bound(strategy);
  if (strategy == BTEqualStrategyNumber) {
    return nullptr;
  }
  if (IsA(bound, Const)) {
    const auto *constant = reinterpret_cast<const Const *>(bound);
    return constant->constisnull ? nullptr
                                 : time_of_constant(get_uuid(constant->constvalue), lowest);
  }
  const auto *call = reinterpret_cast<const FuncExpr *>(bound);
  return IsA(bound, FuncExpr) && list_length(call->args) == 1 &&
                 has_symbol(call->funcid, lowest ? "uuidx_v7_min" : "uuidx_v7_max")
             ? static_cast<Expr *>(linitial(call->args))
             : nullptr;
}

// Reads `left strategy right`; returns false if it does not compare a key or its time with a time.
bool read_sides(KeyTable *table, const List *clauses, Oid op, Node *left, Node *right,
                Comparison *read) {
  if (const Var *id = id_of(table, left); id != nullptr) {
    if (exprType(right) != UUIDOID) {
      return false;
    }
    read->id = id;
    read->strategy = strategy_of(op, UUIDOID);
    read->time = read->strategy == 0 ? nullptr : time_of_bound(right, read->strategy);
    read->origin = Origin::id;
    if (read->time == nullptr || !is_operand(table, reinterpret_cast<Node *>(read->time))) {
      return false;
    }
    examine(table);
    return table->has_functions;
  }
  read->id = exprType(right) == TIMESTAMPTZOID ? time_column(table, left, clauses) : nullptr;
  if (read->id == nullptr) {
    return false;
  }
  read->strategy = strategy_of(op, TIMESTAMPTZOID);
  read->time = reinterpret_cast<Expr *>(right);
  read->origin = Origin::time;
  // An equality with another table's column serves hash and merge joins.
  return read->strategy != 0 && is_operand(table, right) &&
         (read->strategy != BTEqualStrategyNumber || !contain_var_clause(right));
}

// Reads `left operator right` from either side.
bool read_either(KeyTable *table, const List *clauses, Oid op, Node *left, Node *right,
                 Comparison *read) {
  return read_sides(table, clauses, op, left, right, read) ||
         // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
         read_sides(table, clauses, get_commutator(op), right, left, read);
}

}  // namespace

const Var *id_of(const KeyTable *table, const Node *node) {
  const auto *var = reinterpret_cast<const Var *>(node);
  return IsA(node, Var) && var->varno == static_cast<int>(table->varno) && var->varlevelsup == 0 &&
                 var->varattno > 0 && var->vartype == UUIDOID
             ? var
             : nullptr;
}

const Var *time_column(KeyTable *table, Node *node, const List *clauses) {
  const auto *call = reinterpret_cast<const FuncExpr *>(node);
  if (!IsA(node, FuncExpr) || call->funcresulttype != TIMESTAMPTZOID ||
      list_length(call->args) != 1) {
    return nullptr;
  }
  const Var *id = id_of(table, static_cast<Node *>(linitial(call->args)));
  const TimeFunction function = id != nullptr ? time_function(call->funcid) : TimeFunction::none;
  if (function == TimeFunction::none) {
    return nullptr;
  }
  examine(table);
  // An index on this time would become useless, or no partition would be pruned.
  if (!table->has_functions || list_member_oid(table->indexed_functions, call->funcid)) {
    return nullptr;
  }
  return function == TimeFunction::v7 || tests_version(clauses, id) ||
                 proof_of(table, id->varattno) != Proof::none
             ? id
             : nullptr;
}

bool is_operand(const KeyTable *table, Node *time) {
  return !bms_is_member(static_cast<int>(table->varno), pull_varnos(table->root, time)) &&
         !contain_subplans(time) && !contain_volatile_functions(time);
}

bool read_comparison(KeyTable *table, const List *clauses, Node *clause, Comparison *read) {
  const auto *op = reinterpret_cast<const OpExpr *>(clause);
  if (!IsA(clause, OpExpr) || list_length(op->args) != 2) {
    return false;
  }
  read->clause = clause;
  return read_either(table, clauses, op->opno, static_cast<Node *>(linitial(op->args)),
                     static_cast<Node *>(lsecond(op->args)), read);
}

bool read_rows(KeyTable *table, const List *clauses, Node *clause, Comparison *read) {
  const auto *rows = reinterpret_cast<const RowCompareExpr *>(clause);
  if (!IsA(clause, RowCompareExpr) ||
      !read_either(table, clauses, linitial_oid(rows->opnos),
                   static_cast<Node *>(linitial(rows->largs)),
                   static_cast<Node *>(linitial(rows->rargs)), read) ||
      read->origin != Origin::time) {
    return false;
  }
  const bool less =
      read->strategy == BTLessStrategyNumber || read->strategy == BTLessEqualStrategyNumber;
  read->strategy = less ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber;
  read->origin = Origin::implied;
  return true;
}

bool tests_version(const List *clauses, const Var *id) {
  for (int i = 0; i < list_length(clauses); ++i) {
    const Var *tested = tested_column(static_cast<const Node *>(list_nth(clauses, i)));
    if (tested != nullptr && equal(tested, id)) {
      return true;
    }
  }
  return false;
}

bool has_strict_clause(const List *clauses, const Var *id) {
  for (int i = 0; i < list_length(clauses); ++i) {
    auto *clause = static_cast<Node *>(list_nth(clauses, i));
    const bool strict = IsA(clause, OpExpr) ? op_strict(reinterpret_cast<OpExpr *>(clause)->opno)
                        : IsA(clause, FuncExpr)
                            ? func_strict(reinterpret_cast<FuncExpr *>(clause)->funcid)
                            : false;
    if (strict && list_member(args_of(clause), id) && tested_column(clause) == nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace uuidx
