#include "sql/check_guard.hpp"

#include <cstring>

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr int kMostUses = 1000;

// What is counted, and the view that is looked into.
struct Uses {
  int count;
  Oid view;
};

bool count_uses(Node *node, void *context);

// Counts a use of a relation, and those in its definition or policies.
// NOLINTNEXTLINE(misc-no-recursion): ends at the limit.
void count_use(Oid relid, Uses *uses) {
  CHECK_FOR_INTERRUPTS();
  check_stack_depth();
  if (++uses->count > kMostUses) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("definition has more than %d tables", kMostUses));
  }
  Relation relation = table_open(relid, AccessShareLock);
  const Oid outer = uses->view;
  uses->view = relid;
  if (relation->rd_rel->relkind == RELKIND_VIEW) {
    count_uses(as_node(get_view_query(relation)), uses);
  } else if (relation->rd_rsdesc != nullptr) {
    for (const auto *policy : each<RowSecurityPolicy>(relation->rd_rsdesc->policies)) {
      count_uses(as_node(policy->qual), uses);
    }
  }
  uses->view = outer;
  table_close(relation, NoLock);
}

// Counts the uses of relations in a query or an expression.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool count_uses(Node *node, void *context) {
  auto *uses = static_cast<Uses *>(context);
  if (auto *query = as<Query>(node)) {
    return walk_query(query, count_uses, context);
  }
  if (const auto *rte = as<RangeTblEntry>(node)) {
    // Before PostgreSQL 16, a view has itself among its tables, unused.
    if (rte->rtekind == RTE_RELATION && rte->relid != uses->view) {
      count_use(rte->relid, uses);
    }
    return false;
  }
  return node != nullptr && walk_expression(node, count_uses, context);
}

}  // namespace

void limit_expansion(Oid relation) {
  Uses uses = {0, InvalidOid};
  count_use(relation, &uses);
}

void become_owner(const List *tables) {
  Oid owner = InvalidOid;
  Oid user = InvalidOid;
  int context = 0;
  GetUserIdAndSecContext(&user, &context);
  for (int i = 0; i < list_length(tables); ++i) {
    Relation relation = table_open(list_nth_oid(tables, i), NoLock);
    const Oid its = relation->rd_rel->relowner;
    if (!has_privs_of_role(user, its)) {
      aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(relation));
    }
    table_close(relation, NoLock);
    if (i > 0 && its != owner) {
      ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
              errmsg("tables have different owners"));
    }
    owner = its;
  }
  SetUserIdAndSecContext(owner, context | SECURITY_RESTRICTED_OPERATION);
}

bool ends_check(const ErrorData &error) {
  const int category = ERRCODE_TO_CATEGORY(error.sqlerrcode);
  return std::strcmp(error.funcname, "exec_stmt_raise") != 0 &&
         (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INSUFFICIENT_RESOURCES);
}

}  // namespace uuidx
