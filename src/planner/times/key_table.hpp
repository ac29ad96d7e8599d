// A table of a query whose key contains a time.
#pragma once

#include "planner/times/table_facts.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// How many times the partitions of a table may be planned for: for each alternative of a condition,
// and for each order.
inline constexpr int kMaxInPartitions = 2000;

// Sets of columns are as of pull_varattnos().
struct KeyTable {
  Index rti = 0;
  const RangeTblEntry *rte = nullptr;
  TableFacts facts;
  int parts = 1;                       // partitions
  Bitmapset *tested = nullptr;         // columns whose uuid_is_v7() is the predicate of an index
  Bitmapset *named_columns = nullptr;  // that conditions of the query name
  Bitmapset *used_columns = nullptr;   // that indexes or their predicates have
  Bitmapset *first_columns = nullptr;  // with which a B-tree of all rows begins
  Oid plain_index = InvalidOid;        // an index without expressions
  List *used_expressions = NIL;        // that indexes, their predicates or the partition key have
  List *first_expressions = NIL;       // with which a B-tree of all rows begins
};

// Returns the columns of a table that conditions of a query name; also those of the same table
// elsewhere in it, as PostgreSQL may remove a join of a table with itself.
Bitmapset *named_columns(const PlannerInfo *root, const RangeTblEntry *rte);

// Reads a table of a query, on which the query holds a lock.
KeyTable read_key_table(PlannerInfo *root, Index rti, const RangeTblEntry *rte);

// True if the constraints prove that all UUIDs in a column are of version 7.
bool is_all_v7(const KeyTable &table, const Var *id);

// True if an expression has a B-tree of its own, so that a condition on it is best left as it is.
bool is_indexed(const KeyTable &table, const Node *expression);

// True if an index or the partition key of the table has an expression, or a part of it, so that a
// condition on it is of use as it is, beside one on the key.
bool is_of_use(const KeyTable &table, const Node *expression);

}  // namespace uuidx
