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
#include "utils/datum.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr int kMostTables = 1000;
constexpr int kMostNodes = 500000;
constexpr int kNodeSize = 64;

// What is counted, and the view that is looked into.
struct Expansion {
  int tables;
  int nodes;
  Oid view;
};

bool count_nodes(Node *node, void *context);

// Counts a use of a relation, and what its definition or policies stand for.
// NOLINTNEXTLINE(misc-no-recursion): ends at the limit.
void count_table(Oid relid, Expansion *expansion) {
  check_stack_depth();
  if (++expansion->tables > kMostTables) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("definition has more than %d tables", kMostTables));
  }
  Relation relation = table_open(relid, AccessShareLock);
  const Oid outer = expansion->view;
  expansion->view = relid;
  if (relation->rd_rel->relkind == RELKIND_VIEW) {
    count_nodes(as_node(get_view_query(relation)), expansion);
  } else if (relation->rd_rsdesc != nullptr) {
    for (const auto *policy : each<RowSecurityPolicy>(relation->rd_rsdesc->policies)) {
      count_nodes(as_node(policy->qual), expansion);
    }
  }
  expansion->view = outer;
  table_close(relation, NoLock);
}

// Counts a node, and the value of a constant by its size.
void count_node(Node *node, Expansion *expansion) {
  CHECK_FOR_INTERRUPTS();
  ++expansion->nodes;
  if (const auto *value = as<Const>(node); value != nullptr && !value->constisnull) {
    const Size size = datumGetSize(value->constvalue, value->constbyval, value->constlen);
    expansion->nodes += static_cast<int>(size / kNodeSize);
  }
  if (expansion->nodes > kMostNodes) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("definition has more than %d nodes", kMostNodes));
  }
}

// Counts the nodes of a query or an expression, and the relations in it.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool count_nodes(Node *node, void *context) {
  if (node == nullptr) {
    return false;
  }
  auto *expansion = static_cast<Expansion *>(context);
  count_node(node, expansion);
  if (auto *query = as<Query>(node)) {
    return walk_query(query, count_nodes, context);
  }
  if (const auto *rte = as<RangeTblEntry>(node)) {
    // Before PostgreSQL 16, a view has itself among its tables, unused.
    if (rte->rtekind == RTE_RELATION && rte->relid != expansion->view) {
      count_table(rte->relid, expansion);
    }
    return false;
  }
  return walk_expression(node, count_nodes, context);
}

}  // namespace

void limit_expansion(const Query *query) {
  Expansion expansion = {0, 0, InvalidOid};
  count_nodes(as_node(query), &expansion);
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
