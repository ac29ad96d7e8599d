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

constinit get_relation_stats_hook_type next_hook = nullptr;

// While it is true, the hook leaves columns to PostgreSQL.
constinit bool examining = false;

// A column, and conditions of its table, which the planner may add to.
struct Key {
  const PlannerInfo *root = nullptr;
  Index table = 0;
  AttrNumber number = InvalidAttrNumber;
  const List *conditions = NIL;
  int condition_count = 0;

  bool operator==(const Key &) const = default;
};

// What is known of a column for the conditions, while a query is planned.
struct Known {
  Key key;
  bool acl_ok = false;          // as VariableStatData has it
  HeapTuple adapted = nullptr;  // null if the column's own statistics will do
};

// The columns that were asked for last: the planner asks for one again and again.
constinit Known known[16];
constinit int last_known = 0;

// Forgets all columns, as memory that some refer to goes.
void drop_known([[maybe_unused]] void *argument) {
  std::fill_n(known, lengthof(known), Known{});
}

// Keeps what is known of a column until the query is planned, or an error ends it.
void remember(const Known &column) {
  MemoryContext memory = planning_memory(column.key.root);
  if (find_callback(memory->reset_cbs, drop_known) == nullptr) {
    auto *callback = static_cast<MemoryContextCallback *>(
        MemoryContextAlloc(memory, sizeof(MemoryContextCallback)));
    *callback = {drop_known, nullptr, nullptr};
    MemoryContextRegisterResetCallback(memory, callback);
  }
  last_known = (last_known + 1) % static_cast<int>(lengthof(known));
  known[last_known] = column;
}

// Returns the place of a kind of statistics in a row of pg_statistic, from 0. One that ANALYZE has
// not made for the column gets the last place, which ANALYZE never fills for a uuid.
int slot_of(HeapTuple row, int16 kind) {
  const int16 *kinds = &reinterpret_cast<Form_pg_statistic>(GETSTRUCT(row))->stakind1;
  return static_cast<int>(std::find(kinds, kinds + STATISTIC_NUM_SLOTS - 1, kind) - kinds);
}

// Returns an array of UUIDs.
Datum uuid_array(const Uuid *ids, int count) {
  auto *octets = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t) * static_cast<Size>(count)));
  auto *values = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<Size>(count)));
  for (int i = 0; i < count; ++i) {
    to_octets(ids[i], octets[i].data);
    values[i] = UUIDPGetDatum(&octets[i]);
  }
  return PointerGetDatum(construct_array(values, count, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR));
}

// A change of a row of pg_statistic.
struct Change {
  Datum values[Natts_pg_statistic] = {};
  bool nulls[Natts_pg_statistic] = {};
  bool replaced[Natts_pg_statistic] = {};

  // Sets a column of a slot, by the number of that of the first slot.
  void set(int column, int slot, Datum value) {
    values[column + slot - 1] = value;
    replaced[column + slot - 1] = true;
  }

  // Sets the common values: those of the table, and among them those of `adapted`. PostgreSQL takes
  // the first one for the most frequent and the last one for the least frequent of all. So beside
  // the first and the last interval is a value that is as frequent as one is on average.
  void set_common(const ColumnStatistics &statistics, const Adapted &adapted) {
    const Size size = static_cast<Size>(statistics.common_count) + Adapted::kMostCommon + 2;
    auto *ids = static_cast<Uuid *>(palloc(sizeof(Uuid) * size));
    auto *shares = static_cast<Datum *>(palloc(sizeof(Datum) * size));
    int count = 0;
    const auto add = [&](Uuid id, double share) {
      ids[count] = id;
      shares[count++] = Float4GetDatum(static_cast<float4>(share));
    };
    const auto add_average = [&](const CommonValue &interval) {
      add({interval.id.hi, interval.id.lo ^ 1},
          statistics.histogram_share / std::max(statistics.distinct, 1.0));
    };
    const CommonValue *end = adapted.common + adapted.common_count;
    for (int i = 0; i < statistics.common_count; ++i) {
      add(statistics.common[i].id, statistics.common[i].share);
    }
    add_average(adapted.common[0]);
    for (const CommonValue *value = adapted.common; value != end; ++value) {
      add(value->id, value->share * statistics.histogram_share);
    }
    add_average(end[-1]);
    const int slot = slot_of(statistics.row, STATISTIC_KIND_MCV);
    set(Anum_pg_statistic_stakind1, slot, Int16GetDatum(STATISTIC_KIND_MCV));
    set(Anum_pg_statistic_staop1, slot, ObjectIdGetDatum(uuid_operator(BTEqualStrategyNumber)));
    set(Anum_pg_statistic_stanumbers1, slot,
        PointerGetDatum(
            construct_array(shares, count, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT)));
    set(Anum_pg_statistic_stavalues1, slot, uuid_array(ids, count));
  }
};

// Returns the row of a column for some constants, as of adapt(), in the memory of a query.
HeapTuple adapted_row(const PlannerInfo *root, const ColumnStatistics &statistics,
                      const Uuid *constants, int count, std::uint64_t seed) {
  Adapted adapted;
  adapt(statistics.histogram, constants, count, seed, &adapted);
  Change change;
  change.set(Anum_pg_statistic_stavalues1, slot_of(statistics.row, STATISTIC_KIND_HISTOGRAM),
             uuid_array(adapted.bounds, adapted.bound_count));
  change.set_common(statistics, adapted);
  Relation catalog = table_open(StatisticRelationId, AccessShareLock);
  MemoryContext before = MemoryContextSwitchTo(planning_memory(root));
  HeapTuple row = heap_modify_tuple(statistics.row, RelationGetDescr(catalog), change.values,
                                    change.nulls, change.replaced);
  MemoryContextSwitchTo(before);
  table_close(catalog, AccessShareLock);
  return row;
}

// Returns what is needed of a column for the conditions.
Known learn(PlannerInfo *root, const Key &key) {
  Known found{key};
  Uuid constants[kMostConstants];
  const int count = find_constants(root, key.conditions, {key.table, key.number}, constants);
  if (count == 0) {
    return found;
  }
  Var *variable = makeVar(static_cast<int>(key.table), key.number, UUIDOID, -1, InvalidOid, 0);
  const ColumnStatistics *statistics =
      statistics_for(root, as_node(variable), F_UUID_LT, constants[count - 1]);
  if (statistics != nullptr && statistics->histogram.count > 0 && statistics->histogram_share > 0) {
    found.adapted = adapted_row(root, *statistics, constants, count,
                                mixed(root->simple_rte_array[key.table]->relid, key.table));
    found.acl_ok = statistics->acl_ok;
  }
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
// of the query that has conditions. A call may plan other queries, which forget and learn columns
// of theirs.
Known known_of(PlannerInfo *root, const RangeTblEntry *entry, AttrNumber number) {
  const Index table = number_of(root, entry);
  const RelOptInfo *rel = table != 0 ? root->simple_rel_array[table] : nullptr;
  if (rel == nullptr || rel->baserestrictinfo == NIL) {
    return {};
  }
  const Key key{root, table, number, rel->baserestrictinfo, rel->baserestrictinfo->length};
  for (const Known &column : known) {
    if (column.key == key) {
      return column;
    }
  }
  if (get_atttype(entry->relid, number) != UUIDOID) {
    return {};
  }
  const Known found = in_scratch_context([&] { return learn(root, key); });
  remember(found);
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
