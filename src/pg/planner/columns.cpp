#include "pg/planner/columns.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "parser/parsetree.h"
#include "pg/end_headers.hpp"

namespace uuidx {

List *args_of(Node *node) {
  if (node != nullptr && IsA(node, OpExpr)) {
    return reinterpret_cast<OpExpr *>(node)->args;
  }
  return node != nullptr && IsA(node, FuncExpr) ? reinterpret_cast<FuncExpr *>(node)->args : NIL;
}

Node *without_relabel(Node *node) {
  while (IsA(node, RelabelType)) {
    node = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(node)->arg);
  }
  return node;
}

const Var *column_of(Node *id) {
  id = without_relabel(id);
  return IsA(id, Var) ? reinterpret_cast<const Var *>(id) : nullptr;
}

const RangeTblEntry *table_of(const PlannerInfo *root, const Var *column) {
  // The root may be that of another query: PostgreSQL simplifies the condition of an EXISTS with
  // the root of the query around it. That does no harm: the table only decides between two forms
  // that are equivalent.
  if (root == nullptr || column == nullptr || column->varlevelsup != 0 ||
      IS_SPECIAL_VARNO(column->varno) || column->varno < 1 ||
      static_cast<int>(column->varno) > list_length(root->parse->rtable)) {
    return nullptr;
  }
  const RangeTblEntry *entry = rt_fetch(static_cast<int>(column->varno), root->parse->rtable);
  return entry->rtekind == RTE_RELATION ? entry : nullptr;
}

}  // namespace uuidx
