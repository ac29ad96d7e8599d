#include "sql/check_guard.hpp"

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/table.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr int kMostRelations = 1000;

// Raises an error unless the caller owns a relation.
void check_owner(const RelationData *relation) {
  if (relation->rd_rel->relowner != GetUserId()) {
    aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relation->rd_rel->relkind),
                   RelationGetRelationName(relation));
  }
}

bool check_node(Node *node, void *count);

// Checks a relation, and those in its definition and policies. Counts them.
// NOLINTNEXTLINE(misc-no-recursion): ends at the limit.
void check_relation(Oid relid, int *count) {
  check_stack_depth();
  CHECK_FOR_INTERRUPTS();
  if (++*count > kMostRelations) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("definition has more than %d tables", kMostRelations));
  }
  Relation relation = table_open(relid, AccessShareLock);
  check_owner(relation);
  if (relation->rd_rel->relkind == RELKIND_VIEW) {
    check_node(as_node(get_view_query(relation)), count);
  } else if (relation->rd_rsdesc != nullptr) {
    for (const auto *policy : each<RowSecurityPolicy>(relation->rd_rsdesc->policies)) {
      check_node(as_node(policy->qual), count);
    }
  }
  table_close(relation, NoLock);
}

// Checks the relations in a query or an expression.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool check_node(Node *node, void *count) {
  if (auto *query = as<Query>(node)) {
    return walk_query(query, check_node, count);
  }
  if (const auto *rte = as<RangeTblEntry>(node)) {
    // Before PostgreSQL 16, a view has itself among its tables, but not in FROM.
    if (rte->rtekind == RTE_RELATION && rte->inFromCl) {
      check_relation(rte->relid, static_cast<int *>(count));
    }
    return false;
  }
  return walk_expression(node, check_node, count);
}

}  // namespace

void check_owners(const List *tables) {
  for (int i = 0; i < list_length(tables); ++i) {
    Relation relation = table_open(list_nth_oid(tables, i), NoLock);
    check_owner(relation);
    table_close(relation, NoLock);
  }
}

void check_relations(const Query *query) {
  int count = 0;
  check_node(as_node(query), &count);
}

}  // namespace uuidx
