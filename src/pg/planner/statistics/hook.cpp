#include "pg/planner/statistics/hook.hpp"

#include <algorithm>

#include "pg/planner/statistics/comparisons.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"
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
  // For these conditions of its table, which the planner may add to.
  const List *conditions = nullptr;
  int condition_count = -1;
  HeapTuple adapted = nullptr;  // null if the column's own statistics will do
};

// The columns that were asked for last: the planner asks for one again and again.
constinit Known known[16];
constinit int last_known = 0;

// Forgets all columns, as memory that some refer to goes.
void forget([[maybe_unused]] void *argument) {
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
void keep(const Known &column) {
  if (Known *before = find_known(column.root, column.column); before != nullptr) {
    *before = column;
    return;
  }
  auto *callback = static_cast<MemoryContextCallback *>(
      MemoryContextAlloc(column.root->planner_cxt, sizeof(MemoryContextCallback)));
  *callback = {forget, nullptr, nullptr};
  MemoryContextRegisterResetCallback(column.root->planner_cxt, callback);
  last_known = (last_known + 1) % static_cast<int>(lengthof(known));
  known[last_known] = column;
}

// Reads the statistics of a table's column, as PostgreSQL finds them, into memory that lasts until
// the query is planned.
const ColumnStatistics *read_own(PlannerInfo *root, Node *column) {
  MemoryContext before = MemoryContextSwitchTo(root->planner_cxt);
  VariableStatData own;
  const ColumnStatistics *statistics = nullptr;
  examining = true;
  PG_TRY();
  {
    examine_variable(root, column, 0, &own);
    statistics = read_statistics(root, &own);
    ReleaseVariableStats(own);
  }
  PG_FINALLY();
  { examining = false; }
  PG_END_TRY();
  MemoryContextSwitchTo(before);
  return statistics;
}

// Returns the slot of a kind of statistics, counted from 0; the number of slots if there is none.
int slot_of(HeapTuple tuple, int16 kind) {
  const int16 *kinds = &reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple))->stakind1;
  int slot = 0;
  while (slot < STATISTIC_NUM_SLOTS && kinds[slot] != kind) {
    ++slot;
  }
  return slot;
}

// A row of pg_statistic that is changed.
struct Change {
  Datum values[Natts_pg_statistic];
  bool nulls[Natts_pg_statistic];
  bool replaces[Natts_pg_statistic];

