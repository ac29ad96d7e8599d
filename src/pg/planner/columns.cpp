#include "pg/planner/columns.hpp"

#include "pg/pg.hpp"

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

}  // namespace uuidx
