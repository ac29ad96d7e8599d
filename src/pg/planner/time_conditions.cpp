#include "pg/planner/time_conditions.hpp"

#include "pg/compat.hpp"
#include "pg/planner/columns.hpp"
#include "pg/planner/functions.hpp"
#include "pg/planner/time_clauses.hpp"
#include "pg/planner/time_comparison.hpp"
#include "pg/planner/time_range_support.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if an expression is a column of type uuid, or a function of one.
bool concerns_id(const KeyTable *table, Node *node) {
  const List *args = IsA(node, FuncExpr) ? args_of(node) : NIL;
  return id_of(table, node) != nullptr ||
         (list_length(args) == 1 && id_of(table, static_cast<Node *>(linitial(args))) != nullptr);
}

// True if one of some expressions is.
bool concern_id(const KeyTable *table, const List *nodes) {
  for (int i = 0; i < list_length(nodes); ++i) {
    if (concerns_id(table, static_cast<Node *>(list_nth(nodes, i)))) {
      return true;
    }
  }
  return false;
}

// True if a clause may be one on the time of a key: decides quickly for the clauses of all queries.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool is_candidate(const KeyTable *table, Node *clause) {
  if (IsA(clause, RowCompareExpr)) {
    const auto *rows = reinterpret_cast<const RowCompareExpr *>(clause);
    return concern_id(table, rows->largs) || concern_id(table, rows->rargs);
  }
  if (IsA(clause, NullTest)) {
    return concerns_id(table, reinterpret_cast<Node *>(reinterpret_cast<NullTest *>(clause)->arg));
  }
  if (!IsA(clause, BoolExpr)) {
    return concern_id(table, args_of(clause));
  }
  const List *args = reinterpret_cast<BoolExpr *>(clause)->args;
  for (int i = 0; i < list_length(args); ++i) {
    if (is_candidate(table, static_cast<Node *>(list_nth(args, i)))) {
      return true;
    }
  }
  return false;
}

// The clauses of one AND on their way.
struct Rewriting {
  KeyTable *table = nullptr;
  List *from = NIL;
  List *to = NIL;
  List *comparisons = NIL;  // of Comparison
  bool changed = false;
};

// Adds a clause.
void add(Rewriting *rewriting, Expr *clause) {
  rewriting->to = lappend(rewriting->to, clause);
  rewriting->changed = true;
}

// Adds the clauses of a simplified condition.
void add_simplified(Rewriting *rewriting, Node *condition) {
  rewriting->to =
      list_concat(rewriting->to, make_ands_implicit(reinterpret_cast<Expr *>(condition)));
  rewriting->changed = true;
}

// True if a query need not test the version of a column: the table proves it, and no partial index
// wants the test.
bool needs_no_test(KeyTable *table, const Var *id) {
  if (proof_of(table, id->varattno) != Proof::all_v7) {
    return false;
  }
  examine(table);
  return !has_column(table->predicates, id->varattno);
}

// Adds uuid_is_v7(id) if it is needed, be it a second time.
void add_version_test(Rewriting *rewriting, const Var *id) {
  if (!needs_no_test(rewriting->table, id)) {
    add(rewriting, version_test(reinterpret_cast<Node *>(const_cast<Var *>(id))));
  }
}

