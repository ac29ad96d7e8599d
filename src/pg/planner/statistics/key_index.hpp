// The index that the planner may look into to estimate rows by a column.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// An index whose first column is the id.
struct KeyIndex {
  Oid oid = InvalidOid;
  bool unique = false;  // two entries with the same id are one row's versions
  bool nulls_first = false;
  bool v7_only = false;  // it has the rows of version 7, and no others
};

// Sets `index` to a B-tree of a column's table whose first column it is, if there is one that has
// all rows, or all whose UUID is of version 7, and the user may read all rows, as a count reveals
// more than a histogram. Returns false otherwise.
bool find_key_index(const PlannerInfo *root, const VariableStatData &variable, KeyIndex *index);

}  // namespace uuidx
