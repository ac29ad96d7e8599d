#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "utils/memutils.h"
#include "pg/end_headers.hpp"

namespace uuidx {

MemoryContext make_scratch_context() {
  // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a macro of PostgreSQL.
  return AllocSetContextCreate(CurrentMemoryContext, "uuidx", ALLOCSET_SMALL_SIZES);
}

List *args_of(const Node *node) {
  if (const auto *op = as<OpExpr>(node)) {
    return op->args;
  }
  const auto *call = as<FuncExpr>(node);
  return call != nullptr ? call->args : NIL;
}

Node *only_argument(const Node *node) {
  Node *only = nullptr;
  for (Node *argument : each(args_of(node))) {
    if (as<Const>(argument) == nullptr) {
      if (only != nullptr) {
        return nullptr;
      }
      only = argument;
    }
  }
  return only;
}

Operation operation_of(const Node *node) {
  const auto *op = as<OpExpr>(node);
  return op != nullptr && list_length(op->args) == 2
             ? Operation{op, nth(op->args, 0), nth(op->args, 1)}
             : Operation{};
}

const Var *column_of(const Node *id) {
  while (const auto *relabeled = as<RelabelType>(id)) {
    id = as_node(relabeled->arg);
  }
  return as<Var>(id);
}

bool has_column(const Bitmapset *columns, AttrNumber column) {
  return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns);
}

void add_column(Bitmapset **columns, AttrNumber column) {
  *columns = bms_add_member(*columns, column - FirstLowInvalidHeapAttributeNumber);
}

const Const *constant_of(const Node *node) {
  const auto *constant = as<Const>(node);
  return constant != nullptr && !constant->constisnull ? constant : nullptr;
}

}  // namespace uuidx
