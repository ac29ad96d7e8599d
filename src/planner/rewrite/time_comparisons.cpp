#include "planner/rewrite/time_comparisons.hpp"

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Adds bounds of the id beside an equality with a column of another table, if the table is
// partitioned: partitions are pruned by comparisons alone. Returns false if nothing is added. Not
// for IN: with equalities only, PostgreSQL may look up each of its rows once.
bool add_pruning(Rewriting *rewriting, Node *clause, const TimeComparison *reads, int count) {
  List *added = NIL;
  for (int i = 0; i < count && !rewriting->semijoin; ++i) {
    if (reads[i].time.table->rte->relkind == RELKIND_PARTITIONED_TABLE) {
      added = list_concat(added, bounds_of_id(*rewriting->level, reads[i]));
    }
  }
  if (added == NIL) {
    return false;
  }
  add(rewriting, make_ands_explicit(added));
  add(rewriting, as_expr(clause));
  return true;
}

}  // namespace

bool add_comparison(Rewriting *rewriting, Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  if (op == nullptr) {
    return false;
  }
  QueryLevel *level = rewriting->level;
  TimeComparison reads[2];
  int count = 0;
  if (read_comparison(level, rewriting->from, op->opno, left, right, &reads[count])) {
    ++count;
  }
  if (as<Const>(right) == nullptr &&
      // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
      read_comparison(level, rewriting->from, get_commutator(op->opno), right, left,
                      &reads[count])) {
    ++count;
  }
  if (count == 0) {
    return false;
  }
  if (count == 2 && !reads[0].time.exact && reads[1].time.exact) {
    std::swap(reads[0], reads[1]);
  }
  const TimeComparison &first = reads[0];
  const bool exact = first.time.exact;
  const bool equality = first.strategy == BTEqualStrategyNumber;
  if (equality && exact && contain_var_clause(as_node(first.value))) {
    if (add_pruning(rewriting, clause, reads, count)) {
      return true;
    }
    if (!rewriting->in_or) {
      return false;
    }
  }
  add_read(rewriting, clause, first, must_stay(*level, first, !exact || equality));
  if (count == 2) {
    add_implied(rewriting, reads[1]);
  }
  return true;
}

bool add_rows(Rewriting *rewriting, Node *clause) {
  const auto *rows = as<RowCompareExpr>(clause);
  if (rows == nullptr) {
    return false;
  }
  QueryLevel *level = rewriting->level;
  Node *left = nth(rows->largs, 0);
  Node *right = nth(rows->rargs, 0);
  const Oid op = linitial_oid(rows->opnos);
  TimeComparison read;
  if (!read_comparison(level, rewriting->from, op, left, right, &read) &&
      // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
      !read_comparison(level, rewriting->from, get_commutator(op), right, left, &read)) {
    return false;
  }
  // Rows whose first columns are equal are decided by the next ones.
  read.strategy = read.strategy < BTEqualStrategyNumber ? BTLessEqualStrategyNumber
                                                        : BTGreaterEqualStrategyNumber;
  read.time.exact = false;
  add_read(rewriting, clause, read, must_stay(*level, read, true));
  return true;
}

}  // namespace uuidx
