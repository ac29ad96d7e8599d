#include "planner/conditions/equalities.hpp"

#include "planner/conditions/id_clauses.hpp"
#include "planner/conditions/rewritten_and.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/union_all.hpp"
#include "planner/times/zones.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// More equalities than a query has that is not made by a program.
constexpr int kMaxEqualities = 50;

// Adds the equalities of times or dates of an AND.
void add_equalities(const List *clauses, List **equalities) {
  for (const Node *clause : each(clauses)) {
    const auto [op, left, right] = operation_of(clause);
    if (op != nullptr && list_length(*equalities) < kMaxEqualities &&
        (is_local(exprType(left)) || exprType(left) == TIMESTAMPTZOID) &&
        strategy_of(op->opno, exprType(left)) == BTEqualStrategyNumber) {
      *equalities = lappend(*equalities, as_node(op));
    }
  }
}

// Adds those that hold in every row of the result: none of an outer join, and none below the side
// that it may make NULL.
// NOLINTNEXTLINE(misc-no-recursion): join trees are trees.
void add_equalities_of(const Node *node, List **equalities) {
  if (const auto *from = as<FromExpr>(node)) {
    for (const Node *item : each(from->fromlist)) {
      add_equalities_of(item, equalities);
    }
    add_equalities(reinterpret_cast<const List *>(from->quals), equalities);
  } else if (const auto *join = as<JoinExpr>(node);
             join != nullptr && join->jointype != JOIN_FULL) {
    add_equalities_of(join->larg, equalities);
    if (join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI) {
      add_equalities_of(join->rarg, equalities);
      add_equalities(reinterpret_cast<const List *>(join->quals), equalities);
    }
  }
}

// Notes that two expressions are equal, if one of them has no columns, or is known to be equal to
// such a one. Returns true if that is new.
bool note_equal(QueryLevel *level, Node *expression, Node *other) {
  if (!contain_var_clause(expression) || constant_equal_to(*level, expression) != nullptr) {
    return false;
  }
  EqualConstant found{stripped(expression)};
  if (const EqualConstant *known = constant_equal_to(*level, other)) {
    found.constant = known->constant;
  } else if (!contain_var_clause(other) && may_repeat(other)) {
    found.constant = as_expr(other);
    found.is_written = true;
  }
  if (found.constant == nullptr) {
    return false;
  }
  level->equal_to_constants = lappend(level->equal_to_constants, allocated(found));
  return true;
}

// True if a query still has all tables of a clause, and more than one: it may have lost joins since
// the clause was noted.
bool joins_tables(const PlannerInfo *root, Relids tables) {
  for (int i = -1; (i = bms_next_member(tables, i)) >= 0;) {
    if (rte_of(root, static_cast<Index>(i)) == nullptr || root->simple_rel_array[i] == nullptr) {
      return false;
    }
  }
  return bms_membership(tables) == BMS_MULTIPLE;
}

// True if a clause is one that was noted.
bool is_implied(const QueryLevel &level, const RestrictInfo *rinfo) {
  const auto *call = as<FuncExpr>(as_node(rinfo->clause));
  return call != nullptr && call->funcid == level.functions.condition &&
         call->inputcollid == kPlannersCollation;
}

// Returns clauses without those that were noted.
List *without_implied(const QueryLevel &level, const List *clauses) {
  List *others = NIL;
  for (auto *rinfo : each<RestrictInfo>(clauses)) {
    others = is_implied(level, rinfo) ? others : lappend(others, rinfo);
  }
  return others;
}

}  // namespace

void read_equal_constants(QueryLevel *level) {
  // An expression may differ above an outer join, which its columns do not say.
  if (!kKnowsNulled && is_below_outer_join(*level, nullptr)) {
    return;
  }
  List *equalities = NIL;
  add_equalities_of(as_node(level->root->parse->jointree), &equalities);
  // One constant may lead to the next.
  for (bool found = equalities != NIL; found;) {
    found = false;
    for (const Node *equality : each(equalities)) {
      const auto [op, left, right] = operation_of(equality);
      found = note_equal(level, left, right) || note_equal(level, right, left) || found;
    }
  }
}

const EqualConstant *constant_equal_to(const QueryLevel &level, const Node *expression) {
  Node *searched = level.equal_to_constants != NIL ? stripped(as_node(expression)) : nullptr;
  for (const auto *known : each<EqualConstant>(level.equal_to_constants)) {
    if (equal(known->expression, searched)) {
      return known;
    }
  }
  return nullptr;
}

bool note_implied_join(QueryLevel *level, const Node *clause, const Var *id, Expr *bounds) {
  const Bitmapset *tables = pull_varnos(level->root, as_node(clause));
  if (!bms_is_subset(tables, pull_varnos(level->root, as_node(bounds))) ||
      has_nulled(as_node(bounds), nullptr) || is_below_outer_join(*level, id) ||
      is_union_all(*rte_of(level->root, static_cast<Index>(id->varno)))) {
    return false;
  }
  Expr *implied = condition_call(level->functions, as_node(id), bounds);
  as<FuncExpr>(implied)->inputcollid = kPlannersCollation;
  level->implied_joins = lappend(level->implied_joins, implied);
  return true;
}

void give_implied_joins(QueryLevel *level, RelOptInfo *planned) {
  PlannerInfo *root = level->root;
  bool again = false;
  for (auto *clause : each<FuncExpr>(level->implied_joins)) {
    RestrictInfo *rinfo = make_condition(root, as_expr(clause), root->qual_security_level);
    if (joins_tables(root, rinfo->required_relids)) {
      RelOptInfo *rel = root->simple_rel_array[as<Var>(nth(clause->args, 0))->varno];
      rel->joininfo = lappend(rel->joininfo, rinfo);
      again = again || rel == planned;
      level->has_given_joins = true;
    }
  }
  level->implied_joins = NIL;
  if (again) {
    create_index_paths(root, planned);
  }
}

void take_implied_joins(const QueryLevel &level, RelOptInfo *rel) {
  if (!level.has_given_joins) {
    return;
  }
  rel->joininfo = without_implied(level, rel->joininfo);
  for (auto *parameters : each<ParamPathInfo>(rel->ppilist)) {
#if PG_VERSION_NUM >= 160000
    // get_memoize_path() compares their number with that of a join's clauses.
    for (const auto *rinfo : each<RestrictInfo>(parameters->ppi_clauses)) {
      if (is_implied(level, rinfo)) {
        parameters->ppi_serials = bms_del_member(parameters->ppi_serials, rinfo->rinfo_serial);
      }
    }
#endif
    parameters->ppi_clauses = without_implied(level, parameters->ppi_clauses);
  }
}

}  // namespace uuidx
