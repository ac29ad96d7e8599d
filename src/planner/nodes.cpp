#include "planner/nodes.hpp"

#include <cmath>
#include <limits>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "pg/end_headers.hpp"

namespace uuidx {

Oid function_of(const Node *node) {
  if (const auto *call = as<FuncExpr>(node)) {
    return call->funcid;
  }
  const auto *op = as<OpExpr>(node);
  return op != nullptr ? op->opfuncid : InvalidOid;
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

const char *text_of(const Node *node) {
  const Const *constant = constant_of(node);
  return constant != nullptr && constant->consttype == TEXTOID
             ? TextDatumGetCString(constant->constvalue)
             : nullptr;
}

bool is_text(const Node *node, const char *word) {
  const char *text = text_of(node);
  return text != nullptr && pg_strcasecmp(text, word) == 0;
}

double number_of(const Node *node) {
  const Const *constant = constant_of(node);
  switch (constant != nullptr ? constant->consttype : InvalidOid) {
    case FLOAT4OID:
      return static_cast<double>(DatumGetFloat4(constant->constvalue));
    case FLOAT8OID:
      return DatumGetFloat8(constant->constvalue);
    case NUMERICOID:
      return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

const Interval *interval_of(const Node *node) {
  const Const *constant = constant_of(node);
  if (constant == nullptr || constant->consttype != INTERVALOID) {
    return nullptr;
  }
  const Interval *interval = DatumGetIntervalP(constant->constvalue);
  constexpr int64 kMostTime = int64{kMostDays} * USECS_PER_DAY;
  const bool moderate = std::abs(static_cast<double>(interval->month)) < kMostDays &&
                        std::abs(static_cast<double>(interval->day)) < kMostDays &&
                        interval->time < kMostTime && interval->time > -kMostTime;
  return moderate ? interval : nullptr;
}

}  // namespace uuidx
