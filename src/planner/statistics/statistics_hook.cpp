#include "planner/statistics/statistics_hook.hpp"

#include "pg/settings.hpp"
#include "planner/nodes.hpp"
#include "planner/statistics/column_constants.hpp"
#include "planner/statistics/statistics_row.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
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
  const ColumnStatistics *statistics = nullptr;
  Uuid highest = kNil;  // that they were read for
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
Known *find_known(const PlannerInfo *root, TableColumn column) {
  for (Known &candidate : known) {
    if (candidate.root == root && candidate.column.table == column.table &&
        candidate.column.number == column.number) {
      return &candidate;
    }
  }
  return nullptr;
}

// Keeps what is known of a column until the query is planned, or an error ends it.
void remember(const Known &column) {
  if (Known *before = find_known(column.root, column.column); before != nullptr) {
    *before = column;
    return;
  }
  auto *callback = static_cast<MemoryContextCallback *>(
      MemoryContextAlloc(planning_memory(column.root), sizeof(MemoryContextCallback)));
  *callback = {drop_known, nullptr, nullptr};
  MemoryContextRegisterResetCallback(planning_memory(column.root), callback);
  last_known = (last_known + 1) % static_cast<int>(lengthof(known));
  known[last_known] = column;
}

// Reads the statistics of a table's column, as PostgreSQL finds them, into memory that lasts until
// the query is planned.
const ColumnStatistics *read_own(PlannerInfo *root, Node *column, Uuid highest) {
  MemoryContext before = MemoryContextSwitchTo(planning_memory(root));
  VariableStatData own;
  const ColumnStatistics *statistics = nullptr;
  examining = true;
  PG_TRY();
  {
    examine_variable(root, column, 0, &own);
    statistics = read_statistics(root, &own, highest);
    ReleaseVariableStats(own);
  }
  PG_FINALLY();
  { examining = false; }
  PG_END_TRY();
  MemoryContextSwitchTo(before);
  return statistics;
}

// Reads the statistics of a column, unless those that are known will do for UUIDs up to this one.
void read_up_to(PlannerInfo *root, Known *found, Node *column, Uuid highest) {
  if (found->statistics == nullptr || found->highest < highest) {
    found->statistics = read_own(root, column, highest);
    found->highest = highest;
  }
}

// Learns what is needed of a column and of its table's conditions.
void learn(PlannerInfo *root, const RelOptInfo *rel, Known *found) {
  const TableColumn column = found->column;
  found->conditions = rel->baserestrictinfo;
  found->condition_count = list_length(rel->baserestrictinfo);
  found->adapted = nullptr;
  int count = 0;
  const Uuid *constants = find_constants(root, rel->baserestrictinfo, column, &count);
  if (count > 0) {
    Var *variable =
        makeVar(static_cast<int>(column.table), column.number, UUIDOID, -1, InvalidOid, 0);
    read_up_to(root, found, reinterpret_cast<Node *>(variable), constants[count - 1]);
  }
  if (count > 0 && found->statistics != nullptr && found->statistics->histogram.count > 0 &&
      found->statistics->histogram_share > 0) {
    const std::uint64_t table = root->simple_rte_array[rel->relid]->relid;
    HeapTuple adapted =
        adapt_statistics(*found->statistics, constants, count, mixed(table, rel->relid));
    MemoryContext context = MemoryContextSwitchTo(planning_memory(root));
    found->adapted = heap_copytuple(adapted);
    MemoryContextSwitchTo(context);
    found->acl_ok = found->statistics->acl_ok;
    if (rel->reloptkind == RELOPT_OTHER_MEMBER_REL) {
      // There may be thousands of partitions, and few are asked for more than this.
      pfree(found->statistics->histogram.pieces);
      found->statistics = nullptr;
    }
  }
}

// Returns what is known of a column and of its table's conditions, and keeps it.
Known learned(PlannerInfo *root, const RelOptInfo *rel, TableColumn column, const Known *before) {
  Known found = before != nullptr ? *before : Known{root, column};
  MemoryContext scratch = make_scratch_context();
  MemoryContext context = MemoryContextSwitchTo(scratch);
  learn(root, rel, &found);
  MemoryContextSwitchTo(context);
  MemoryContextDelete(scratch);
  remember(found);
  return found;
}

// Returns the table of this query, not of a query within it, whose column is meant; null if there
// is none, or nothing can be kept of it. brincostestimate() passes a variable that is not
// initialized: nothing in it may be followed. The search begins with tables that were found before:
// the planner goes through the partitions of one, and asks for a table that it joins them with in
// between.
const RelOptInfo *own_table(const PlannerInfo *root, const RangeTblEntry *entry, AttrNumber number,
                            const VariableStatData *variable) {
  static constinit int recent[4]{};
  const int size = planning_memory(root) != nullptr ? root->simple_rel_array_size : 0;
  for (int k = 0; k < size; ++k) {
    for (int &start : recent) {
      const int i = (start + k) % size;
      const RelOptInfo *rel = root->simple_rel_array[i];
      if (rel != nullptr && rel == variable->rel) {
        start = i;
        return root->simple_rte_array[i] == entry && entry->rtekind == RTE_RELATION && number > 0
                   ? rel
                   : nullptr;
      }
    }
  }
  return nullptr;
}

void release_nothing([[maybe_unused]] HeapTuple tuple) {}

// Gives the planner statistics of a column.
bool relation_stats(PlannerInfo *root, RangeTblEntry *entry, AttrNumber number,
                    VariableStatData *variable) {
  const RelOptInfo *rel =
      enable_statistics && !examining ? own_table(root, entry, number, variable) : nullptr;
  if (rel != nullptr && rel->baserestrictinfo != NIL) {
    const TableColumn column{rel->relid, number};
    const Known *before = find_known(root, column);
    const bool is_uuid = before != nullptr || get_atttype(entry->relid, number) == UUIDOID;
    const bool same = before != nullptr && before->conditions == rel->baserestrictinfo &&
                      before->condition_count == list_length(rel->baserestrictinfo);
    const Known found = same ? *before : is_uuid ? learned(root, rel, column, before) : Known{};
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

const ColumnStatistics *statistics_for(PlannerInfo *root, VariableStatData *variable, Oid function,
                                       Uuid highest) {
  const RelOptInfo *rel = variable->rel;
  if (rel == nullptr || !HeapTupleIsValid(variable->statsTuple) ||
      !statistic_proc_security_check(variable, function)) {
    return nullptr;
  }
  const bool simple = IS_SIMPLE_REL(rel) && IsA(variable->var, Var);
  const AttrNumber number =
      simple ? reinterpret_cast<const Var *>(variable->var)->varattno : AttrNumber{0};
  if (!simple || own_table(root, root->simple_rte_array[rel->relid], number, variable) == nullptr) {
    return read_statistics(root, variable, highest);
  }
  const TableColumn column{rel->relid, number};
  const Known *before = find_known(root, column);
  Known found = before != nullptr ? *before : Known{root, column};
  read_up_to(root, &found, variable->var, highest);
  remember(found);
  return found.statistics;
}

}  // namespace uuidx
