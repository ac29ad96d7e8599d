#include "planner/statistics/statistics_hook.hpp"

#include "core/adapted_histogram.hpp"
#include "pg/settings.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_row.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constinit get_relation_stats_hook_type next_hook = nullptr;

// While it is true, the hook leaves columns to PostgreSQL.
constinit bool examining = false;

// What is known of a column in the planning of a query.
struct Known {
  const PlannerInfo *root = nullptr;
  TableColumn column;
  // For these conditions of its table, which the planner may add to.
  const List *conditions = nullptr;
  int condition_count = -1;
  bool acl_ok = false;          // as VariableStatData has it
  HeapTuple adapted = nullptr;  // null if the column's own statistics will do
};

// The columns that were asked for last: the planner asks for one again and again.
constinit Known known[16];
constinit int last_known = 0;

// Forgets all columns, as memory that some refer to goes.
void drop_known([[maybe_unused]] void *argument) {
  for (Known &column : known) {
    column = {};
  }
}

// Returns what is known of a column; null if nothing is.
Known *find_known(const PlannerInfo *root, const RangeTblEntry *entry, AttrNumber number) {
  for (Known &candidate : known) {
    if (candidate.root == root && candidate.column.number == number &&
        root->simple_rte_array[candidate.column.table] == entry) {
      return &candidate;
    }
  }
  return nullptr;
}

// Keeps what is known of a column until the query is planned, or an error ends it.
void remember(const RangeTblEntry *entry, const Known &column) {
  if (Known *before = find_known(column.root, entry, column.column.number); before != nullptr) {
    *before = column;
    return;
  }
  MemoryContext memory = planning_memory(column.root);
  if (find_callback(memory->reset_cbs, drop_known) == nullptr) {
    auto *callback = static_cast<MemoryContextCallback *>(
        MemoryContextAlloc(memory, sizeof(MemoryContextCallback)));
    *callback = {drop_known, nullptr, nullptr};
    MemoryContextRegisterResetCallback(memory, callback);
  }
  last_known = (last_known + 1) % static_cast<int>(lengthof(known));
  known[last_known] = column;
}

// Returns what is needed of a column for its table's conditions.
Known learn(PlannerInfo *root, const List *conditions, TableColumn column) {
  const auto [table, number] = column;
  Known found{root, column, conditions, list_length(conditions)};
  Uuid constants[kMostConstants];
  const int count = find_constants(root, conditions, column, constants);
  if (count == 0) {
    return found;
  }
  Var *variable = makeVar(static_cast<int>(table), number, UUIDOID, -1, InvalidOid, 0);
  const ColumnStatistics *statistics =
      statistics_for(root, as_node(variable), F_UUID_LT, constants[count - 1]);
  if (statistics == nullptr || statistics->histogram.count == 0 ||
      statistics->histogram_share <= 0) {
    return found;
  }
  HeapTuple adapted = adapt_statistics(*statistics, constants, count,
                                       mixed(root->simple_rte_array[table]->relid, table));
  MemoryContext scratch = MemoryContextSwitchTo(planning_memory(root));
  found.adapted = heap_copytuple(adapted);
  MemoryContextSwitchTo(scratch);
  found.acl_ok = statistics->acl_ok;
  return found;
}

// Returns the number of a table in a query; 0 if it is not one of its own. The search goes on from
// the table found last, as the planner goes through the partitions of one.
Index number_of(const PlannerInfo *root, const RangeTblEntry *entry) {
  static constinit int last = 0;
  const int size = root->simple_rel_array_size;
  for (int i = 0; i < size; ++i) {
    const int table = (last + i) % size;
    if (root->simple_rte_array[table] == entry) {
      last = table;
      return static_cast<Index>(table);
    }
  }
  return 0;
}

// Returns what is known of a column, and keeps it; nothing if it is not one of type uuid of a table
// of the query. A call may plan other queries, which forget and learn columns of theirs.
Known known_of(PlannerInfo *root, const RangeTblEntry *entry, AttrNumber number) {
  Known found;
  if (const Known *before = find_known(root, entry, number); before != nullptr) {
    found = *before;
  } else if (get_atttype(entry->relid, number) == UUIDOID) {
    found = {root, {number_of(root, entry), number}};
  }
  const Index table = found.column.table;
  const RelOptInfo *rel = table != 0 ? root->simple_rel_array[table] : nullptr;
  if (rel == nullptr) {
    return {};
  }
  const List *conditions = rel->baserestrictinfo;
  if (found.conditions != conditions || found.condition_count != list_length(conditions)) {
    found = in_scratch_context([&] { return learn(root, conditions, found.column); });
    remember(entry, found);
  }
  return found;
}

void release_nothing([[maybe_unused]] HeapTuple tuple) {}

// Gives the planner statistics of a column. brincostestimate() passes a variable that is not
// initialized: nothing in it may be followed.
bool relation_stats(PlannerInfo *root, RangeTblEntry *entry, AttrNumber number,
                    VariableStatData *variable) {
  if (enable_statistics && !examining && planning_memory(root) != nullptr &&
      entry->rtekind == RTE_RELATION && number > 0) {
    const Known found = known_of(root, entry, number);
    if (found.adapted != nullptr) {
      variable->statsTuple = found.adapted;
      variable->freefunc = release_nothing;
      variable->acl_ok = found.acl_ok;
      return true;
    }
  }
  return next_hook != nullptr && next_hook(root, entry, number, variable);
}

}  // namespace

void install_statistics() {
  next_hook = get_relation_stats_hook;
  get_relation_stats_hook = relation_stats;
}

const ColumnStatistics *statistics_for(PlannerInfo *root, Node *column, Oid function,
                                       Uuid highest) {
  VariableStatData own;
  const ColumnStatistics *volatile statistics = nullptr;
  examining = true;
  PG_TRY();
  {
    examine_variable(root, column, 0, &own);
    if (own.rel != nullptr && HeapTupleIsValid(own.statsTuple) &&
        statistic_proc_security_check(&own, function)) {
      statistics = read_statistics(root, &own, highest);
    }
    ReleaseVariableStats(own);
  }
  PG_FINALLY();
  { examining = false; }
  PG_END_TRY();
  return statistics;
}

}  // namespace uuidx
