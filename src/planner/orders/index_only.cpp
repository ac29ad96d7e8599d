#include "planner/orders/index_only.hpp"

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a condition only offers bounds of a key, which conditions beside it imply. Of others,
// uuid_condition() has the time itself.
bool offers_bounds(const QueryLevel &level, const RestrictInfo *condition) {
  const auto *call = as<FuncExpr>(as_node(condition->clause));
  if (call == nullptr || call->funcid != level.functions.condition) {
    return false;
  }
  for (Node *clause : each(make_ands_implicit(as_expr(nth(call->args, 1))))) {
    const auto [op, left, right] = operation_of(clause);
    if (op == nullptr || strategy_of(op->opno, UUIDOID) == 0 || !equal(left, nth(call->args, 0)) ||
        contain_var_clause(right)) {
      return false;
    }
  }
  return true;
}

// True if an index returns all columns that are returned by the scan of a table, or tested.
bool returns_all(const IndexOptInfo *index, const RelOptInfo *rel, const List *conditions) {
  Bitmapset *needed = nullptr;
  pull_varattnos(reinterpret_cast<Node *>(rel->reltarget->exprs), rel->relid, &needed);
  for (const auto *condition : each<RestrictInfo>(conditions)) {
    pull_varattnos(as_node(condition->clause), rel->relid, &needed);
  }
  Bitmapset *returned = nullptr;
  for (int i = 0; i < index->ncolumns; ++i) {
    if (index->indexkeys[i] != 0 && index->canreturn[i]) {
      returned = bms_add_member(returned, index->indexkeys[i] - FirstLowInvalidHeapAttributeNumber);
    }
  }
  return bms_is_subset(needed, returned);
}

// Returns conditions without those that only offer bounds of a key.
List *without_bounds(const QueryLevel &level, const List *conditions) {
  List *others = NIL;
  for (auto *condition : each<RestrictInfo>(conditions)) {
    if (!offers_bounds(level, condition)) {
      others = lappend(others, condition);
    }
  }
  return others;
}

// True if set_plain_rel_pathlist() has made index paths of a table or partition.
bool is_scanned(const PlannerInfo *root, RelOptInfo *rel) {
  const RangeTblEntry *rte = root->simple_rte_array[rel->relid];
  return rte->rtekind == RTE_RELATION && !rte->inh && rte->tablesample == nullptr &&
         (rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW) &&
         !IS_DUMMY_REL(rel);
}

}  // namespace

void add_index_only_scans(const QueryLevel &level, RelOptInfo *rel) {
  if (level.stored == NIL || !enable_indexonlyscan || !is_scanned(level.root, rel)) {
    return;
  }
  List *indexes = NIL;
  for (auto *index : each<IndexOptInfo>(rel->indexlist)) {
    List *others = without_bounds(level, index->indrestrictinfo);
    if (list_length(others) < list_length(index->indrestrictinfo) &&
        returns_all(index, rel, others) && !returns_all(index, rel, index->indrestrictinfo)) {
      index->indrestrictinfo = others;
      indexes = lappend(indexes, index);
    }
  }
  if (indexes != NIL) {
    List *all = rel->indexlist;
    rel->indexlist = indexes;
    create_index_paths(level.root, rel);
    rel->indexlist = all;
  }
}

}  // namespace uuidx
