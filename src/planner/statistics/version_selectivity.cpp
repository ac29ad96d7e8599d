// Planner support for uuid_is_v7(): its row estimate.
#include <algorithm>

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_hooks.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_hook.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the share of version 7 among the rows that the table's other conditions leave: those
// between the bounds of comparisons, or all if there are none. A call that kept its time range, or
// an OR, may admit no other version. Without statistics, all are taken for version 7.
double share_of_v7(const SupportRequestSelectivity *request, Node *id) {
  UuidRange range;
  const Var *column = column_of(id);
  if (column != nullptr &&
      !narrow(request->root, find_base_rel(request->root, column->varno)->baserestrictinfo,
              {static_cast<Index>(column->varno), column->varattno}, &range)) {
    return 1;
  }
  const ColumnStatistics *statistics =
      statistics_for(request->root, id, request->funcid, range.highest);
  if (statistics == nullptr) {
    return 1;
  }
  const Shares shares = shares_of(*statistics, range);
  const bool alone = range.lowest == kNil && range.highest == kMax;
  return alone ? shares.v7 : shares.all > 0 ? shares.v7 / shares.all : 1;
}

}  // namespace

// uuid_is_v7_support(internal), the support function of uuid_is_v7(): estimates its rows. Returns
// null, as the planner expects, if it cannot serve the request, or is not to. The type is checked,
// as a superuser may attach the support function to another function.
UUIDX_FUNCTION(uuidx_is_v7_support) {
  install_planner_hooks();
  auto *request = as<SupportRequestSelectivity>(PG_GETARG_POINTER(0));
  if (request == nullptr || !enable_statistics) {
    PG_RETURN_DATUM(0);
  }
  request->selectivity = 1;
  Node *id = nth(request->args, 0);
  if (id != nullptr && planning_memory(request->root) != nullptr &&
      getBaseType(exprType(id)) == UUIDOID) {
    const double share = in_scratch_context([&] { return share_of_v7(request, id); });
    request->selectivity = std::clamp(share, 0.0, 1.0);
  }
  PG_RETURN_POINTER(request);
}

}  // namespace uuidx
