// Planner support for uuid_is_v7(): its row estimate.
#include <algorithm>

#include "core/v7.hpp"
#include "pg/planner/columns.hpp"
#include "pg/planner/selectivity.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns the share of version 7 UUIDs among `count` values of a column; 1 if there are none.
double share_of_values(const Datum *values, int count) {
  const auto found =
      std::count_if(values, values + count, [](Datum v) { return is_v7(get_uuid(v)); });
  return count > 0 ? static_cast<double>(found) / count : 1;
}

// Returns the share of a column's rows that are of version 7, by its statistics: those of the
// common values, and as many of the others as among the histogram's bounds, which are evenly spread
// over the rows. Without statistics, all are taken for version 7.
double share_of_column(const SupportRequestSelectivity *request, VariableStatData *variable) {
  if (!HeapTupleIsValid(variable->statsTuple) ||
      !statistic_proc_security_check(variable, request->funcid)) {
    return 1;
  }
  const auto *form = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(variable->statsTuple));
  double others = 1 - form->stanullfrac;
  double share = 0;
  AttStatsSlot slot;
  if (get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    for (int i = 0; i < std::min(slot.nvalues, slot.nnumbers); ++i) {
      others -= slot.numbers[i];
      share += is_v7(get_uuid(slot.values[i])) ? slot.numbers[i] : 0;
    }
    free_attstatsslot(&slot);
  }
  get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                   ATTSTATSSLOT_VALUES);
  share += std::max(others, 0.0) * share_of_values(slot.values, slot.nvalues);
  free_attstatsslot(&slot);
  return std::clamp(share, 0.0, 1.0);
}

// True if an expression is a column.
bool is_column(Node *node, const Var *column) {
  const Var *other = column_of(node);
  return other != nullptr && other->varno == column->varno && other->varattno == column->varattno;
}

// Returns the clause of a condition.
Node *clause_of(const List *conditions, int i) {
  auto *node = static_cast<Node *>(list_nth(conditions, i));
  return IsA(node, RestrictInfo)
             ? reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(node)->clause)
             : node;
}

// True if a clause, or one below AND, OR and NOT, tests whether a column is in a time range.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool tests_time_range(Node *clause, const Var *id) {
  if (IsA(clause, BoolExpr)) {
    const List *args = reinterpret_cast<BoolExpr *>(clause)->args;
    for (int i = 0; i < list_length(args); ++i) {
      if (tests_time_range(static_cast<Node *>(list_nth(args, i)), id)) {
        return true;
      }
    }
    return false;
  }
  const List *args = args_of(clause);
  if (list_length(args) != 2) {
    return false;
  }
  auto *first = static_cast<Node *>(linitial(args));
  auto *second = static_cast<Node *>(lsecond(args));
  const Oid type = getBaseType(exprType(is_column(first, id) ? second : first));
  return (is_column(first, id) || is_column(second, id)) &&
         (type == TSTZRANGEOID || type == TSTZMULTIRANGEOID);
}

// True if a clause is a call of a function on a column.
bool is_call_on(Node *clause, Oid function, const Var *id) {
  const auto *call = reinterpret_cast<const FuncExpr *>(clause);
  return IsA(clause, FuncExpr) && call->funcid == function &&
         is_column(static_cast<Node *>(linitial(call->args)), id);
}

// Returns the list of conditions joined by AND, these or one of those joined by OR in them, that
// has the test with these arguments, which are not just equal; NIL if none has it.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
const List *list_with_test(const List *conditions, const List *args) {
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(conditions, i);
    if (args_of(clause) == args) {
      return conditions;
    }
    const List *arms = IsA(clause, BoolExpr) ? reinterpret_cast<BoolExpr *>(clause)->args : NIL;
    for (int k = 0; k < list_length(arms); ++k) {
      List *arm = make_ands_implicit(static_cast<Expr *>(list_nth(arms, k)));
      if (const List *found = list_with_test(arm, args); found != NIL) {
        return found;
      }
    }
  }
  return NIL;
}

