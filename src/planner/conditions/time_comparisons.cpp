// Comparisons of times, alone and of rows.
#include <type_traits>

#include "planner/conditions/equalities.hpp"
#include "planner/conditions/rewritten_and.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Makes the first columns of a comparison of rows, those before a time and a bound of the id, one
// by <= or >=; returns null if an operator family lacks the operator.
RowCompareExpr *rows_with_bound(const RowCompareExpr *rows, int before, const OpExpr *bound) {
  RowCompareExpr *own = copy_of(rows);
  const int strategy = strategy_of(bound->opno, UUIDOID);
  for (int i = 0; i < before; ++i) {
    int was = 0;
    Oid left = InvalidOid;
    Oid right = InvalidOid;
    Oid *op = &lfirst_oid(list_nth_cell(own->opnos, i));
    const Oid family = list_nth_oid(own->opfamilies, i);
    get_op_opfamily_properties(*op, family, false, &was, &left, &right);
    *op = get_opfamily_member(family, left, right, static_cast<int16>(strategy));
    if (!OidIsValid(*op)) {
      return nullptr;
    }
  }
  own->opnos = lappend_oid(list_truncate(own->opnos, before), bound->opno);
  own->opfamilies = lappend_oid(list_truncate(own->opfamilies, before), family_of(UUIDOID));
  own->inputcollids = lappend_oid(list_truncate(own->inputcollids, before), bound->inputcollid);
  own->largs = lappend(list_truncate(own->largs, before), linitial(bound->args));
  own->rargs = lappend(list_truncate(own->rargs, before), lsecond(bound->args));
  auto &own_strategy = strategy_of_rows(own);
  own_strategy = static_cast<std::remove_reference_t<decltype(own_strategy)>>(strategy);
  return own;
}

// Adds the bounds that the key of an equality has by the constant that its other side is equal to,
// unless the query also says so of the key's side.
void add_equal_constant(RewrittenAnd *rewriting, const TimeComparison &read) {
  const QueryLevel &level = *rewriting->level;
  const EqualConstant *own = constant_equal_to(level, read.time.expression);
  const EqualConstant *other = constant_equal_to(level, as_node(read.value));
  if (other == nullptr || (own != nullptr && own->is_written)) {
    return;
  }
  auto *constant = as_node(other->constant);
  const Oid type = exprType(read.time.expression);
  const Oid op =
      get_opfamily_member(family_of(type), type, exprType(constant), BTEqualStrategyNumber);
  TimeComparison of_constant;
  if (OidIsValid(op) && read_comparison(rewriting->level, rewriting->tested, op,
                                        read.time.expression, constant, &of_constant)) {
    Expr *bounds = make_ands_explicit(bounds_of_id(level, of_constant));
    if (counts_once(of_constant)) {
      add_condition(rewriting, of_constant.time.id, bounds);
    } else {
      add_clauses(rewriting, bounds);
    }
  }
}

// The comparisons of keys that a clause is: of one side, or of both.
struct Comparisons {
  TimeComparison of_key[2];
  int count = 0;
};

// Reads a clause, an exact time first; returns false if it compares no key.
bool read_comparisons(RewrittenAnd *rewriting, const Node *clause, Comparisons *reads) {
  const auto [op, left, right] = operation_of(clause);
  if (op == nullptr) {
    return false;
  }
  const auto read = [&](Oid of, Node *time, Node *value) {
    reads->count += static_cast<int>(read_comparison(rewriting->level, rewriting->tested, of, time,
                                                     value, &reads->of_key[reads->count]));
  };
  read(op->opno, left, right);
  if (as<Const>(right) == nullptr) {
    // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
    read(get_commutator(op->opno), right, left);
  }
  if (reads->count == 2 && !reads->of_key[0].time.exact && reads->of_key[1].time.exact) {
    std::swap(reads->of_key[0], reads->of_key[1]);
  }
  return reads->count > 0;
}

