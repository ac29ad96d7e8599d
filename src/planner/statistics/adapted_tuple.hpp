// Statistics that are made for the constants of one query, as a row of pg_statistic.
#pragma once

#include "core/adapted_histogram.hpp"
#include "planner/statistics/column_statistics.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns the statistics of a column for some constants, as of adapt(), in the current memory
// context; null if its row has no place for them.
HeapTuple adapt_statistics(const ColumnStatistics &statistics, const Uuid *constants, int count,
                           std::uint64_t seed);

}  // namespace uuidx
