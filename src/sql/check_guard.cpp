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

// How many relations were found, and the view that is looked into.
struct Expansion {
  int relations;
  Oid view;
};

// Raises an error unless the caller owns a relation.
void check_owner(const RelationData *relation) {
  if (relation->rd_rel->relowner != GetUserId()) {
    aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relation->rd_rel->relkind),
                   RelationGetRelationName(relation));
  }
}

bool check_node(Node *node, void *context);

// Checks a relation, and those in its definition and policies.
// NOLINTNEXTLINE(misc-no-recursion): ends at the limit.
void check_relation(Oid relid, Expansion *expansion) {
  check_stack_depth();
  CHECK_FOR_INTERRUPTS();
  if (++expansion->relations > kMostRelations) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("definition has more than %d tables", kMostRelations));
  }
  Relation relation = table_open(relid, AccessShareLock);
  check_owner(relation);
  const Oid outer = expansion->view;
  expansion->view = relid;
  if (relation->rd_rel->relkind == RELKIND_VIEW) {
    check_node(as_node(get_view_query(relation)), expansion);
  } else if (relation->rd_rsdesc != nullptr) {
    for (const auto *policy : each<RowSecurityPolicy>(relation->rd_rsdesc->policies)) {
      check_node(as_node(policy->qual), expansion);
    }
  }
  expansion->view = outer;
  table_close(relation, NoLock);
}

// Checks the relations in a query or an expression.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool check_node(Node *node, void *context) {
  if (node == nullptr) {
    return false;
  }
  if (auto *query = as<Query>(node)) {
    return walk_query(query, check_node, context);
  }
  if (const auto *rte = as<RangeTblEntry>(node)) {
    auto *expansion = static_cast<Expansion *>(context);
    // Before PostgreSQL 16, a view has itself among its tables, unused.
    if (rte->rtekind == RTE_RELATION && rte->relid != expansion->view) {
      check_relation(rte->relid, expansion);
    }
    return false;
  }
  return walk_expression(node, check_node, context);
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
  Expansion expansion = {0, InvalidOid};
  check_node(as_node(query), &expansion);
}

void restrict_functions() {
  Oid user = InvalidOid;
  int context = 0;
  GetUserIdAndSecContext(&user, &context);
  SetUserIdAndSecContext(user, context | SECURITY_RESTRICTED_OPERATION);
}

bool ends_check(const ErrorData &error) {
  const int category = ERRCODE_TO_CATEGORY(error.sqlerrcode);
  return category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INSUFFICIENT_RESOURCES;
}

}  // namespace uuidx