// Adds what `time <@ range` or `range @> time` means for the key; returns false if a clause is
// neither.
bool add_range(Rewriting *rewriting, Node *clause) {
  const auto *op = reinterpret_cast<const OpExpr *>(clause);
  if (!IsA(clause, OpExpr) || list_length(op->args) != 2) {
    return false;
  }
  const bool first =
      op->opno == OID_RANGE_ELEM_CONTAINED_OP || op->opno == OID_MULTIRANGE_ELEM_CONTAINED_OP;
  if (!first && op->opno != OID_RANGE_CONTAINS_ELEM_OP &&
      op->opno != OID_MULTIRANGE_CONTAINS_ELEM_OP) {
    return false;
  }
  auto *time = static_cast<Node *>(first ? linitial(op->args) : lsecond(op->args));
  auto *range = static_cast<Node *>(first ? lsecond(op->args) : linitial(op->args));
  const Oid type = exprType(range);
  const Var *id = time_column(rewriting->table, time, rewriting->from);
  if (id == nullptr || (type != TSTZRANGEOID && type != TSTZMULTIRANGEOID) ||
      !is_operand(rewriting->table, range)) {
    return false;
  }
  const Oid function = find_function("uuid_in_time_range",
                                     type == TSTZRANGEOID ? "uuidx_in_time_range_tstzrange"
                                                          : "uuidx_in_time_range_tstzmultirange");
  Expr *call = call_function(function, BOOLOID, list_make2(copy_of(id), copy_of(range)));
  add_simplified(rewriting,
                 eval_const_expressions(rewriting->table->root, reinterpret_cast<Node *>(call)));
  add_version_test(rewriting, id);
  return true;
}

// Adds what `time IS [NOT] NULL` means for the key; returns false if a clause is neither.
bool add_null_test(Rewriting *rewriting, Node *clause) {
  const auto *test = reinterpret_cast<const NullTest *>(clause);
  if (!IsA(clause, NullTest) || test->argisrow) {
    return false;
  }
  const Var *id =
      time_column(rewriting->table, reinterpret_cast<Node *>(test->arg), rewriting->from);
  if (id == nullptr) {
    return false;
  }
  // Not on a partitioned table: for `id IS NOT NULL AND (id < 5 OR id < 15)`, PostgreSQL 15
  // prunes a default partition that has such rows.
  if (proof_of(rewriting->table, id->varattno) == Proof::all_v7 &&
      !prefers_comparisons(rewriting->table->entry)) {
    NullTest *same = copy_of(test);
    same->arg = copy_of_expr(id);
    add(rewriting, reinterpret_cast<Expr *>(same));
    return true;
  }
  if (test->nulltesttype == IS_NULL) {
    return false;
  }
  add(rewriting, version_test(reinterpret_cast<Node *>(const_cast<Var *>(id))));
  return true;
}

// Adds an OR with its alternatives rewritten; returns false if a clause is none, or they stay.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool add_or(Rewriting *rewriting, Node *clause) {
  // The planner adds `id IS NOT NULL` for min(id) and max(id).
  if (!is_orclause(clause) ||
      (kPrunesByOr && rewriting->table->entry->relkind == RELKIND_PARTITIONED_TABLE)) {
    return false;
  }
  const List *alternatives = reinterpret_cast<BoolExpr *>(clause)->args;
  List *rewritten = NIL;
  bool changed = false;
  for (int i = 0; i < list_length(alternatives); ++i) {
    List *clauses = make_ands_implicit(static_cast<Expr *>(list_nth(alternatives, i)));
    List *result = rewrite_clauses(rewriting->table, clauses);
    changed = changed || result != clauses;
    rewritten = lappend(rewritten, make_ands_explicit(result));
  }
  if (!changed) {
    return false;
  }
  // Moves what all alternatives have in common, such as the test of the version, out of the OR.
  Node *simple = eval_const_expressions(rewriting->table->root,
                                        reinterpret_cast<Node *>(make_orclause(rewritten)));
  simple = reinterpret_cast<Node *>(canonicalize_qual(reinterpret_cast<Expr *>(simple), false));
  add_simplified(rewriting, simple);
  return true;
}

// Keeps a comparison until all clauses are read.
void keep(Rewriting *rewriting, const Comparison &comparison) {
  auto *kept = static_cast<Comparison *>(palloc(sizeof(Comparison)));
  *kept = comparison;
  rewriting->comparisons = lappend(rewriting->comparisons, kept);
}

