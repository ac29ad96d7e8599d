#include "pg/planner/version_selectivity.hpp"

#include <algorithm>

#include "core/time_range.hpp"
#include "core/v7.hpp"
#include "pg/planner/columns.hpp"
#include "pg/planner/selectivity.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns the share of version 7 UUIDs among `count` values of a column; 1 if there are none.
double share_of_v7(const Datum *values, int count) {
  const auto found =
      std::count_if(values, values + count, [](Datum v) { return is_v7(get_uuid(v)); });
  return count > 0 ? static_cast<double>(found) / count : 1;
}

// Returns the share of a column's rows that are of version 7, by its statistics: those of the
// common values, and as many of the others as among the histogram's bounds, which are evenly spread
// over the rows.
double share_of_column(const VariableStatData &variable) {
  const auto *form = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(variable.statsTuple));
  double others = 1 - form->stanullfrac;
  double share = 0;
  AttStatsSlot slot;
  if (get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    for (int i = 0; i < std::min(slot.nvalues, slot.nnumbers); ++i) {
      others -= slot.numbers[i];
      share += is_v7(get_uuid(slot.values[i])) ? slot.numbers[i] : 0;
    }
    free_attstatsslot(&slot);
  }
  get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                   ATTSTATSSLOT_VALUES);
  share += std::max(others, 0.0) * share_of_v7(slot.values, slot.nvalues);
  free_attstatsslot(&slot);
  return std::clamp(share, 0.0, 1.0);
}

// True if an expression is a column.
bool is_column(Node *node, const Var *column) {
  const Var *other = column_of(node);
  return other != nullptr && other->varno == column->varno && other->varattno == column->varattno;
}

// True if a clause is a call of uuid_in_time_range() on a column.
bool is_time_range(const Node *clause, const Var *id) {
  const auto *call = reinterpret_cast<const FuncExpr *>(clause);
  return IsA(clause, FuncExpr) && list_length(call->args) > 1 &&
         is_column(static_cast<Node *>(linitial(call->args)), id);
}

// True if a clause is one or, below AND, OR and NOT, contains one.
bool has_time_range(Node *clause, const Var *id) {
  List *clauses = list_make1(clause);
  for (int i = 0; i < list_length(clauses); ++i) {
    auto *next = static_cast<Node *>(list_nth(clauses, i));
    if (is_time_range(next, id)) {
      return true;
    }
    if (IsA(next, BoolExpr)) {
      clauses = list_concat(clauses, reinterpret_cast<BoolExpr *>(next)->args);
    }
  }
  return false;
}

// Returns the clause of a condition.
Node *clause_of(const List *conditions, int i) {
  auto *node = static_cast<Node *>(list_nth(conditions, i));
  return IsA(node, RestrictInfo)
             ? reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(node)->clause)
             : node;
}

// True if any of the conditions contains one.
bool have_time_range(const List *conditions, const Var *id) {
  for (int i = 0; i < list_length(conditions); ++i) {
    if (has_time_range(clause_of(conditions, i), id)) {
      return true;
    }
  }
  return false;
}

// Returns the arguments of the first test of a column's version among some conditions; null if
// there is none.
const List *first_test(const List *conditions, Oid function, const Var *id) {
  for (int i = 0; i < list_length(conditions); ++i) {
    const auto *call = reinterpret_cast<const FuncExpr *>(clause_of(conditions, i));
    if (IsA(call, FuncExpr) && call->funcid == function &&
        is_column(static_cast<Node *>(linitial(call->args)), id)) {
      return call->args;
    }
  }
  return nullptr;
}

// True if one of the conditions is the test with these arguments, which are not just equal.
bool have_test(const List *conditions, const List *args) {
  for (int i = 0; i < list_length(conditions); ++i) {
    if (args_of(clause_of(conditions, i)) == args) {
      return true;
    }
  }
  return false;
}

// Returns the conditions that are joined by AND with the test, one of them, in a condition that
// joins several such lists by OR; NIL if there is none.
List *alternative_of_test(const List *conditions, const List *args) {
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(conditions, i);
    const List *alternatives =
        is_orclause(clause) ? reinterpret_cast<BoolExpr *>(clause)->args : NIL;
    for (int k = 0; k < list_length(alternatives); ++k) {
      List *alternative = make_ands_implicit(static_cast<Expr *>(list_nth(alternatives, k)));
      if (have_test(alternative, args)) {
        return alternative;
      }
    }
  }
  return NIL;
}

