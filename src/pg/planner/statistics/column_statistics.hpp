// The version 7 UUIDs of a column, by its statistics.
#pragma once

#include "pg/planner/statistics/histogram.hpp"
#include "core/time_range.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// The statistics of a column of type uuid.
struct ColumnStatistics {
  double rows = 0;           // in the table now
  double analyzed_rows = 0;  // in the table when its rows were last counted
  double histogram_share = 0;
  AttStatsSlot common;
  V7Bin *bins = nullptr;  // of the histogram
  int bin_count = 0;
  Uuid now;  // the highest UUID of the present time
};

// Reads the statistics of a column; returns false if there are none.
bool read_statistics(PlannerInfo *root, const VariableStatData &variable,
                     ColumnStatistics *statistics);

// Releases what read_statistics() has allocated.
void free_statistics(ColumnStatistics *statistics);

// Returns the share of the analyzed rows that is of version 7 and in a UUID range.
double share_of_analyzed(const ColumnStatistics &statistics, UuidRange range);

// Returns the share of all rows that is of version 7 and in a UUID range.
double share_of(const ColumnStatistics &statistics, UuidRange range);

}  // namespace uuidx
