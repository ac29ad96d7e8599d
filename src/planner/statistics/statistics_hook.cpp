#include "planner/statistics/statistics_hook.hpp"

#include <algorithm>

#include "core/adapted_histogram.hpp"
#include "pg/settings.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/statistics/column_constants.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A row in the making. What is not set is zero, and the slots have no arrays.
struct Row {
  Datum values[Natts_pg_statistic] = {};
  bool nulls[Natts_pg_statistic] = {};
  int slots = 0;

  Row(float4 null_share, int32 width, float4 distinct) {
    values[Anum_pg_statistic_stanullfrac - 1] = Float4GetDatum(null_share);
    values[Anum_pg_statistic_stawidth - 1] = Int32GetDatum(width);
    values[Anum_pg_statistic_stadistinct - 1] = Float4GetDatum(distinct);
    std::fill_n(nulls + Anum_pg_statistic_stanumbers1 - 1, 2 * STATISTIC_NUM_SLOTS, true);
  }

  // Fills the next slot; an array that is 0 is none.
  void add_slot(int16 kind, Oid op, Datum numbers, Datum list) {
    values[Anum_pg_statistic_stakind1 - 1 + slots] = Int16GetDatum(kind);
    values[Anum_pg_statistic_staop1 - 1 + slots] = ObjectIdGetDatum(op);
    values[Anum_pg_statistic_stanumbers1 - 1 + slots] = numbers;
    nulls[Anum_pg_statistic_stanumbers1 - 1 + slots] = numbers == 0;
    values[Anum_pg_statistic_stavalues1 - 1 + slots] = list;
    nulls[Anum_pg_statistic_stavalues1 - 1 + slots] = list == 0;
    ++slots;
  }

  HeapTuple form() {
    Relation catalog = table_open(StatisticRelationId, AccessShareLock);
    HeapTuple tuple = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
    table_close(catalog, AccessShareLock);
    return tuple;
  }
};

// Values of a slot, with the numbers that belong to them.
struct SlotValues {
  pg_uuid_t *ids;
  Datum *values;
  Datum *numbers;
  int count = 0;

  explicit SlotValues(int most) {
    const auto size = static_cast<std::size_t>(most);
    ids = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t) * size));
    values = static_cast<Datum *>(palloc(sizeof(Datum) * size));
    numbers = static_cast<Datum *>(palloc(sizeof(Datum) * size));
  }

  void add(Uuid id, double number = 0) {
    to_octets(id, ids[count].data);
    values[count] = UUIDPGetDatum(&ids[count]);
    numbers[count++] = Float4GetDatum(static_cast<float4>(number));
  }

  [[nodiscard]] Datum values_array() const {
    return PointerGetDatum(construct_array(values, count, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR));
  }

  [[nodiscard]] Datum numbers_array() const {
    return PointerGetDatum(
        construct_array(numbers, count, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT));
  }
};

// Returns the common values of a column and, among them, those of `adapted`. PostgreSQL takes the
// first one for the most frequent and the last one for the least frequent of all. So the first is a
// real one, if there is any; else it is as frequent as a value is on average, and so is the last.
SlotValues list_common(const ColumnStatistics &statistics, Adapted *adapted) {
  SlotValues list(statistics.common_count + adapted->common_count + 2);
  for (int i = 0; i < statistics.common_count; ++i) {
    list.add(statistics.common[i].id, statistics.common[i].share);
  }
  const double average = statistics.distinct >= 1 ? 1 / statistics.distinct : 0;
  CommonValue *last = &adapted->common[adapted->common_count - 1];
  const auto add = [&](Uuid id, double share) { list.add(id, share * statistics.histogram_share); };
  const auto add_average = [&](const CommonValue &interval) {
    add({interval.id.hi, interval.id.lo ^ 1}, average);
  };
  // Their shares are those of the intervals at the ends, in which they are.
  if (statistics.common_count == 0) {
    adapted->common->share -= average;
    add_average(*adapted->common);
  }
  last->share -= average;
  for (const CommonValue *value = adapted->common; value <= last; ++value) {
    add(value->id, value->share);
  }
  add_average(*last);
  return list;
}

// Returns the statistics of a column for some constants, as of adapt().
HeapTuple adapt_statistics(const ColumnStatistics &statistics, const Uuid *constants, int count,
                           std::uint64_t seed) {
  Adapted adapted;
  adapt(statistics.histogram, constants, count, seed, &adapted);
  SlotValues bounds(adapted.bound_count);
  for (int i = 0; i < adapted.bound_count; ++i) {
    bounds.add(adapted.bounds[i]);
  }
  const SlotValues common = list_common(statistics, &adapted);
  SlotValues correlation(1);
  correlation.add(kNil, statistics.correlation);
  const Oid less = uuid_operator(BTLessStrategyNumber);
  Row row(statistics.null_share, statistics.width, statistics.stored_distinct);
  row.add_slot(STATISTIC_KIND_MCV, uuid_operator(BTEqualStrategyNumber), common.numbers_array(),
               common.values_array());
  row.add_slot(STATISTIC_KIND_HISTOGRAM, less, 0, bounds.values_array());
  row.add_slot(STATISTIC_KIND_CORRELATION, less, correlation.numbers_array(), 0);
  return row.form();
}

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

HeapTuple make_row(int32 width, float4 distinct) {
  return Row(0, width, distinct).form();
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
