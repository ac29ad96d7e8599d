// The orders that a query may use, as those by the time of keys.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// An order that a query may use.
struct Wanted {
  Node *expression = nullptr;
  const SortGroupClause *sort = nullptr;  // null for a join
  bool range = false;                     // of a join by another comparison than equality
};

// Returns all orders that a query may use, of Wanted, those of its result first.
List *wanted_by(const Statement &statement);

// Returns an expression of a query as one of a child table, whose parents it may name; the same one
// for a table that is no child.
Node *in_child(PlannerInfo *root, const RelOptInfo *rel, Node *expression);

// Returns the conditions of a table that has been read, with those of its parents.
List *conditions_of(PlannerInfo *root, const RelOptInfo *rel);

// True if all keys in a column that a scan returns are of version 7: by the table, by the predicate
// of the index, or by a condition of the query, if another one on the column limits the scan.
// Without that, it could read all keys of version 4, most of which are above every time, before the
// first match.
bool is_all_v7(const KeyTable &table, const List *predicate, const Var *id, List *conditions);

// Returns the expression by which a query sorts or groups that is the time of a version 7 key of a
// table; null if there is none.
Node *wanted_time(Statement *statement, const RelOptInfo *rel, const Var *id);

}  // namespace uuidx
