#include "planner/statistics/statistics_row.hpp"

#include <algorithm>

#include "core/adapted_histogram.hpp"
#include "planner/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
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

}  // namespace

HeapTuple make_row(int32 width, float4 distinct) {
  return Row(0, width, distinct).form();
}

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

}  // namespace uuidx
