// The statistics of a column of type uuid, with what is known of the rows that came later.
#pragma once

#include "core/time_range.hpp"
#include "core/histogram.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

struct ColumnStatistics {
  HeapTuple tuple = nullptr;   // the row of pg_statistic
  bool acl_ok = false;         // as VariableStatData has it
  double distinct = 0;         // the number of different values
  double histogram_share = 0;  // the share of rows that are neither NULL nor a common value
  Pieces histogram;            // those rows, as shares of them; no pieces if there is no histogram
  Oid type = InvalidOid;       // of the histogram's values, uuid or a domain
  AttStatsSlot common{};       // the common values
};

// Reads the statistics that PostgreSQL has found for a column, into the current memory context;
// returns null if there are none. `highest` is the highest UUID that is compared with the column:
// if it is far below the newest rows, no index is asked for these.
ColumnStatistics *read_statistics(PlannerInfo *root, VariableStatData *variable, Uuid highest);

// Returns the shares of all rows whose UUID is in a range.
Shares shares_of(const ColumnStatistics &statistics, UuidRange range);

}  // namespace uuidx
