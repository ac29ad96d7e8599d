// What the catalog says of the columns of a table, kept by a session until the table changes.
#pragma once

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/pathnodes.h"
#include "utils/relcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// True if a type is one of the local time, which has no zone.
constexpr bool is_local(Oid type) {
  return type == DATEOID || type == TIMESTAMPOID;
}

// True if a type is one of the times that are computed from keys.
constexpr bool is_time(Oid type) {
  return type == TIMESTAMPTZOID || is_local(type);
}

// How far a value is from another one, in microseconds.
struct Reach {
  int64 least = 0;
  int64 most = 0;
};

// A column that stores what is computed from the time of a key, or is near it. The table is the
// first of its query.
struct StoredTime {
  AttrNumber column = InvalidAttrNumber;
  Node *expression = nullptr;
  Reach tolerance;  // how far the column is from the expression
  Index table = 0;  // in a query that has it
};

// Sets of columns are as of pull_varattnos(), and tell of every row that a query can see.
struct TableFacts {
  Bitmapset *all_v7 = nullptr;  // by CHECK (uuid_is_v7(id))
  Bitmapset *never_null = nullptr;
  List *stored_times = NIL;  // of StoredTime
  List *writers = NIL;       // as OIDs, transactions that a snapshot may not see yet
};

// Returns the facts of a table that is open, in the current memory context. A constraint counts if
// it is valid, enforced, and inherited if the table has children. No function of a constraint or
// column is called: their forms are compared as they are stored.
//
// A snapshot that is older than a constraint may see rows that the constraint forbids: for it,
// there are no facts, and a plan made with it is made anew for later transactions.
//
// A table with children has no stored times, as a child may compute the column otherwise, and no
// columns without NULL, as a child may drop the constraint; partitions may do neither. A foreign
// table, whose server may store anything, has neither, nor has a table with such a partition.
TableFacts facts_of(PlannerInfo *root, Relation table);

}  // namespace uuidx
