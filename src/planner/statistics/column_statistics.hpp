// The statistics of a column of type uuid, with what is known of the rows that came later.
#pragma once

#include "core/adapted_histogram.hpp"
#include "core/histogram.hpp"
#include "core/uuid.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup.h"
#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

struct ColumnStatistics {
  HeapTuple row = nullptr;        // of pg_statistic
  bool acl_ok = false;            // as VariableStatData has it
  double distinct = 0;            // the number of different values
  double histogram_share = 0;     // the share of rows that are neither NULL nor a common value
  Pieces histogram;               // those rows, as shares of them; no pieces without a histogram
  CommonValue *common = nullptr;  // the most frequent first
  int common_count = 0;
};

// Reads the statistics that PostgreSQL has found for a column of a table, into the current memory
// context. `highest` is the highest UUID that is compared with the column: if it is far below the
// newest rows, no index is asked for these.
ColumnStatistics *read_statistics(PlannerInfo *root, VariableStatData *variable, Uuid highest);

// Returns the shares of all rows whose UUID is in a range.
Shares shares_of(const ColumnStatistics &statistics, UuidRange range);

// Returns the share of all rows whose UUID is, as a time, so many microseconds from the highest
// one, or from the lowest. There must be a histogram.
double share_at_end(const ColumnStatistics &statistics, bool highest, UnixMicros time);

}  // namespace uuidx
