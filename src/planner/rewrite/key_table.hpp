// What the catalog says of a table whose key contains a time.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// What a table's CHECK constraints prove of a column, in every row that the query can see.
enum class Proof {
  none,
  no_other_time,  // no UUID of another version has a time: CHECK (uuid_extract_version(id) = 7)
  all_v7,         // every UUID is of version 7: CHECK (uuid_is_v7(id))
};

// A table of a query. Sets of columns are as of pull_varattnos().
struct KeyTable {
  Index varno = 0;
  const RangeTblEntry *entry = nullptr;
  Bitmapset *all_v7 = nullptr;
  Bitmapset *no_other_time = nullptr;
  Bitmapset *tested = nullptr;   // columns whose uuid_is_v7() is the predicate of an index
  Bitmapset *indexed = nullptr;  // columns that indexes have as they are
  Bitmapset *led = nullptr;      // columns with which a B-tree of all rows begins
  List *leading = NIL;           // expressions with which one begins
  List *computed = NIL;    // expressions that indexes, their predicates or partition keys have
  bool keeps_all = false;  // children may be excluded by any condition
};

// Reads a table, on which the query holds a lock. A constraint counts if all snapshots of the
// transaction are younger; if it is too young, the plan is not kept for later transactions, as for
// such an index. Two limits: a child attached (ATTACH PARTITION, INHERIT) after the snapshot was
// taken may have older rows that the constraint forbids, as for PostgreSQL's own partition pruning;
// and a cached plan may meet a snapshot that was imported (SET TRANSACTION SNAPSHOT) from before
// the constraint, as it may an index.
KeyTable read_key_table(PlannerInfo *root, Index varno, const RangeTblEntry *entry);

// Returns what the constraints prove of a column.
Proof proof_of(const KeyTable &table, AttrNumber column);

// True if an expression has a B-tree of its own, so that a condition on it is best left as it is.
bool is_indexed(const KeyTable &table, const Node *expression);

// True if an index or a partition key of the table has an expression, so that a condition on it is
// of use as it is, beside one on the key.
bool keeps(const KeyTable &table, const Node *expression);

}  // namespace uuidx
