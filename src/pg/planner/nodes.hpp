// The parts of an expression: the arguments of a call, a column.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/primnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns a copy of a node with all below it.
template <typename T>
T *copy_of(const T *node) {
  return static_cast<T *>(copyObjectImpl(node));
}

// Returns a copy of an expression.
inline Expr *copy_of_expr(const void *node) {
  return static_cast<Expr *>(copyObjectImpl(node));
}

// Returns the arguments of an operator or a function; NIL for any other node and for null.
List *args_of(Node *node);

// Returns the column that an expression is, without casts to binary-compatible types, such as the
// domains; null if it is something else.
const Var *column_of(Node *id);

// True if a set of a table's columns has one.
bool has_column(const Bitmapset *columns, AttrNumber column);

}  // namespace uuidx