  // `attribute` is that of the first slot.
  void set(int attribute, int slot, Datum value) {
    const int i = attribute - 1 + slot;
    values[i] = value;
    nulls[i] = false;
    replaces[i] = true;
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

  [[nodiscard]] Datum values_array(Oid type) const {
    return PointerGetDatum(construct_array(values, count, type, UUID_LEN, false, TYPALIGN_CHAR));
  }

  [[nodiscard]] Datum numbers_array() const {
    return PointerGetDatum(
        construct_array(numbers, count, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT));
  }
};

// Returns the common values of a column and, among them, those of `adapted`. PostgreSQL takes the
// first one for the most frequent and the last one for the least frequent of all. So the first is a
// real one, if there is any; else it is as frequent as a value is on average, and so is the last.
SlotValues list_common(const ColumnStatistics &statistics, const Adapted &adapted) {
  const AttStatsSlot &real = statistics.common;
  const int real_count = std::min(real.nvalues, real.nnumbers);
  SlotValues list(real_count + adapted.common_count + 2);
  for (int i = 0; i < real_count; ++i) {
    list.add(get_uuid(real.values[i]), real.numbers[i]);
  }
  const double average = statistics.distinct >= 1 ? 1 / statistics.distinct : 0;
  CommonValue *last = &adapted.common[adapted.common_count - 1];
  const auto add = [&](Uuid id, double share) { list.add(id, share * statistics.histogram_share); };
  const auto add_average = [&](const CommonValue &interval) {
    add({interval.id.hi, interval.id.lo ^ 1}, average);
  };
  // Their shares are those of the intervals at the ends, in which they are.
  if (real_count == 0) {
    adapted.common->share -= average;
    add_average(*adapted.common);
  }
  last->share -= average;
  for (const CommonValue *value = adapted.common; value <= last; ++value) {
    add(value->id, value->share);
  }
  add_average(*last);
  return list;
}

// Returns a column's statistics with another histogram and other common values.
HeapTuple change_statistics(const ColumnStatistics &statistics, const Adapted &adapted) {
  const int histogram = slot_of(statistics.tuple, STATISTIC_KIND_HISTOGRAM);
  int common = slot_of(statistics.tuple, STATISTIC_KIND_MCV);
  common = common < STATISTIC_NUM_SLOTS ? common : slot_of(statistics.tuple, 0);
  if (histogram == STATISTIC_NUM_SLOTS || common == STATISTIC_NUM_SLOTS) {
    return nullptr;
  }
  SlotValues bounds(adapted.bound_count);
  for (int i = 0; i < adapted.bound_count; ++i) {
    bounds.add(adapted.bounds[i]);
  }
  const SlotValues list = list_common(statistics, adapted);
  Change change{};
  change.set(Anum_pg_statistic_stavalues1, histogram, bounds.values_array(statistics.type));
  change.set(Anum_pg_statistic_stakind1, common, Int16GetDatum(STATISTIC_KIND_MCV));
  change.set(Anum_pg_statistic_staop1, common,
             ObjectIdGetDatum(lookup_type_cache(UUIDOID, TYPECACHE_EQ_OPR)->eq_opr));
  change.set(Anum_pg_statistic_stavalues1, common, list.values_array(statistics.type));
  change.set(Anum_pg_statistic_stanumbers1, common, list.numbers_array());
  Relation catalog = RelationIdGetRelation(StatisticRelationId);
  HeapTuple changed = heap_modify_tuple(statistics.tuple, RelationGetDescr(catalog), change.values,
                                        change.nulls, change.replaces);
  RelationClose(catalog);
  return changed;
}

// Returns statistics of a column for some constants.
HeapTuple adapt_statistics(const ColumnStatistics &statistics, const Constant *constants, int count,
                           std::uint64_t seed) {
  const auto intervals = static_cast<std::size_t>(count) + 1;
  Uuid bounds[Adapted::kMaxBounds];
  Adapted adapted{bounds};
  adapted.common = static_cast<CommonValue *>(palloc(sizeof(CommonValue) * intervals));
  // As many common values are not counted among the different ones.
  const double others = statistics.distinct - statistics.common.nvalues - count - 3;
  adapt(statistics.histogram, constants, count, others > 1 ? 1 / others : 0, seed, &adapted);
  return change_statistics(statistics, adapted);
}

// Returns what is known of a column and of its table's conditions, and keeps it.
Known learn(PlannerInfo *root, const RelOptInfo *rel, TableColumn column, const Known *before) {
  Known found{root, column, before != nullptr ? before->statistics : nullptr, rel->baserestrictinfo,
              list_length(rel->baserestrictinfo)};
  int count = 0;
  const Constant *constants = find_constants(root, rel->baserestrictinfo, column, &count);
  if (count > 0 && found.statistics == nullptr) {
    Var *variable =
        makeVar(static_cast<int>(column.table), column.number, UUIDOID, -1, InvalidOid, 0);
    found.statistics = read_own(root, reinterpret_cast<Node *>(variable));
  }
  if (count > 0 && found.statistics != nullptr && found.statistics->histogram.count > 0 &&
      found.statistics->histogram_share > 0) {
    MemoryContext context = MemoryContextSwitchTo(root->planner_cxt);
    const std::uint64_t table = root->simple_rte_array[rel->relid]->relid;
    found.adapted = adapt_statistics(*found.statistics, constants, count, mixed(table, rel->relid));
    MemoryContextSwitchTo(context);
  }
  keep(found);
  return found;
}

// Returns the table of this query, not of a query within it, whose column is meant; null if there
// is none. brincostestimate() passes a variable that is not initialized: nothing in it may be
// followed.
const RelOptInfo *own_table(const PlannerInfo *root, const RangeTblEntry *entry, AttrNumber number,
                            const VariableStatData *variable) {
  for (int i = 1; i < root->simple_rel_array_size; ++i) {
    const RelOptInfo *rel = root->simple_rel_array[i];
    if (rel != nullptr && rel == variable->rel) {
      return root->simple_rte_array[i] == entry && entry->rtekind == RTE_RELATION && number > 0 &&
                     get_atttype(entry->relid, number) == UUIDOID
                 ? rel
                 : nullptr;
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
    const bool same = before != nullptr && before->conditions == rel->baserestrictinfo &&
                      before->condition_count == list_length(rel->baserestrictinfo);
    const Known found = same ? *before : learn(root, rel, column, before);
    if (found.adapted != nullptr) {
      variable->statsTuple = found.adapted;
      variable->freefunc = release_nothing;
      variable->acl_ok = found.statistics->acl_ok;
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

const ColumnStatistics *statistics_for(PlannerInfo *root, VariableStatData *variable,
                                       Oid function) {
  const RelOptInfo *rel = variable->rel;
  if (rel == nullptr || !HeapTupleIsValid(variable->statsTuple) ||
      !statistic_proc_security_check(variable, function)) {
    return nullptr;
  }
  const bool simple = IS_SIMPLE_REL(rel) && IsA(variable->var, Var);
  const AttrNumber number =
      simple ? reinterpret_cast<const Var *>(variable->var)->varattno : AttrNumber{0};
  if (!simple || own_table(root, root->simple_rte_array[rel->relid], number, variable) == nullptr) {
    return read_statistics(root, variable);
  }
  const TableColumn column{rel->relid, number};
  const Known *before = find_known(root, column);
  Known found = before != nullptr ? *before : Known{root, column};
  if (found.statistics == nullptr) {
    found.statistics = read_own(root, variable->var);
    keep(found);
  }
  return found.statistics;
}

}  // namespace uuidx
