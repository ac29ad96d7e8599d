#include "planner/conditions/member_conditions.hpp"

#include "planner/conditions/conditions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/union_all.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "optimizer/appendinfo.h"
#include "optimizer/restrictinfo.h"
#include "pg/end_headers.hpp"

namespace uuidx {

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
      List *own = rinfo->pseudoconstant ? clauses : rewrite_clauses(level, clauses, false);
      rewritten = own == clauses ? lappend(rewritten, rinfo) : rewritten;
      for (Node *clause : each(own != clauses ? own : NIL)) {
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
