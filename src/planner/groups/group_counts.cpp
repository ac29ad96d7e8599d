#include "planner/groups/group_counts.hpp"

#include <algorithm>
#include <cmath>

#include "core/v7.hpp"
#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_hook.hpp"
#include "planner/times/computation.hpp"
#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_statistic.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/index_selfuncs.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constinit get_index_stats_hook_type next_hook = nullptr;

// How coarse what a query computes from the time of a key is.
struct Granularity {
  const Var *id = nullptr;
  int64 unit = 0;   // the length of the times with one value, in microseconds; 0 for each time
  double most = 0;  // the number of values, if they recur, as of the hours of all days
};

// An index that has only expressions, for estimates. It has the OID of an index of the table
// without expressions, for which get_index_stats_hook is never called: other extensions look up the
// name of each index.
struct CountIndex {
  IndexOptInfo info;
  List *granularities;  // of the expressions
};

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

// Reads an expression; returns false if it is not computed from the time of a key.
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
    Computation operation;
    Node *argument = read_operation(node, &operation);
    for (const Step &step : operation) {
      coarsen(granularity, step);
    }
    node = argument != nullptr ? argument : only_argument(node);
  }
  return false;
}

// Returns the index that counts the groups of a table; null if there is none.
CountIndex *count_index(const QueryLevel &level, const RelOptInfo *rel) {
  for (auto *counts : each<CountIndex>(level.counts)) {
    if (counts->info.rel == rel) {
      return counts;
    }
  }
  return nullptr;
}

// Returns the number of periods of a length in which rows are that the conditions of a table leave,
// in a memory of its own; 0 if that is not known.
double periods_of_rows(PlannerInfo *root, const RelOptInfo *rel, const Var *id, int64 unit) {
  const ColumnStatistics *statistics = statistics_for(root, as_node(copy_of(id)), F_UUID_LT);
  if (statistics == nullptr) {
    return 0;
  }
  UuidRange range;
  narrow(root, rel->baserestrictinfo, {rel->relid, id->varattno}, &range);
  // set_append_rel_size() counts only the rows that the conditions leave.
  const double rows =
      rte_of(root, rel->relid)->inh ? kUnlimited : rel->tuples * statistics->histogram_share;
  const double length = static_cast<double>(std::max<int64>(unit, kMicrosPerMilli)) /
                        kMicrosPerMilli * (1 << kMillisShift);
  double periods = 0;
  for (int i = 0; i < statistics->histogram.count; ++i) {
    const Piece &piece = statistics->histogram.pieces[i];
    const UuidRange part = intersection({piece.from, piece.to}, range);
    if (!part.empty() && piece.share.v7 > 0) {
      periods += std::min(distance(part.lowest, part.highest) / length, rows * piece.share.v7);
    }
  }
  // One more, as the first and the last one are parts of periods.
  return periods > 0 ? std::min(periods + 1, std::max(statistics->distinct, 1.0)) : 0;
}

// Returns a row of pg_statistic that says how many values are different, and nothing else.
HeapTuple make_row(double distinct) {
  Datum values[Natts_pg_statistic] = {};
  bool nulls[Natts_pg_statistic] = {};
  values[Anum_pg_statistic_stadistinct - 1] = Float4GetDatum(static_cast<float4>(distinct));
  std::fill_n(nulls + Anum_pg_statistic_stanumbers1 - 1, 2 * STATISTIC_NUM_SLOTS, true);
  Relation catalog = table_open(StatisticRelationId, AccessShareLock);
  HeapTuple row = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
  table_close(catalog, AccessShareLock);
  return row;
}

// Gives the planner the number of values of an expression. Returns true even if it is not known:
// the planner would take the statistics of the table's column with this number.
bool index_stats(PlannerInfo *root, Oid index, AttrNumber position, VariableStatData *variable) {
  // For other indexes, brincostestimate() passes a variable that is not initialized: nothing in it
  // may be followed.
  const QueryLevel *level = known_level(root);
  const CountIndex *counts = nullptr;
  for (const auto *known : each<CountIndex>(level != nullptr ? level->counts : NIL)) {
    counts = known->info.indexoid == index && known->info.rel == variable->rel ? known : counts;
  }
  if (counts == nullptr) {
    return next_hook != nullptr && next_hook(root, index, position, variable);
  }
  const auto *granularity = nth<Granularity>(counts->granularities, position - 1);
  const double periods = count_periods(root, variable->rel, granularity->id, granularity->unit);
  if (periods > 0) {
    variable->statsTuple = make_row(std::ceil(std::min(periods, granularity->most)));
    variable->freefunc = heap_freetuple;
    variable->acl_ok = true;
  }
  return true;
}

// Returns a new index that counts the groups of a table, without columns.
CountIndex *make_index(RelOptInfo *rel) {
  auto *index = static_cast<CountIndex *>(palloc0(sizeof(CountIndex)));
  IndexOptInfo *info = &index->info;
  info->type = T_IndexOptInfo;
  info->rel = rel;
  info->amcostestimate = reinterpret_cast<decltype(info->amcostestimate)>(hashcostestimate);
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
  if (!enable_statistics || rel->reloptkind != RELOPT_BASEREL) {
    return;
  }
  const Query *query = level->root->parse;
  const bool groups = query->groupClause != NIL || query->distinctClause != NIL;
  CountIndex *known = count_index(*level, rel);
  CountIndex *index = known != nullptr ? known : make_index(rel);
  for (const auto *order : each<Order>(orders_of(level))) {
    Granularity granularity;
    const bool counts = (groups && order->sort != nullptr) || (order->joins && !order->range) ||
                        list_member(level->equalities, stripped(order->expression));
    if (!counts || !read_granularity(*level, order->expression, &granularity) ||
        granularity.id->varno != static_cast<int>(rel->relid)) {
      continue;
    }
    index->info.indexoid = table_of(level, granularity.id)->plain_index;
    // As examine_variable() compares it.
    Node *expression = without_nulling_relids(stripped(order->expression), granularity.id);
    if (!list_member(index->info.indexprs, expression)) {
      add_expression(index, expression, granularity);
    }
  }
  if (known == nullptr && OidIsValid(index->info.indexoid)) {
    level->counts = lappend(level->counts, index);
    rel->indexlist = lappend(rel->indexlist, index);
  }
}

double count_periods(PlannerInfo *root, const RelOptInfo *rel, const Var *id, int64 unit) {
  return in_scratch_context([&] { return periods_of_rows(root, rel, id, unit); });
}

void install_group_counts() {
  next_hook = get_index_stats_hook;
  get_index_stats_hook = index_stats;
}

}  // namespace uuidx
