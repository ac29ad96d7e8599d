#include "planner/statistics/adapted_tuple.hpp"

#include <algorithm>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

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

}  // namespace

HeapTuple adapt_statistics(const ColumnStatistics &statistics, const Uuid *constants, int count,
                           std::uint64_t seed) {
  const auto intervals = static_cast<std::size_t>(count) + 1;
  Uuid bounds[Adapted::kMaxBounds];
  Adapted adapted{bounds};
  adapted.common = static_cast<CommonValue *>(palloc(sizeof(CommonValue) * intervals));
  adapt(statistics.histogram, constants, count, seed, &adapted);
  return change_statistics(statistics, adapted);
}

}  // namespace uuidx
