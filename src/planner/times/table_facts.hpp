// What the catalog says of the columns of a table, kept by a session until the table changes.
#pragma once

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "utils/relcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// What a table's constraints prove of a column, in every row that a query can see.
enum class Proof : uint8 {
  none,
  no_other_time,  // no UUID of another version has a time: CHECK (uuid_extract_version(id) = 7)
  all_v7,         // every UUID is of version 7: CHECK (uuid_is_v7(id))
};

// A column that is computed from the time of a key and stored. The table is the first of its query.
struct StoredTime {
  AttrNumber column = InvalidAttrNumber;
  Node *expression = nullptr;
};

// Sets of columns are as of pull_varattnos().
struct TableFacts {
  Bitmapset *all_v7 = nullptr;
  Bitmapset *no_other_time = nullptr;
  Bitmapset *checked = nullptr;  // that CHECK constraints have, if there are stored times
  List *stored_times = NIL;      // of StoredTime
};

// Returns the facts of a table that is open, in the current memory context. A constraint counts if
// it is valid, enforced, and inherited if the table has children. Snapshots that are older than the
// constraint may see rows that it forbids, as they may under PostgreSQL's own constraint_exclusion.
// No function of a constraint or column is called: their forms are compared as they are stored.
//
// A table with children has no stored times, as a child may compute the column otherwise. Nor has a
// foreign table, whose server may store anything.
TableFacts facts_of(Relation table);

}  // namespace uuidx
