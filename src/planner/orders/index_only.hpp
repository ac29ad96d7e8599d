// Scans of an index alone that has the time beside a key, but not the key.
#pragma once

#include "planner/times/query_level.hpp"

namespace uuidx {

// Adds paths by indexes that have all columns that a table's scan returns and tests but for a key,
// which only bounds beside a condition on its time name. For these indexes, such bounds are left
// out: the condition finds the rows. Called before the indexes are restored: see time_index.hpp.
void add_index_only_scans(const QueryLevel &level, RelOptInfo *rel);

}  // namespace uuidx
