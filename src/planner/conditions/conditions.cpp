// What becomes of the clauses of an AND. In the table, c is the time of a key `id`, f(c) is
// computed from it (operations.cpp lists how), and t has no column of the key's table. A clause in
// [] is the argument of uuid_condition(id, …), which the planner takes for true of all rows, but
// which gives an index the comparisons in it.
//
//   clause                          becomes
//   c < t, c >= t                   id < v7_min(t), id >= v7_min(t)
//   c <= t, c > t                   id <= v7_max(t), id > v7_max(t)
//   c = t                           id >= v7_min(t), id <= v7_max(t)
//   c <@ range, range @> c          the same for the ends of ranges; if c has microseconds, and for
//                                   f(c), bounds of the id, [f(c) <@ range]
//   c IS NOT NULL                   uuid_is_v7(id)
//   c IS NULL                       id IS NULL, if all keys are of version 7; false for a column
//                                   that is c, or near it, and never NULL
//   f(c) op t                       bounds of the id, [f(c) op t]
//   (c, …) < (t, …)                 id <= v7_max(t), [(c, …) < (t, …)], and so on
//   (a, c, …) < (u, t, …)           (a, id) <= (u, v7_max(t)), [(a, c, …) < (u, t, …)], and so on
//   c op d, both of keys            comparison of one key, [comparison of the other]
//   c = t, t a column               stays, as it may be hashed or merged: see time_index.hpp;
//                                   on a partitioned table, also bounds of the id, which prune;
//                                   in an OR, where it may not, c = t, [bounds of the id]
//   c < t, f(c) op t, t a column    stays, with [bounds of the id] for scans of the key's index
//                                   alone: see equalities.hpp; c < t of EXISTS as without a column
//   c = t, f(c) = t, if the query   bounds of the id, c = t or f(c) = t
//   sorts or joins by it
//   any of these, if an index or    the clause, [bounds of the id]
//   partition key has c or f(c)
//   c IN (t, u), = ANY (…)          as c = t OR c = u; for many or unknown ones, bounds of all,
//                                   [c = ANY (…)]; so for < ANY (…)
//   a OR b                          a OR b, each rewritten; in a query that sorts, where one index
//                                   scan may be better than several, [bounds that both imply]
//   id op bound of no time          true or false, if the id is of version 7
//
// If a clause on the key replaces one on the time, and keys need not be of version 7,
// uuid_is_v7(id) is added. Clauses below NOT stay.
#include "planner/conditions/conditions.hpp"

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/rewritten_and.hpp"
#include "planner/times/union_all.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// In an AND. PostgreSQL compares each condition of an index with each other one.
constexpr int kMaxRewritten = 100;

// True if an expression has a column that may be a key, or be computed from one: decides quickly
// for the clauses that have neither.
bool has_key(Node *node, void *context) {
  const auto *level = static_cast<const QueryLevel *>(context);
  if (const auto *column = as<Var>(node)) {
    const RangeTblEntry *rte = rte_of(level->root, static_cast<Index>(column->varno));
    return column->vartype == UUIDOID || level->stored != NIL ||
           (rte != nullptr && is_union_all(*rte));
  }
  return node != nullptr && walk_expression(node, has_key, context);
}

// Adds what `c <@ range` or `range @> c` means for the key; returns false if a clause is neither.
bool add_range(RewrittenAnd *rewriting, Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  if (op == nullptr) {
    return false;
  }
  const bool first = op->opno == OID_RANGE_ELEM_CONTAINED_OP;
  if (!first && op->opno != OID_RANGE_CONTAINS_ELEM_OP) {
    return false;
  }
  QueryLevel *level = rewriting->level;
  Node *range = first ? right : left;
  KeyTime time;
  if (exprType(range) != TSTZRANGEOID ||
      !read_time(level, rewriting->tested, first ? left : right, &time) ||
      !time.steps.has_bounds() || is_indexed(*time.table, time.expression) ||
      !is_operand(*level, *time.table, range)) {
    return false;
  }
  if (!time.exact || time.precise) {
    if (may_fail(range)) {
      return false;
    }
    const TimeComparison read{time, BTEqualStrategyNumber, as_expr(range), true};
    add_read(rewriting, clause, read, must_keep(read, true));
    return true;
  }
  const Functions &functions = level->functions;
  const bool joins = contain_var_clause(range);
  if (joins && !may_join(level)) {
    return false;
  }
  if (joins || is_of_use(*time.table, time.expression)) {
    add_clauses(rewriting, as_expr(clause));
    if (may_repeat(range)) {
      add_bounds(rewriting, clause, time.id, bounds_of(functions, as_node(time.id), range), joins);
    }
    return true;
  }
  auto *call = as_node(
      call_function(functions.in_range, BOOLOID, list_make2(copy_of(time.id), copy_of(range))));
  // Only comparisons leave out partitions and children; but a sequential scan would compute a range
  // for each of them.
  const RangeTblEntry *rte = time.table->rte;
  const bool compares = constant_of(range) != nullptr || rte->inh || rte->rtekind != RTE_RELATION;
  add_clauses(rewriting, as_expr(compares ? eval_const_expressions(level->root, call) : call));
  add_version_test(rewriting, time);
  return true;
}

