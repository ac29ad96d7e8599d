// Which transactions wrote the constraints of a table: a snapshot that is older than a constraint
// may see rows that the constraint forbids.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

struct ConstraintWriters {
  List *transactions = NIL;  // as OIDs, those that a snapshot may not see yet
  bool has_foreign = false;  // a partition is a foreign table, whose server may store anything
  bool is_nested = false;    // partitions have partitions
};

// Reads who wrote the constraints and columns of a table, and attached its partitions.
ConstraintWriters read_writers(Relation table);

// True if the snapshot of the query that is being planned sees what all of some transactions have
// written, and no row from before.
bool sees_writers(const List *transactions);

}  // namespace uuidx
