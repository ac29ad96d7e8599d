#include "planner/rewrite/granularity.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "planner/nodes.hpp"
#include "planner/rewrite/operations.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "parser/scansup.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// A field of a time, by a name or a pattern of to_char(): how long it stays, and how many it has.
struct Field {
  const char *name;
  int64 unit;
  double most;
};

constexpr Field kFields[] = {{"year", 365 * USECS_PER_DAY, kUnlimited},
                             {"isoyear", 365 * USECS_PER_DAY, kUnlimited},
                             {"quarter", 91 * USECS_PER_DAY, 4},
                             {"month", 30 * USECS_PER_DAY, 12},
                             {"week", 7 * USECS_PER_DAY, 53},
                             {"day", USECS_PER_DAY, 31},
                             {"doy", USECS_PER_DAY, 366},
                             {"dow", USECS_PER_DAY, 7},
                             {"isodow", USECS_PER_DAY, 7},
                             {"hour", USECS_PER_HOUR, 24},
                             {"minute", USECS_PER_MINUTE, 60}};

// Patterns of to_char(), the longer ones before those that they begin with.
constexpr Field kPatterns[] = {{"YYYY", 365 * USECS_PER_DAY, kUnlimited},
                               {"YY", 365 * USECS_PER_DAY, kUnlimited},
                               {"IYYY", 365 * USECS_PER_DAY, kUnlimited},
                               {"HH24", USECS_PER_HOUR, 24},
                               {"HH", USECS_PER_HOUR, 12},
                               {"MONTH", 30 * USECS_PER_DAY, 12},
                               {"MON", 30 * USECS_PER_DAY, 12},
                               {"MM", 30 * USECS_PER_DAY, 12},
                               {"MI", USECS_PER_MINUTE, 60},
                               {"SS", USECS_PER_SEC, 60},
                               {"MS", 1000, 1000},
                               {"US", 1000, 1000},
                               {"IW", 7 * USECS_PER_DAY, 53},
                               {"WW", 7 * USECS_PER_DAY, 53},
                               {"IDDD", USECS_PER_DAY, 371},
                               {"DDD", USECS_PER_DAY, 366},
                               {"DAY", USECS_PER_DAY, 7},
                               {"DD", USECS_PER_DAY, 31},
                               {"DY", USECS_PER_DAY, 7},
                               {"ID", USECS_PER_DAY, 7},
                               {"D", USECS_PER_DAY, 7},
                               {"Q", 91 * USECS_PER_DAY, 4}};

// Makes a granularity at least as coarse as a field.
void coarsen(Granularity *granularity, int64 unit, double most) {
  granularity->unit = std::max(granularity->unit, unit);
  granularity->most = std::min(granularity->most, most);
}

// Returns the text of a constant in lower case; an empty one if a node is none.
const char *lower_text(const Node *node) {
  const Const *constant = constant_of(node);
  if (constant == nullptr || constant->consttype != TEXTOID) {
    return "";
  }
  const char *name = TextDatumGetCString(constant->constvalue);
  return downcase_truncate_identifier(name, static_cast<int>(std::strlen(name)), false);
}

// Coarsens to a field of extract().
void coarsen_to_field(Granularity *granularity, const Node *name) {
  for (const Field &field : kFields) {
    if (std::strcmp(lower_text(name), field.name) == 0) {
      coarsen(granularity, field.unit, field.most);
    }
  }
}

// Coarsens to a pattern of to_char(): its finest field, and as many values as its fields have
// together.
void coarsen_to_pattern(Granularity *granularity, const Node *pattern) {
  const Const *constant = constant_of(pattern);
  const char *rest = constant != nullptr ? TextDatumGetCString(constant->constvalue) : "";
  int64 unit = PG_INT64_MAX;
  double most = 1;
  while (*rest != '\0') {
    const auto *found = std::find_if(
        std::begin(kPatterns), std::end(kPatterns),
        [&](const Field &p) { return pg_strncasecmp(rest, p.name, std::strlen(p.name)) == 0; });
    if (found != std::end(kPatterns)) {
      unit = std::min(unit, found->unit);
      most *= found->most;
    }
    rest += found != std::end(kPatterns) ? std::strlen(found->name) : 1;
  }
  if (unit != PG_INT64_MAX) {
    coarsen(granularity, unit, most);
  }
}

// Coarsens to what an operation makes of its argument.
void coarsen_to_operation(Granularity *granularity, const Node *node) {
  const List *args = args_of(node);
  Node *first = nth(args, 0);
  int64 unit = 0;
  switch (function_of(node)) {
    case F_DATE_TIMESTAMPTZ:
    case F_DATE_TIMESTAMP:
      coarsen(granularity, USECS_PER_DAY, kUnlimited);
      break;
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      if (read_unit(first, &unit)) {
        coarsen(granularity, unit, kUnlimited);
      }
      break;
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
      if (const Interval *stride = interval_of(first)) {
        coarsen(granularity, stride->day * USECS_PER_DAY + stride->time, kUnlimited);
      }
      break;
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_DATE:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_DATE:
      coarsen_to_field(granularity, first);
      break;
    case F_TO_CHAR_TIMESTAMPTZ_TEXT:
    case F_TO_CHAR_TIMESTAMP_TEXT:
      coarsen_to_pattern(granularity, nth(args, 1));
      break;
    case F_FLOOR_NUMERIC:
    case F_FLOOR_FLOAT8:
      coarsen(granularity, USECS_PER_SEC, kUnlimited);
      break;
    case F_NUMERIC_DIV:
      // Of seconds, as in floor(extract(epoch FROM c) / 300).
      if (granularity->unit == USECS_PER_SEC) {
        const double seconds = number_of(nth(args, 1));
        constexpr double kCentury = 3.2e9;
        // NaN is not above 1.
        const double moderate = seconds > 1 ? std::min(seconds, kCentury) : 1;
        coarsen(granularity, static_cast<int64>(moderate) * USECS_PER_SEC, kUnlimited);
      }
      break;
    default:
      break;
  }
}

}  // namespace

bool read_granularity(const QueryLevel &level, Node *node, Granularity *granularity) {
  *granularity = {nullptr, 0, kUnlimited};
  while (node != nullptr) {
    node = stripped(node);
    if (const auto *column = as<Var>(node)) {
      node = stored_expression(level, column);
      continue;
    }
    const auto *call = as<FuncExpr>(node);
    if (call != nullptr && is_time_function(call->funcid)) {
      granularity->id = id_of(level, nth(call->args, 0));
      return granularity->id != nullptr;
    }
    coarsen_to_operation(granularity, node);
    node = only_argument(node);
  }
  return false;
}

}  // namespace uuidx
