#include "planner/rewrite/union_all.hpp"

#include "planner/nodes.hpp"
#include "planner/rewrite/clauses.hpp"
#include "planner/rewrite/conditions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/appendinfo.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns what marks a call as one of ours: a pointer, as a constant of type internal, which no SQL
// can write.
Node *mark_of(const ReplacedClause *replaced) {
  return as_node(makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), PointerGetDatum(replaced),
                           false, true));
}

void replace(QueryLevel *level, RestrictInfo *rinfo, List *clauses) {
  ReplacedClause *replaced = allocated(ReplacedClause{rinfo, rinfo->clause});
  level->replaced = lappend(level->replaced, replaced);
  rinfo->clause = condition_call(level->functions, mark_of(replaced), make_ands_explicit(clauses));
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
      replace(level, rinfo, rewritten);
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
  const auto *mark = as<Const>(nth(args, 0));
  if (root == nullptr || mark == nullptr || mark->consttype != INTERNALOID || mark->constisnull) {
    return nullptr;
  }
  QueryLevel *level = known_level(root);
  auto *replaced = reinterpret_cast<ReplacedClause *>(DatumGetPointer(mark->constvalue));
  if (level != nullptr && list_member_ptr(level->replaced, replaced)) {
    replaced->rinfo->clause = replaced->original;
    level->replaced = list_delete_ptr(level->replaced, replaced);
  }
  return nth(args, 1);
}

}  // namespace uuidx
