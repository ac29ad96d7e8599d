#include "planner/groups/granularity.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/times/operations.hpp"
#include "planner/times/units.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Makes a granularity at least as coarse as what a step makes of its argument.
void coarsen(Granularity *granularity, const Step &step) {
  int64 unit = step.length;
  double most = kUnlimited;
  switch (step.kind) {
    case Step::Kind::cut:
      break;
    case Step::Kind::year:
    case Step::Kind::text:
    case Step::Kind::field:
      most = step.values;
      break;
    case Step::Kind::floor:
      unit = USECS_PER_SEC;
      break;
    case Step::Kind::scale:
      // Of seconds, as in floor(extract(epoch FROM c) / 300).
      unit = granularity->unit == USECS_PER_SEC
                 ? static_cast<int64>(std::clamp(step.values, 1.0, 3.2e9)) * USECS_PER_SEC
                 : 0;
      break;
    default:
      return;
  }
  granularity->unit = std::max(granularity->unit, unit);
  granularity->most = std::min(granularity->most, most);
}

}  // namespace

bool read_granularity(const QueryLevel &level, Node *node, Granularity *granularity) {
  *granularity = {nullptr, 0, kUnlimited};
  while (node != nullptr) {
    node = stripped(node);
    if (const auto *column = as<Var>(node)) {
      Reach tolerance;
      node = stored_expression(level, column, &tolerance);
      continue;
    }
    const auto *call = as<FuncExpr>(node);
    if (call != nullptr && is_time_function(call->funcid)) {
      granularity->id = id_of(level, nth(call->args, 0));
      return granularity->id != nullptr;
    }
    constexpr int kDigits = 6;
    Computation operation;
    Node *argument = read_operation(node, kDigits, &operation);
    for (const Step &step : operation) {
      coarsen(granularity, step);
    }
    node = argument != nullptr ? argument : only_argument(node);
  }
  return false;
}

}  // namespace uuidx