// True if a column is a time, or near it, that is never NULL.
bool is_filled(QueryLevel *level, Node *node) {
  const auto *column = as<Var>(node);
  Reach tolerance;
  return column != nullptr && stored_expression(*level, column, &tolerance) != nullptr &&
         is_never_null(level, column);
}

// Adds what a test for NULL of a time means for the key; returns false if a clause is something
// else, or says nothing of the key. Also for min(c) and max(c), to which the planner adds
// `c IS NOT NULL`.
bool add_null_test(RewrittenAnd *rewriting, Node *clause) {
  const auto *test = as<NullTest>(clause);
  if (test == nullptr) {
    return false;
  }
  QueryLevel *level = rewriting->level;
  auto *argument = as_node(test->arg);
  if (test->nulltesttype == IS_NULL && is_filled(level, argument)) {
    add_clauses(rewriting, as_expr(makeBoolConst(false, false)));
    return true;
  }
  KeyTime time;
  if (!read_time(level, rewriting->tested, argument, &time) || !time.exact ||
      is_of_use(*time.table, time.expression)) {
    return false;
  }
  if (test->nulltesttype == IS_NOT_NULL) {
    add_clauses(rewriting, version_test(level->functions, as_node(time.id)));
    return true;
  }
  if (!is_all_v7(*time.table, time.id)) {
    return false;
  }
  if (is_never_null(level, time.id)) {
    add_clauses(rewriting, as_expr(makeBoolConst(false, false)));
    return true;
  }
  NullTest *of_id = copy_of(test);
  of_id->arg = as_expr(copy_of(time.id));
  add_clauses(rewriting, as_expr(of_id));
  return true;
}

// Adds `true` or `false` for a comparison of a version 7 key with nil or max, the bounds of times
// that no key has; returns false if a clause is something else.
bool add_extreme(RewrittenAnd *rewriting, Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  const Var *id = id_of(*rewriting->level, left);
  const Const *bound = id != nullptr ? constant_of(right) : nullptr;
  if (bound == nullptr || !list_member(rewriting->tested, id)) {
    return false;
  }
  Expr *simpler = simplify_extreme(rewriting->level->functions, clause);
  if (simpler == nullptr) {
    return false;
  }
  add_clauses(rewriting, simpler);
  return true;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool rewrite_and(RewrittenAnd *rewriting) {
  check_stack_depth();
  rewriting->tested = tested_columns(rewriting->from);
  int rewritten = 0;
  for (Node *clause : each(rewriting->from)) {
    CHECK_FOR_INTERRUPTS();
    if (rewritten < kMaxRewritten && has_key(clause, rewriting->level) &&
        (add_comparison(rewriting, clause) || add_range(rewriting, clause) ||
         add_array(rewriting, clause) || add_null_test(rewriting, clause) ||
         add_rows(rewriting, clause) || add_extreme(rewriting, clause) ||
         add_or(rewriting, clause))) {
      ++rewritten;
    } else {
      note_unbounded(rewriting->level, clause);
      rewriting->to = lappend(rewriting->to, clause);
    }
  }
  remove_version_tests(rewriting);
  return rewriting->changed;
}

List *rewrite_clauses(QueryLevel *level, List *clauses, const JoinExpr *join) {
  RewrittenAnd rewriting{level, clauses};
  if (join != nullptr) {
    const bool anti = join->jointype == JOIN_ANTI;
    rewriting.semijoin = join->jointype == JOIN_SEMI;
    rewriting.preserved = anti || join->jointype == JOIN_LEFT ? tables_of(join->larg) : nullptr;
    rewriting.searched = anti || rewriting.semijoin ? tables_of(join->rarg) : nullptr;
  }
  if (!has_key(as_node(clauses), level) || !rewrite_and(&rewriting)) {
    return clauses;
  }
  // Removes constants, and moves what alternatives have in common, such as the test of the version,
  // out of each OR.
  rewriting.to = make_ands_implicit(canonicalize_qual(make_ands_explicit(rewriting.to), false));
  remove_version_tests(&rewriting);
  return rewriting.to;
}

List *rewrite_for_member(QueryLevel *level, const RelOptInfo *member) {
  PlannerInfo *root = level->root;
  AppendRelInfo *info = root->append_rel_array[member->relid];
  const auto parent_id = static_cast<int>(info->parent_relid);
  if (!is_union_all(*rte_of(root, info->parent_relid))) {
    return NIL;
  }
  RelOptInfo *parent = root->simple_rel_array[info->parent_relid];
  if (!bms_is_member(parent_id, level->unions)) {
    level->unions = bms_add_member(level->unions, parent_id);
    List *rewritten = NIL;
    for (auto *rinfo : each<RestrictInfo>(parent->baserestrictinfo)) {
      List *clauses = list_make1(rinfo->clause);
      List *own = rinfo->pseudoconstant ? clauses : rewrite_clauses(level, clauses);
      if (own == clauses) {
        rewritten = lappend(rewritten, rinfo);
        continue;
      }
      for (Node *clause : each(own)) {
        rewritten =
            lappend(rewritten, make_condition(root, as_expr(clause), rinfo->security_level));
      }
    }
    parent->baserestrictinfo = rewritten;
  }
  Node *own = as_node(extract_actual_clauses(parent->baserestrictinfo, false));
  return reinterpret_cast<List *>(adjust_appendrel_attrs(root, own, 1, &info));
}

}  // namespace uuidx
