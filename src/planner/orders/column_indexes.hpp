// Indexes that have a time as a column of its own, such as one on `(customer, created_at)`.
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

// Adds paths by indexes that have all columns that a table's scan returns and tests but for a key,
// which only bounds beside a condition on its time name. For these indexes, such bounds are left
// out: the condition finds the rows. Called when a table has its index paths, before the indexes
// are restored: see time_index.hpp.
void add_index_only_scans(const QueryLevel &level, RelOptInfo *rel);

}  // namespace uuidx
