#include "planner/groups/group_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/v7.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/groups/granularity.hpp"
#include "planner/orders/time_orders.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_hook.hpp"
#include "planner/statistics/statistics_row.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "utils/fmgroids.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

constinit get_index_stats_hook_type next_hook = nullptr;

// An index that has only expressions, for estimates. It has the OID of an index of the table
// without expressions, for which get_index_stats_hook is never called: other extensions look up the
// name of each index.
struct CountIndex {
  IndexOptInfo info;
  List *granularities;  // of the expressions
};

// Returns the index that counts the values of a variable's expression; null if the index asked for
// is another one. For those, brincostestimate() passes a variable that is not initialized: nothing
// in it may be followed.
const CountIndex *count_index(const QueryLevel *level, Oid index,
                              const VariableStatData *variable) {
  for (const auto *counts : each<CountIndex>(level != nullptr ? level->counts : NIL)) {
    if (counts->info.indexoid == index && counts->info.rel == variable->rel) {
      return counts;
    }
  }
  return nullptr;
}

// Returns how many periods of a length have rows between two UUIDs, of which a piece of the column
// has so many rows.
double periods_in(const Piece &piece, UuidRange range, double millis, double rows) {
  const UuidRange part = intersection({piece.from, piece.to}, range);
  if (part.empty() || piece.share.v7 <= 0) {
    return 0;
  }
  const double span = distance(part.lowest, part.highest) / (std::uint64_t{1} << kMillisShift);
  return std::min(span / millis, rows * piece.share.v7);
}

// Returns the number of values of an expression in the rows that the conditions of its table leave;
// 0 if that is not known.
double count_values(PlannerInfo *root, const RelOptInfo *rel, const Granularity &granularity) {
  VariableStatData variable;
  examine_variable(root, as_node(copy_of(granularity.id)), 0, &variable);
  double periods = 0;
  if (const ColumnStatistics *statistics = statistics_for(root, &variable, F_UUID_LT, kMax)) {
    UuidRange range;
    const TableColumn column{rel->relid, granularity.id->varattno};
    narrow(root, rel->baserestrictinfo, column, &range);
    const Pieces &pieces = statistics->histogram;
    // set_append_rel_size() counts only the rows that the conditions leave.
    const double rows =
        rte_of(root, rel->relid)->inh ? kUnlimited : rel->tuples * statistics->histogram_share;
    for (int i = 0; i < pieces.count; ++i) {
      periods += periods_in(pieces.pieces[i], range,
                            static_cast<double>(granularity.unit) / kMicrosPerMilli, rows);
    }
  }
  bool unknown = false;
  const double keys = get_variable_numdistinct(&variable, &unknown);
  ReleaseVariableStats(variable);
  // One more, as the first and the last one are parts of periods.
  return periods > 0 ? std::min({periods + 1, granularity.most, std::max(keys, 1.0)}) : 0;
}

// Gives the planner the number of values of an expression. Returns true even if it is not known:
// the planner would take the statistics of the table's column with this number.
bool index_stats(PlannerInfo *root, Oid index, AttrNumber position, VariableStatData *variable) {
  const CountIndex *counts = count_index(known_level(root), index, variable);
  if (counts == nullptr) {
    return next_hook != nullptr && next_hook(root, index, position, variable);
  }
  const auto *granularity = nth<Granularity>(counts->granularities, position - 1);
  if (const double count = count_values(root, variable->rel, *granularity); count > 0) {
    variable->statsTuple = make_row(sizeof(Timestamp), static_cast<float4>(std::ceil(count)));
    variable->freefunc = heap_freetuple;
    variable->acl_ok = true;
  }
  return true;
}

// Sets the cost of a scan that is not possible.
void estimate_no_scan(PlannerInfo * /*root*/, IndexPath * /*path*/, double /*loops*/, Cost *startup,
                      Cost *total, Selectivity *selectivity, double *correlation, double *pages) {
  *startup = *total = disable_cost;
  *selectivity = 1;
  *correlation = 0;
  *pages = 1;
}

// Returns the index that counts the groups of a table; a new one, without columns, if there is
// none.
CountIndex *index_of(const QueryLevel &level, RelOptInfo *rel) {
  for (auto *known : each<CountIndex>(level.counts)) {
    if (known->info.rel == rel) {
      return known;
    }
  }
  auto *index = static_cast<CountIndex *>(palloc0(sizeof(CountIndex)));
  IndexOptInfo *info = &index->info;
  info->type = T_IndexOptInfo;
  info->rel = rel;
  info->amcostestimate = reinterpret_cast<decltype(info->amcostestimate)>(estimate_no_scan);
  return index;
}

// Adds an expression to an index, as a column without a key.
void add_expression(CountIndex *index, Node *expression, const Granularity &granularity) {
  IndexOptInfo *info = &index->info;
  info->indexprs = lappend(info->indexprs, expression);
  index->granularities = lappend(index->granularities, allocated(granularity));
  ++info->ncolumns;
  TargetEntry *target =
      makeTargetEntry(as_expr(expression), static_cast<AttrNumber>(info->ncolumns), nullptr, false);
  info->indextlist = lappend(info->indextlist, target);
  const auto count = static_cast<Size>(info->ncolumns);
  info->indexkeys = static_cast<int *>(palloc0(count * sizeof(int)));
  info->canreturn = static_cast<bool *>(palloc0(count * sizeof(bool)));
}

}  // namespace

void add_group_counts(QueryLevel *level, RelOptInfo *rel) {
  const Query *query = level->root->parse;
  const bool groups = query->groupClause != NIL || query->distinctClause != NIL;
  CountIndex *index = index_of(*level, rel);
  for (const auto *order : each<Order>(orders_of(level))) {
    Granularity granularity;
    const bool counts = (groups && order->sort != nullptr) || (order->joins && !order->range) ||
                        list_member(level->equalities, stripped(order->expression));
    if (!counts || !read_granularity(*level, order->expression, &granularity) ||
        granularity.id->varno != static_cast<int>(rel->relid)) {
      continue;
    }
    index->info.indexoid = table_of(level, granularity.id)->plain_index;
    granularity.unit = std::max<int64>(granularity.unit, kMicrosPerMilli);
    // As examine_variable() compares it.
    Node *expression = without_nulling_relids(stripped(order->expression), granularity.id);
    if (!list_member(index->info.indexprs, expression)) {
      add_expression(index, expression, granularity);
    }
  }
  if (index->granularities != NIL && OidIsValid(index->info.indexoid)) {
    level->counts = list_append_unique_ptr(level->counts, index);
    rel->indexlist = list_append_unique_ptr(rel->indexlist, index);
  }
}

double count_periods(PlannerInfo *root, const RelOptInfo *rel, const Var *id, int64 unit) {
  return count_values(root, rel, {id, std::max<int64>(unit, kMicrosPerMilli), kUnlimited});
}

void install_group_counts() {
  next_hook = get_index_stats_hook;
  get_index_stats_hook = index_stats;
}

}  // namespace uuidx
