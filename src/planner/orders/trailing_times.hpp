// Indexes that have a time, but not first.
#pragma once

#include "planner/times/query_level.hpp"

namespace uuidx {

// Hides columns that are the time of a key, or near it, from conditions on indexes of a table whose
// first column no condition names. Such a scan reads all of an index on `(customer, created_at)`,
// or a part for each customer, while the key's index finds the same rows by their bounds.
// PostgreSQL would often choose it, or intersect both, as it multiplies estimates of conditions
// that say the same. Called before the indexes are copied: see time_index.hpp.
void hide_trailing_times(const QueryLevel &level, const RelOptInfo *rel);

// Shows the columns of an index again.
void show_trailing_times(IndexOptInfo *index);

}  // namespace uuidx