// Adds an equality with a column, one of whose sides is equal to a constant; returns false if it is
// another one.
bool add_equality_to_constant(RewrittenAnd *rewriting, Node *clause, const Comparisons &reads) {
  const QueryLevel &level = *rewriting->level;
  const auto [op, left, right] = operation_of(clause);
  if (constant_equal_to(level, left) == nullptr && constant_equal_to(level, right) == nullptr) {
    return false;
  }
  note_unbounded(rewriting->level, clause);
  add_clauses(rewriting, as_expr(clause));
  for (int i = 0; i < reads.count; ++i) {
    add_equal_constant(rewriting, reads.of_key[i]);
  }
  return true;
}

// True if a comparison only searches the table of the key for rows of other tables, as in EXISTS:
// no index of these can serve it. PostgreSQL expects a whole scan for each row without a match if a
// condition is none of the index.
bool is_search(const RewrittenAnd &rewriting, const TimeComparison &read) {
  const Bitmapset *others = pull_varnos(rewriting.level->root, as_node(read.value));
  return read.strategy != BTEqualStrategyNumber && read.time.steps.is_empty() &&
         exprType(as_node(read.value)) == TIMESTAMPTZOID && !bms_is_empty(others) &&
         bms_is_member(read.time.id->varno, rewriting.searched) &&
         !bms_overlap(others, rewriting.searched);
}

}  // namespace

bool add_comparison(RewrittenAnd *rewriting, Node *clause) {
  Comparisons reads;
  if (!read_comparisons(rewriting, clause, &reads)) {
    return false;
  }
  if (reads.count == 2 && is_search(*rewriting, reads.of_key[1])) {
    std::swap(reads.of_key[0], reads.of_key[1]);
  }
  const TimeComparison &first = reads.of_key[0];
  const bool equality = first.strategy == BTEqualStrategyNumber;
  const bool joins = contain_var_clause(as_node(first.value));
  if (joins && !may_join(rewriting->level)) {
    return false;
  }
  if (equality && joins && add_equality_to_constant(rewriting, clause, reads)) {
    return true;
  }
  if (equality && joins && !rewriting->in_or && first.time.near) {
    note_unbounded(rewriting->level, clause);  // others may follow from it
  }
  // A clause that compares with a column stays, as that column may have an index of its own.
  const bool stays = joins && !is_search(*rewriting, first);
  add_read(rewriting, clause, first, must_keep(first, !first.time.exact || equality || stays));
  if (reads.count == 2) {
    add_implied(rewriting, clause, reads.of_key[1]);
  }
  return true;
}

bool add_rows(RewrittenAnd *rewriting, Node *clause) {
  QueryLevel *level = rewriting->level;
  auto *rows = as<RowCompareExpr>(clause);
  for (int i = 0; rows != nullptr && i < list_length(rows->largs); ++i) {
    Node *left = nth(rows->largs, i);
    Node *right = nth(rows->rargs, i);
    const Oid op = list_nth_oid(rows->opnos, i);
    TimeComparison read;
    bool found = read_comparison(level, rewriting->tested, op, left, right, &read);
    if (!found && i == 0) {
      const Oid commuted = get_commutator(op);
      // NOLINTNEXTLINE(readability-suspicious-call-argument): commuted.
      found = read_comparison(level, rewriting->tested, commuted, right, left, &read);
    }
    if (!found) {
      continue;
    }
    const bool same = read.strategy == static_cast<int>(strategy_of_rows(rows));
    // Rows whose first columns are equal are decided by the next ones.
    read.strategy = read.strategy < BTEqualStrategyNumber ? BTLessEqualStrategyNumber
                                                          : BTGreaterEqualStrategyNumber;
    read.is_implied = true;
    if (i == 0) {
      add_read(rewriting, clause, read, must_keep(read, true));
      return true;
    }
    if (!same || is_of_use(*read.time.table, read.time.expression) || !may_repeat(clause)) {
      return false;
    }
    const auto *bound = as<OpExpr>(nth(bounds_of_id(*level, read), 0));
    RowCompareExpr *implied = bound != nullptr ? rows_with_bound(rows, i, bound) : nullptr;
    if (implied == nullptr) {
      return false;
    }
    add_clauses(rewriting, as_expr(implied));
    add_condition(rewriting, read.time.id, as_expr(rows));
    return true;
  }
  return false;
}

}  // namespace uuidx
