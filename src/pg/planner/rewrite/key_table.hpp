// What the catalog says of a table whose key contains a time.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// What a table's CHECK constraints prove of a column.
enum class Proof {
  none,
  no_other_time,  // no UUID of another version has a time: CHECK (uuid_extract_version(id) = 7)
  all_v7,         // every UUID is of version 7: CHECK (uuid_is_v7(id))
};

// A table of a query. What comes from the catalog is read on first use.
struct KeyTable {
  PlannerInfo *root = nullptr;
  Index varno = 0;
  const RangeTblEntry *entry = nullptr;

  bool examined = false;
  bool has_functions = false;             // those that conditions on the id need
  List *indexed_functions = NIL;          // whose times are in an index or the partition key
  Bitmapset *predicates = nullptr;        // columns in the predicate of a partial index
  Bitmapset *other_predicates = nullptr;  // those with another one than uuid_is_v7()

  AttrNumber proven_column = InvalidAttrNumber;
  Proof proof = Proof::none;
};

// Reads the indexes and the partition key of a table.
void examine(KeyTable *table);

// True if the planner can do more with two comparisons of a column than with a call of
// uuid_in_time_range() or uuid_between_times(): they prune partitions, exclude children by their
// constraints, can be sent to a foreign server, and let columnar storage skip data. Other tables
// keep the call, which has the better estimate.
bool prefers_comparisons(const RangeTblEntry *table);

// Returns what the constraints of a table prove of a column, in every row that the query can see;
// but a child attached (ATTACH PARTITION, INHERIT) after the snapshot was taken may have older rows
// that the constraint forbids. PostgreSQL's own partition pruning has the same limit.
Proof proof_of(KeyTable *table, AttrNumber column);

}  // namespace uuidx
