// Rows of pg_statistic that are made for the planner.
#pragma once

#include <cstdint>

#include "core/uuid.hpp"
#include "planner/statistics/column_statistics.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns a row that says how many values are different, as stadistinct does, and nothing else.
HeapTuple make_row(int32 width, float4 distinct);

// Returns the statistics of a column for some constants, as of adapt().
HeapTuple adapt_statistics(const ColumnStatistics &statistics, const Uuid *constants, int count,
                           std::uint64_t seed);

}  // namespace uuidx
