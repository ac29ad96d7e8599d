#include "planner/rewrite/join_pruning.hpp"

#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/rewriting.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the bounds of a table's key that a condition implies, if it is an equality with the time
// of the key; NIL if it is something else.
List *implied_bounds(QueryLevel *level, const RelOptInfo *rel, const List *conditions,
                     const Node *condition) {
  const auto [op, left, right] = operation_of(condition);
  TimeComparison read;
  const auto is_equality = [&](Oid of, Node *time, Node *value) {
    return OidIsValid(of) && read_comparison(level, conditions, of, time, value, &read) &&
           read.time.exact && read.strategy == BTEqualStrategyNumber &&
           read.time.table->rti == rel->relid;
  };
  return op != nullptr && (is_equality(op->opno, left, right) ||
                           is_equality(get_commutator(op->opno), right, left))
             ? bounds_of_id(*level, read)
             : NIL;
}

}  // namespace

void add_join_pruning(QueryLevel *level, const RelOptInfo *rel) {
  if (rel->reloptkind != RELOPT_BASEREL || rel->part_scheme == nullptr) {
    return;
  }
  const List *conditions = extract_actual_clauses(rel->baserestrictinfo, false);
  for (auto *parameters : each<ParamPathInfo>(rel->ppilist)) {
    List *bounds = NIL;
    for (const auto *rinfo : each<RestrictInfo>(parameters->ppi_clauses)) {
      bounds = list_concat(bounds, implied_bounds(level, rel, conditions, as_node(rinfo->clause)));
    }
    for (Node *bound : each(bounds)) {
      RestrictInfo *rinfo = make_simple_restrictinfo(level->root, as_expr(bound));
      // Memoize compares what the key is compared with. PostgreSQL 15 counts these conditions where
      // keys are unique, but knows of no unique key of a partitioned table.
      rinfo->right_hasheqoperator = uuid_operator(BTEqualStrategyNumber);
      parameters->ppi_clauses = lappend(parameters->ppi_clauses, rinfo);
    }
  }
}

}  // namespace uuidx
