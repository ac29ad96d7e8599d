#include "pg/planner/columns.hpp"

#include "pg/pg.hpp"

namespace uuidx {

List *args_of(Node *node) {
  if (node != nullptr && IsA(node, OpExpr)) {
    return reinterpret_cast<OpExpr *>(node)->args;
  }
  return node != nullptr && IsA(node, FuncExpr) ? reinterpret_cast<FuncExpr *>(node)->args : NIL;
}

const Var *column_of(Node *id) {
  while (IsA(id, RelabelType)) {
    id = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(id)->arg);
  }
  return IsA(id, Var) ? reinterpret_cast<const Var *>(id) : nullptr;
}

}  // namespace uuidx