// Adds a clause that is no comparison, or what it becomes.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
void add_other(Rewriting *rewriting, Node *clause) {
  Comparison implied;
  if (read_rows(rewriting->table, rewriting->from, clause, &implied)) {
    keep(rewriting, implied);
  }
  if (!add_range(rewriting, clause) && !add_null_test(rewriting, clause) &&
      !add_or(rewriting, clause)) {
    rewriting->to = lappend(rewriting->to, clause);
  }
}

// The comparisons of a column that become one call of uuid_between_times(), which has a better
// estimate than each by itself.
struct Range {
  const Comparison *lower = nullptr;
  const Comparison *upper = nullptr;
};

// Adds the call for a range and empties it.
void add_call(Rewriting *rewriting, Range *range) {
  const Comparison *any = range->lower != nullptr ? range->lower : range->upper;
  if (any == nullptr) {
    return;
  }
  const Comparison *lower = range->lower;
  const Comparison *upper = range->upper;
  const bool excludes_lower = lower != nullptr && lower->strategy == BTGreaterStrategyNumber;
  const bool excludes_upper = upper == nullptr || upper->strategy == BTLessStrategyNumber;
  const char bounds[] = {excludes_lower ? '(' : '[', excludes_upper ? ')' : ']', '\0'};
  Expr *from = lower != nullptr ? lower->time : constant_time(DT_NOBEGIN);
  Expr *to = upper != nullptr ? upper->time : constant_time(DT_NOEND);
  Expr *text = reinterpret_cast<Expr *>(
      makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(bounds), false, false));
  const Oid function = find_function("uuid_between_times", "uuidx_between_times");
  Expr *call = call_function(function, BOOLOID,
                             list_make4(copy_of(any->id), copy_of(from), copy_of(to), text));
  add_simplified(rewriting,
                 eval_const_expressions(rewriting->table->root, reinterpret_cast<Node *>(call)));
  *range = {};
}

// Adds a comparison to a range, in whose place the range begins anew if it has one.
void add_to_range(Rewriting *rewriting, Range *range, const Comparison *comparison) {
  const bool lower = comparison->strategy >= BTEqualStrategyNumber;
  const bool upper = comparison->strategy <= BTEqualStrategyNumber;
  if ((lower && range->lower != nullptr) || (upper && range->upper != nullptr)) {
    add_call(rewriting, range);
  }
  range->lower = lower ? comparison : range->lower;
  range->upper = upper ? comparison : range->upper;
}

// True if a time is infinite, which as a bound of the id is nil or max.
bool is_infinite(const Expr *time) {
  const auto *constant = reinterpret_cast<const Const *>(time);
  return IsA(time, Const) && TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(constant->constvalue));
}

// Adds a comparison as comparisons of the id. One with nil or max as the bound has a simpler form
// if the id is of version 7.
void add_comparison(Rewriting *rewriting, const Comparison *comparison, bool v7) {
  if (comparison->origin == Origin::id && !(v7 && is_infinite(comparison->time))) {
    rewriting->to = lappend(rewriting->to, comparison->clause);
    return;
  }
  Node *id = reinterpret_cast<Node *>(const_cast<Var *>(comparison->id));
  rewriting->to = list_concat(
      rewriting->to,
      compare_with_time(rewriting->table->root, id, comparison->strategy, comparison->time));
  rewriting->changed = true;
}

// True if all rows for which the other clauses hold have a version 7 UUID or NULL in a column.
bool is_known_v7(const Rewriting &rewriting, const Var *id) {
  return tests_version(rewriting.from, id) || tests_version(rewriting.to, id) ||
         proof_of(rewriting.table, id->varattno) == Proof::all_v7;
}

// True if comparisons of a column with version 7 UUIDs should become calls, whose estimate counts
// only these, unless the planner can do more with comparisons, among them to prove the predicate of
// a partial index.
bool prefers_calls(KeyTable *table, const Var *id) {
  if (prefers_comparisons(table->entry)) {
    return false;
  }
  examine(table);
  return !has_column(table->other_predicates, id->varattno);
}

