#include "pg/planner/rewrite/conditions.hpp"

#include "pg/compat.hpp"
#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/functions.hpp"
#include "pg/planner/rewrite/calls.hpp"
#include "pg/planner/rewrite/clauses.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if an expression has a column of the table that may be a key: decides quickly for the
// clauses of all queries.
bool has_id(Node *node, void *table) {
  return node != nullptr && (id_of(static_cast<const KeyTable *>(table), node) != nullptr ||
                             walk_expression(node, has_id, table));
}

// The clauses of one AND while they are rewritten.
struct Rewriting {
  KeyTable *table = nullptr;
  List *from = NIL;
  List *to = NIL;
  List *comparisons = NIL;  // of Comparison
  bool changed = false;
};

// Adds the clauses of a condition.
void add(Rewriting *rewriting, Expr *condition) {
  rewriting->to = list_concat(rewriting->to, make_ands_implicit(condition));
  rewriting->changed = true;
}

// True if a query need not test the version of a column: the table proves it, and no partial index
// needs the test to be proved usable.
bool may_drop_test(KeyTable *table, const Var *id) {
  if (proof_of(table, id->varattno) != Proof::all_v7) {
    return false;
  }
  examine(table);
  return !has_column(table->predicates, id->varattno);
}

// Adds uuid_is_v7(id) unless the table proves it. remove_version_tests() drops duplicates.
void add_version_test(Rewriting *rewriting, const Var *id) {
  if (!may_drop_test(rewriting->table, id)) {
    add(rewriting, version_test(reinterpret_cast<const Node *>(id)));
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
  List *args = list_make2(copy_of(id), copy_of(range));
  add(rewriting, simplified_call(rewriting->table->root, function, BOOLOID, args));
  add_version_test(rewriting, id);
  return true;
}

// Adds what `time IS NOT NULL` means for the key; returns false if a clause is something else. Also
// for min(time) and max(time), to which the planner adds it.
bool add_null_test(Rewriting *rewriting, Node *clause) {
  const auto *test = reinterpret_cast<const NullTest *>(clause);
  if (!IsA(clause, NullTest) || test->nulltesttype != IS_NOT_NULL) {
    return false;
  }
  const Var *id =
      time_column(rewriting->table, reinterpret_cast<Node *>(test->arg), rewriting->from);
  if (id == nullptr) {
    return false;
  }
  add(rewriting, version_test(reinterpret_cast<const Node *>(id)));
  return true;
}

// Adds an OR with its alternatives rewritten; returns false if the clause is no OR, or none of its
// alternatives changes.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool add_or(Rewriting *rewriting, Node *clause) {
  // For `id IS NOT NULL AND (id < 5 OR id < 15)`, PostgreSQL prunes a default partition that has
  // such rows: 15.18 does, 15.20 and 18.6 do not. The planner adds IS NOT NULL for min(id) and
  // max(id).
  if (!is_orclause(clause) || rewriting->table->entry->relkind == RELKIND_PARTITIONED_TABLE) {
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
  add(rewriting, canonicalize_qual(make_orclause(rewritten), false));
  return true;
}

// Keeps a comparison until all clauses are read, and adds the test of the version that a comparison
// of the time implies.
void keep(Rewriting *rewriting, const Comparison &comparison) {
  if (comparison.origin == Origin::time) {
    add_version_test(rewriting, comparison.id);
  }
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

// Adds the clauses of all comparisons, one column after the other.
void add_all_comparisons(Rewriting *rewriting) {
  while (rewriting->comparisons != NIL) {
    const Var *id = static_cast<const Comparison *>(linitial(rewriting->comparisons))->id;
    List *own = NIL;
    List *others = NIL;
    for (int i = 0; i < list_length(rewriting->comparisons); ++i) {
      auto *next = static_cast<Comparison *>(list_nth(rewriting->comparisons, i));
      List **column = equal(next->id, id) ? &own : &others;
      *column = lappend(*column, next);
    }
    // All rows for which the other clauses hold have a version 7 UUID in the column, or NULL.
    const bool v7 = tests_version(rewriting->to, id) ||
                    proof_of(rewriting->table, id->varattno) == Proof::all_v7;
    rewriting->changed =
        add_comparisons(rewriting->table, own, v7, &rewriting->to) || rewriting->changed;
    rewriting->comparisons = others;
  }
}

// Removes duplicate tests of the version, and a test that the table proves if another condition
// excludes NULL, which is all that the test still does.
void remove_version_tests(Rewriting *rewriting) {
  List *kept = NIL;
  for (int i = 0; i < list_length(rewriting->to); ++i) {
    auto *clause = static_cast<Node *>(list_nth(rewriting->to, i));
    const Var *id = tested_column(clause);
    id = id != nullptr ? id_of(rewriting->table, reinterpret_cast<const Node *>(id)) : nullptr;
    if (id != nullptr && (tests_version(kept, id) || (has_strict_clause(rewriting->to, id) &&
                                                      may_drop_test(rewriting->table, id)))) {
      rewriting->changed = true;
      continue;
    }
    kept = lappend(kept, clause);
  }
  rewriting->to = kept;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
List *rewrite_clauses(KeyTable *table, List *clauses) {
  if (!has_id(reinterpret_cast<Node *>(clauses), table)) {
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
  add_all_comparisons(&rewriting);
  remove_version_tests(&rewriting);
  if (!rewriting.changed) {
    return clauses;
  }
  // Removes constants.
  return make_ands_implicit(canonicalize_qual(make_ands_explicit(rewriting.to), false));
}

}  // namespace uuidx
