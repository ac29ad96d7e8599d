#include "planner/rewrite/extracted_fields.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "planner/nodes.hpp"
#include "planner/rewrite/operations.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a pattern of to_char() is a year, a month or a day, as their texts are parsed. In mixed
// case, one can be several patterns.
bool is_pattern(const Node *node) {
  constexpr const char *kPatterns[] = {"YYYY", "YYYY-MM", "YYYY-MM-DD",
                                       "yyyy", "yyyy-mm", "yyyy-mm-dd"};
  const Const *constant = constant_of(node);
  const char *given = constant != nullptr ? TextDatumGetCString(constant->constvalue) : "";
  return std::any_of(std::begin(kPatterns), std::end(kPatterns),
                     [&](const char *pattern) { return std::strcmp(given, pattern) == 0; });
}

}  // namespace

bool extracts(Oid function, Oid type) {
  switch (type) {
    case TIMESTAMPTZOID:
      return function == F_EXTRACT_TEXT_TIMESTAMPTZ || function == F_DATE_PART_TEXT_TIMESTAMPTZ;
    case TIMESTAMPOID:
      return function == F_EXTRACT_TEXT_TIMESTAMP || function == F_DATE_PART_TEXT_TIMESTAMP;
    case DATEOID:
      return function == F_EXTRACT_TEXT_DATE || function == F_DATE_PART_TEXT_DATE;
    case INTERVALOID:
      return function == F_EXTRACT_TEXT_INTERVAL || function == F_DATE_PART_TEXT_INTERVAL;
    default:
      return false;
  }
}

Node *undo_to_char(KeyTime *time, const Node *node) {
  const Oid function = function_of(node);
  if ((function != F_TO_CHAR_TIMESTAMPTZ_TEXT && function != F_TO_CHAR_TIMESTAMP_TEXT) ||
      !is_pattern(nth(args_of(node), 1))) {
    return nullptr;
  }
  if (function == F_TO_CHAR_TIMESTAMPTZ_TEXT) {
    time->steps.to_instant(nullptr);
  }
  return nth(args_of(node), 0);
}

Node *undo_extract(KeyTime *time, const Node *node) {
  const Node *field = nth(args_of(node), 0);
  Node *argument = nth(args_of(node), 1);
  const Oid type = argument != nullptr ? exprType(argument) : InvalidOid;
  if (type == INTERVALOID || !extracts(function_of(node), type)) {
    return nullptr;
  }
  if (type != DATEOID && is_text(field, "epoch")) {
    time->steps.move({-1000, 1000});
    return argument;
  }
  if (!is_text(field, "year")) {
    return nullptr;
  }
  time->steps.from_year();
  if (type == TIMESTAMPTZOID) {
    time->steps.to_instant(nullptr);
  }
  return argument;
}

}  // namespace uuidx