// Adds the comparisons of a column.
void add_comparisons_of(Rewriting *rewriting, const Var *id) {
  for (int i = 0; i < list_length(rewriting->comparisons); ++i) {
    const auto *next = static_cast<const Comparison *>(list_nth(rewriting->comparisons, i));
    if (next->origin == Origin::time && equal(next->id, id)) {
      add_version_test(rewriting, id);
    }
  }
  const bool v7 = is_known_v7(*rewriting, id);
  const bool calls = v7 && prefers_calls(rewriting->table, id);
  Range range;
  for (int i = 0; i < list_length(rewriting->comparisons); ++i) {
    const auto *next = static_cast<const Comparison *>(list_nth(rewriting->comparisons, i));
    if (!equal(next->id, id)) {
      continue;
    }
    // With a column of another table, each comparison has PostgreSQL's estimate for joins.
    if (calls && !contain_var_clause(reinterpret_cast<Node *>(next->time))) {
      add_to_range(rewriting, &range, next);
    } else {
      add_comparison(rewriting, next, v7);
    }
  }
  add_call(rewriting, &range);
}

// Adds all comparisons, one column after the other.
void add_comparisons(Rewriting *rewriting) {
  for (int i = 0; i < list_length(rewriting->comparisons); ++i) {
    const auto *next = static_cast<const Comparison *>(list_nth(rewriting->comparisons, i));
    bool seen = false;
    for (int k = 0; k < i && !seen; ++k) {
      seen =
          equal(static_cast<const Comparison *>(list_nth(rewriting->comparisons, k))->id, next->id);
    }
    if (!seen) {
      add_comparisons_of(rewriting, next->id);
    }
  }
}

// Removes tests of the version that stand twice, or that a table proves and another condition on
// the column makes superfluous: the proof leaves only NULL.
void remove_version_tests(Rewriting *rewriting) {
  List *kept = NIL;
  for (int i = 0; i < list_length(rewriting->to); ++i) {
    auto *clause = static_cast<Node *>(list_nth(rewriting->to, i));
    const Var *id = tested_column(clause);
    id = id != nullptr ? id_of(rewriting->table, reinterpret_cast<const Node *>(id)) : nullptr;
    if (id != nullptr && (tests_version(kept, id) || (has_strict_clause(rewriting->to, id) &&
                                                      needs_no_test(rewriting->table, id)))) {
      rewriting->changed = true;
      continue;
    }
    kept = lappend(kept, clause);
  }
  rewriting->to = kept;
}

// Returns clauses joined by AND without constants, or just false.
List *fold(List *clauses) {
  List *folded = NIL;
  for (int i = 0; i < list_length(clauses); ++i) {
    auto *clause = static_cast<Node *>(list_nth(clauses, i));
    if (!IsA(clause, Const)) {
      folded = lappend(folded, clause);
      continue;
    }
    const auto *constant = reinterpret_cast<const Const *>(clause);
    if (constant->constisnull || !DatumGetBool(constant->constvalue)) {
      return list_make1(makeBoolConst(false, false));
    }
  }
  return folded;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
List *rewrite_clauses(KeyTable *table, List *clauses) {
  bool any = false;
  for (int i = 0; i < list_length(clauses) && !any; ++i) {
    any = is_candidate(table, static_cast<Node *>(list_nth(clauses, i)));
  }
  if (!any) {
    return clauses;
  }
  Rewriting rewriting{table, clauses, NIL, NIL, false};
  for (int i = 0; i < list_length(clauses); ++i) {
    auto *clause = static_cast<Node *>(list_nth(clauses, i));
    Comparison read;
    if (read_comparison(table, clauses, clause, &read)) {
      keep(&rewriting, read);
    } else {
      add_other(&rewriting, clause);
    }
  }
  add_comparisons(&rewriting);
  remove_version_tests(&rewriting);
  return rewriting.changed ? fold(rewriting.to) : clauses;
}

}  // namespace uuidx
