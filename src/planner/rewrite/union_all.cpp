#include "planner/rewrite/union_all.hpp"

#include "planner/nodes.hpp"
#include "planner/rewrite/clauses.hpp"
#include "planner/rewrite/conditions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns what marks a call as one of ours: a pointer, as a constant of type internal, which no SQL
// can write. Beside it is a column of the UNION ALL, which adjust_appendrel_attrs() makes one of
// the member that asks.
Node *mark_of(const ReplacedClause *replaced, Index parent) {
  auto *mark = makeNode(ArrayExpr);
  mark->elements = list_make2(
      makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), PointerGetDatum(replaced), false, true),
      makeVar(static_cast<int>(parent), SelfItemPointerAttributeNumber, TIDOID, -1, InvalidOid, 0));
  return as_node(mark);
}

// Returns the clause that a mark belongs to, and sets which member asks; null if a node is no mark.
ReplacedClause *marked_clause(const Node *node, Index *member) {
  const auto *mark = as<ArrayExpr>(node);
  const auto *pointer = mark != nullptr ? as<Const>(nth(mark->elements, 0)) : nullptr;
  if (pointer == nullptr || pointer->consttype != INTERNALOID || pointer->constisnull) {
    return nullptr;
  }
  const auto *column = as<Var>(nth(mark->elements, 1));
  *member = column != nullptr ? static_cast<Index>(column->varno) : 0;
  return reinterpret_cast<ReplacedClause *>(DatumGetPointer(pointer->constvalue));
}

// Replaces a clause of a UNION ALL for one of its members.
void replace(QueryLevel *level, const AppendRelInfo &info, RestrictInfo *rinfo, List *clauses) {
  ReplacedClause *replaced = allocated(
      ReplacedClause{rinfo, rinfo->clause, info.child_relid, make_ands_explicit(clauses)});
  level->replaced = lappend(level->replaced, replaced);
  rinfo->clause =
      condition_call(level->functions, mark_of(replaced, info.parent_relid), rinfo->clause);
}

}  // namespace

List *rewrite_for_member(QueryLevel *level, const RelOptInfo *member) {
  PlannerInfo *root = level->root;
  AppendRelInfo *info = root->append_rel_array[member->relid];
  if (rte_of(root, info->parent_relid)->rtekind != RTE_SUBQUERY) {
    return NIL;
  }
  const RelOptInfo *parent = root->simple_rel_array[info->parent_relid];
  List *conditions = NIL;
  for (auto *rinfo : each<RestrictInfo>(parent->baserestrictinfo)) {
    Node *clause = adjust_appendrel_attrs(root, as_node(rinfo->clause), 1, &info);
    List *clauses = make_ands_implicit(as_expr(clause));
    List *rewritten = rewrite_clauses(level, clauses, false);
    if (rewritten != clauses && !rinfo->pseudoconstant) {
      replace(level, *info, rinfo, rewritten);
    }
    conditions = list_concat(conditions, rewritten);
  }
  return conditions;
}

void put_back_clauses(QueryLevel *level) {
  for (const auto *replaced : each<ReplacedClause>(level->replaced)) {
    replaced->rinfo->clause = replaced->original;
  }
  level->replaced = NIL;
}

Node *take_condition(PlannerInfo *root, const List *args) {
  Index member = 0;
  ReplacedClause *replaced = root != nullptr ? marked_clause(nth(args, 0), &member) : nullptr;
  if (replaced == nullptr) {
    return nullptr;
  }
  QueryLevel *level = known_level(root);
  if (level != nullptr && list_member_ptr(level->replaced, replaced)) {
    replaced->rinfo->clause = replaced->original;
    level->replaced = list_delete_ptr(level->replaced, replaced);
  }
  return member == replaced->member ? eval_const_expressions(root, as_node(replaced->rewritten))
                                    : nth(args, 1);
}

}  // namespace uuidx
