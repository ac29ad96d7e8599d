#include "pg/planner/rewrite/comparison.hpp"

#include "pg/planner/nodes.hpp"

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

// The location of a comparison that another clause implies, for count_implied_once(). Locations are
// positions in the text of the query, or -1.
constexpr int kImplied = -2;

// Keeps in mind what an equality means for others.
void note_equality(Statement *statement, const Comparison *reads, int count) {
  if (!statement->all_rows || reads[0].strategy != BTEqualStrategyNumber || !reads[0].time.exact) {
    return;
  }
  const auto keep = [](List **list, const auto &item) {
    auto *kept = static_cast<std::decay_t<decltype(item)> *>(palloc(sizeof(item)));
    *kept = item;
    *list = lappend(*list, kept);
  };
  if (count == 2 && reads[1].time.exact) {
    keep(&statement->joins, reads[0].time);
    keep(&statement->joins, reads[1].time);
  } else if (!contain_var_clause(as_node(reads[0].value))) {
    keep(&statement->constants, reads[0]);
  }
}

// Adds bounds of the id beside an equality with a column of another table, if the table is
// partitioned: partitions are pruned by comparisons alone. Returns false if nothing is added. Not
// for IN: with equalities only, PostgreSQL may look up each of its rows once.
bool add_pruning(Rewriting *rewriting, Node *clause, const Comparison *reads, int count) {
  List *added = NIL;
  for (int i = 0; i < count && !rewriting->statement->semijoin; ++i) {
    if (reads[i].time.table->entry->relkind == RELKIND_PARTITIONED_TABLE) {
      added = list_concat(added, bounds_of_id(*rewriting->statement, reads[i]));
    }
  }
  if (added == NIL) {
    return false;
  }
  for (Node *bound : each(added)) {
    as<OpExpr>(bound)->location = kImplied;
    add(rewriting, as_expr(bound));
  }
  add(rewriting, as_expr(clause));
  return true;
}

}  // namespace

bool add_comparison(Rewriting *rewriting, Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  if (op == nullptr) {
    return false;
  }
  Statement *statement = rewriting->statement;
  Comparison reads[2];
  int count = 0;
  if (read_comparison(statement, rewriting->from, op->opno, left, right, &reads[count])) {
    ++count;
  }
  // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
  if (read_comparison(statement, rewriting->from, get_commutator(op->opno), right, left,
                      &reads[count])) {
    ++count;
  }
  if (count == 0) {
    return false;
  }
  if (count == 2 && !reads[0].time.exact && reads[1].time.exact) {
    std::swap(reads[0], reads[1]);
  }
  note_equality(statement, reads, count);
  const Comparison &first = reads[0];
  const bool exact = first.time.exact;
  const bool equality = first.strategy == BTEqualStrategyNumber;
  if (equality && exact && contain_var_clause(as_node(first.value))) {
    if (add_pruning(rewriting, clause, reads, count)) {
      return true;
    }
    if (!statement->in_or) {
      return false;
    }
  }
  add_read(rewriting, clause, first, must_stay(*statement, first, !exact || equality));
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
  Statement *statement = rewriting->statement;
  Node *left = nth(rows->largs, 0);
  Node *right = nth(rows->rargs, 0);
  const Oid op = linitial_oid(rows->opnos);
  Comparison read;
  if (!read_comparison(statement, rewriting->from, op, left, right, &read) &&
      // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
      !read_comparison(statement, rewriting->from, get_commutator(op), right, left, &read)) {
    return false;
  }
  // Rows whose first columns are equal are decided by the next ones.
  read.strategy = read.strategy < BTEqualStrategyNumber ? BTLessEqualStrategyNumber
                                                        : BTGreaterEqualStrategyNumber;
  read.time.exact = false;
  add_read(rewriting, clause, read, must_stay(*statement, read, true));
  return true;
}

void count_implied_once(const RelOptInfo *rel) {
  for (auto *condition : each<RestrictInfo>(rel->joininfo)) {
    const auto *op = as<OpExpr>(condition->clause);
    if (op != nullptr && op->location == kImplied) {
      condition->norm_selec = 1;
      condition->outer_selec = 1;
    }
  }
}

List *bounds_of_equal_times(const Statement &statement) {
  List *bounds = NIL;
  for (int i = 0; i < list_length(statement.joins); ++i) {
    const auto *time = nth<KeyTime>(statement.joins, i);
    const auto *other = nth<KeyTime>(statement.joins, i ^ 1);
    for (const auto *constant : each<Comparison>(statement.constants)) {
      if (equal(constant->time.id, other->id) && constant->time.type == time->type) {
        const Comparison same{*time, BTEqualStrategyNumber, constant->value};
        bounds = list_concat(bounds, bounds_of_id(statement, same));
      }
    }
  }
  return bounds;
}

}  // namespace uuidx