// Narrows a UUID range by a clause; returns false if it does not compare the column with a
// constant.
bool narrow(PlannerInfo *root, const Node *clause, const Var *id, UuidRange *range) {
  const auto *op = reinterpret_cast<const OpExpr *>(clause);
  if (!IsA(clause, OpExpr) || list_length(op->args) != 2) {
    return false;
  }
  const bool id_first = is_column(static_cast<Node *>(linitial(op->args)), id);
  auto *other = static_cast<Node *>(id_first ? lsecond(op->args) : linitial(op->args));
  if (!id_first && !is_column(static_cast<Node *>(lsecond(op->args)), id)) {
    return false;
  }
  const Oid family = lookup_type_cache(UUIDOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const int strategy =
      get_op_opfamily_strategy(id_first ? op->opno : get_commutator(op->opno), family);
  if (strategy == 0) {
    return false;
  }
  const auto *value = reinterpret_cast<const Const *>(estimate_expression_value(root, other));
  if (!IsA(value, Const) || value->constisnull || getBaseType(value->consttype) != UUIDOID) {
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

// Returns the share of version 7 among the rows that other conditions on the column leave,
// comparisons with constants: that of all rows is no guide, as most keys of version 4 are above
// every time, and few are in a short range.
double share_beside_comparisons(SupportRequestSelectivity *request, VariableStatData *variable,
                                const List *conditions, double share) {
  const auto *id = reinterpret_cast<const Var *>(variable->var);
  UuidRange range;
  List *comparisons = NIL;
  for (int i = 0; i < list_length(conditions); ++i) {
    if (narrow(request->root, clause_of(conditions, i), id, &range)) {
      comparisons = lappend(comparisons, list_nth(conditions, i));
    }
  }
  const double compared = clauselist_selectivity(request->root, comparisons, request->varRelid,
                                                 request->jointype, request->sjinfo);
  double left = 0;
  return compared > 0 && estimate_range(request->root, variable, range, request->funcid, &left)
             ? std::min(left / compared, 1.0)
             : share;
}

// Returns the share of version 7 among the rows that other conditions leave. The estimate of a time
// range beside the test includes no other version. Each comparison with a time comes with a test,
// and PostgreSQL multiplies the estimates, so all but the first of equal tests have 1.
double share_beside_others(SupportRequestSelectivity *request, VariableStatData *variable) {
  const List *conditions = NIL;
  if (IsA(variable->var, Var) && IS_SIMPLE_REL(variable->rel)) {
    const auto *id = reinterpret_cast<const Var *>(variable->var);
    conditions = variable->rel->baserestrictinfo;
    if (have_time_range(conditions, id) || have_time_range(variable->rel->joininfo, id)) {
      return 1;
    }
    // The test may be none of the table's conditions, as that of a partial index.
    const bool own = have_test(conditions, request->args);
    const List *nearest = own ? NIL : alternative_of_test(conditions, request->args);
    conditions = list_concat_copy(conditions, nearest);
    if ((own || nearest != NIL) && first_test(conditions, request->funcid, id) != request->args) {
      return 1;
    }
  }
  if (!HeapTupleIsValid(variable->statsTuple) ||
      !statistic_proc_security_check(variable, request->funcid)) {
    return 1;
  }
  const double share = share_of_column(*variable);
  return share < 1 && conditions != NIL
             ? share_beside_comparisons(request, variable, conditions, share)
             : share;
}

}  // namespace

// The type is checked, as a superuser may attach the support function to another function.
void estimate_version(SupportRequestSelectivity *request) {
  VariableStatData variable;
  request->selectivity = 1;
  if (list_length(request->args) != 1) {
    return;
  }
  examine_variable(request->root, static_cast<Node *>(linitial(request->args)), request->varRelid,
                   &variable);
  if (variable.rel != nullptr && getBaseType(variable.vartype) == UUIDOID) {
    request->selectivity = share_beside_others(request, &variable);
  }
  ReleaseVariableStats(variable);
}

}  // namespace uuidx
