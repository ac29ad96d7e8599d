// Paths that read a table in the order of its key.
#pragma once

#include "planner/times/table_facts.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// What is read in the order of a key, and what was estimated of it.
struct KeyOrder {
  PlannerInfo *root = nullptr;
  bool descending = false;
  double rows = 0;  // that are needed
  Reach tolerance;  // rows so near the first ones are read beyond those
  double held = 0;  // estimate: the rows within the tolerance that meet the conditions
  EquivalenceClass *eclass = nullptr;
  bool is_own = false;  // the query itself has no such class
  PathKey *key = nullptr;
};

// Returns the cheapest path that reads a table in the order of a key, with the columns of a target:
// the scan of an index; of a partitioned table, an Append of such scans if the partitions are in
// the order of the key, and else a MergeAppend. Returns null if there is none.
Path *path_by_key(KeyOrder *order, RelOptInfo *rel, const Var *id, PathTarget *target);

// Estimates what it costs to read the first rows of such a path.
Cost cost_of_first(const Path *path, double rows);

}  // namespace uuidx
