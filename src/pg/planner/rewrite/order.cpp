#include "pg/planner/rewrite/order.hpp"

#include "pg/planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if rows are sorted by their columns as they are, and all rows that are equal may be returned
// in any order.
bool is_plain_order(const Query *query) {
  return query->commandType == CMD_SELECT && query->sortClause != NIL &&
         query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == nullptr &&
         query->distinctClause == NIL && !query->hasAggs && !query->hasWindowFuncs &&
         !query->hasTargetSRFs && query->setOperations == nullptr &&
         query->limitOption != LIMIT_OPTION_WITH_TIES;
}

// Returns the expression that a sort clause sorts by.
Node *sorted_by(const Statement *statement, const SortGroupClause *sort) {
  return get_sortgroupclause_expr(const_cast<SortGroupClause *>(sort),
                                  statement->root->processed_tlist);
}

// True if the next sort clause sorts by the id in the same direction. Then what follows does not
// matter, as the id decides; otherwise rows of equal time must keep the order of what follows.
bool continues_with(const Statement *statement, const SortGroupClause *next, const Var *id,
                    int strategy, bool nulls_first) {
  return equal(sorted_by(statement, next), id) && next->sortop == uuid_operator(strategy) &&
         next->nulls_first == nulls_first;
}

// Returns the sort group reference of a target that is the id: in the place of one that is there
// for the sort alone, one that the result has, or one that is added. Targets are shared with the
// query, so a changed one is a copy.
Index target_of(PlannerInfo *root, const SortGroupClause *sort, const Var *id) {
  List *targets = root->processed_tlist;
  Expr *key = copy_of_expr(id);
  TargetEntry *target = get_sortgroupref_tle(sort->tleSortGroupRef, targets);
  const bool replaced = target->resjunk;
  if (!replaced) {
    target = tlist_member(key, targets);
  }
  if (target == nullptr) {
    const auto number = static_cast<AttrNumber>(list_length(targets) + 1);
    target = makeTargetEntry(key, number, nullptr, true);
    root->processed_tlist = lappend(targets, target);
  } else if (replaced || target->ressortgroupref == 0) {
    target = flatCopyTargetEntry(target);
    target->expr = key;
    lfirst(list_nth_cell(targets, target->resno - 1)) = target;
  }
  return assignSortGroupRef(target, root->processed_tlist);
}

}  // namespace

void order_by_id(Statement *statement) {
  Query *query = statement->root->parse;
  if (!is_plain_order(query)) {
    return;
  }
  auto *conditions = reinterpret_cast<List *>(query->jointree->quals);
  for (int i = 0; i < list_length(query->sortClause); ++i) {
    ListCell *cell = list_nth_cell(query->sortClause, i);
    const auto *sort = static_cast<const SortGroupClause *>(lfirst(cell));
    const ListCell *following = lnext(query->sortClause, cell);
    const auto *next =
        following != nullptr ? static_cast<const SortGroupClause *>(lfirst(following)) : nullptr;
    KeyTime time;
    if (!read_time(statement, conditions, sorted_by(statement, sort), &time) || !time.exact ||
        keeps(*time.table, time.expression) ||
        proof_of(*time.table, time.id->varattno) != Proof::all_v7) {
      continue;
    }
    const int strategy = strategy_of(sort->sortop, time.type);
    const bool partitioned = time.table->entry->relkind == RELKIND_PARTITIONED_TABLE;
    if (strategy == 0 || (next == nullptr ? !partitioned
                                          : !continues_with(statement, next, time.id, strategy,
                                                            sort->nulls_first))) {
      continue;
    }
    SortGroupClause *by_id = copy_of(sort);
    by_id->tleSortGroupRef = target_of(statement->root, sort, time.id);
    by_id->eqop = uuid_operator(BTEqualStrategyNumber);
    by_id->sortop = uuid_operator(strategy);
    by_id->hashable = true;
    lfirst(cell) = by_id;
    return;
  }
}

}  // namespace uuidx