// Restricts a UUID range by a comparison of the column with a constant; returns false if a clause
// is none.
bool restrict_range(PlannerInfo *root, const Node *clause, const Var *id, UuidRange *range) {
  const auto *op = reinterpret_cast<const OpExpr *>(clause);
  if (!IsA(clause, OpExpr) || list_length(op->args) != 2) {
    return false;
  }
  const bool id_first = is_column(static_cast<Node *>(linitial(op->args)), id);
  const Oid family = lookup_type_cache(UUIDOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const int strategy =
      get_op_opfamily_strategy(id_first ? op->opno : get_commutator(op->opno), family);
  if (strategy == 0 || !(id_first || is_column(static_cast<Node *>(lsecond(op->args)), id))) {
    return false;
  }
  auto *other = static_cast<Node *>(id_first ? lsecond(op->args) : linitial(op->args));
  const auto *value = reinterpret_cast<const Const *>(estimate_expression_value(root, other));
  if (!IsA(value, Const) || value->constisnull) {
    return false;
  }
  const Uuid bound = get_uuid(value->constvalue);
  // Whether a bound itself is in the range makes no difference to an estimate.
  if (strategy >= BTEqualStrategyNumber) {
    range->lowest = std::max(range->lowest, bound);
  }
  if (strategy <= BTEqualStrategyNumber) {
    range->highest = std::min(range->highest, bound);
  }
  return true;
}

// Returns the share of version 7 among the rows that comparisons with constants leave. That of all
// rows is no guide, as most keys of version 4 are above every time, and few are in a short range.
double share_in_range(SupportRequestSelectivity *request, VariableStatData *variable,
                      List *comparisons, UuidRange range) {
  const double width[] = {0, distance(range.lowest, std::max(range.lowest, range.highest))};
  const UuidRanges ranges{&range, width, range.empty() ? 0U : 1U};
  const double compared = clauselist_selectivity(request->root, comparisons, request->varRelid,
                                                 request->jointype, request->sjinfo);
  double share = 0;
  return compared > 0 && estimate_ranges(request->root, variable, ranges, request->funcid, &share)
             ? std::min(share / compared, 1.0)
             : 1;
}

// Returns the share of version 7 among the rows that the comparisons with constants in some
// conditions leave; that of all rows if there are none. Each comparison with a time comes with a
// test, and PostgreSQL multiplies the estimates, so all but the first of equal tests have 1.
double share_beside(SupportRequestSelectivity *request, VariableStatData *variable,
                    const List *conditions, const Var *id) {
  bool is_first = true;
  UuidRange range;
  List *comparisons = NIL;
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(conditions, i);
    if (is_call_on(clause, request->funcid, id) && is_first) {
      is_first = false;
      if (args_of(clause) != request->args && list_with_test(conditions, request->args) != NIL) {
        return 1;
      }
    } else if (restrict_range(request->root, clause, id, &range)) {
      comparisons = lappend(comparisons, list_nth(conditions, i));
    }
  }
  return comparisons != NIL ? share_in_range(request, variable, comparisons, range)
                            : share_of_column(request, variable);
}

// True if one of the conditions tests whether a column is in a time range.
bool any_tests_time_range(const List *conditions, const Var *id) {
  for (int i = 0; i < list_length(conditions); ++i) {
    if (tests_time_range(clause_of(conditions, i), id)) {
      return true;
    }
  }
  return false;
}

// Returns the share of version 7 among the rows that the other conditions leave. The estimate of a
// time range includes no other version. The test may be none of the table's conditions, as that of
// a partial index.
double share_of_v7(SupportRequestSelectivity *request, VariableStatData *variable) {
  if (!IsA(variable->var, Var) || !IS_SIMPLE_REL(variable->rel)) {
    return share_of_column(request, variable);
  }
  const auto *id = reinterpret_cast<const Var *>(variable->var);
  const List *conditions = variable->rel->baserestrictinfo;
  if (any_tests_time_range(conditions, id) || any_tests_time_range(variable->rel->joininfo, id)) {
    return 1;
  }
  const List *own = list_with_test(conditions, request->args);
  return share_beside(request, variable, own != NIL ? own : conditions, id);
}

}  // namespace

// uuid_is_v7_support(internal), the support function of uuid_is_v7(): estimates its rows. Returns
// null, as the planner expects, if it cannot serve the request. The type is checked, as a superuser
// may attach the support function to another function.
UUIDX_FUNCTION(uuidx_is_v7_support) {
  auto *request = reinterpret_cast<SupportRequestSelectivity *>(PG_GETARG_POINTER(0));
  if (!IsA(request, SupportRequestSelectivity)) {
    PG_RETURN_POINTER(nullptr);
  }
  request->selectivity = 1;
  if (list_length(request->args) == 1) {
    VariableStatData variable;
    examine_variable(request->root, static_cast<Node *>(linitial(request->args)), request->varRelid,
                     &variable);
    if (variable.rel != nullptr && getBaseType(variable.vartype) == UUIDOID) {
      request->selectivity = share_of_v7(request, &variable);
    }
    ReleaseVariableStats(variable);
  }
  PG_RETURN_POINTER(request);
}

}  // namespace uuidx
