#include "pg/planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "pg/end_headers.hpp"

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

bool has_column(const Bitmapset *columns, AttrNumber column) {
  return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns);
}

}  // namespace uuidx
