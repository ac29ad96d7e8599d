// What is known of one level of a query, a PlannerInfo, while it is planned.
#pragma once

#include "planner/functions.hpp"
#include "planner/times/key_table.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// An expression by which a query may sort, group or join.
struct Order {
  Node *expression = nullptr;
  const SortGroupClause *sort = nullptr;  // null if it only joins
  bool joins = false;
  bool range = false;  // it only joins, and by another comparison than equality
};

struct QueryLevel {
  PlannerInfo *root = nullptr;
  bool has_times = false;
  bool is_rewritten = false;
  Functions functions;  // if it has times
  List *tables = NIL;   // of KeyTable, those read so far
  List *stored = NIL;   // of StoredTime, of all tables
  List *orders = NIL;   // of Order, if they are known
  bool knows_orders = false;
  List *parents = NIL;             // of ParentTimes: see time_orders.hpp
  List *counts = NIL;              // of CountIndex: see group_counts.cpp
  List *equalities = NIL;          // expressions whose equality with a constant stays
  List *equal_to_constants = NIL;  // see equalities.hpp
  List *unbounded = NIL;           // columns in conditions that give no bounds of the id
  List *implied_joins = NIL;       // clauses: see equalities.hpp
  bool has_given_joins = false;    // once these are given to tables
  Bitmapset *unions = nullptr;     // UNION ALLs whose conditions were rewritten
  int alternatives = 0;            // of arrays, made so far
  int joins = 0;                   // comparisons with columns of other tables, read so far
  MemoryContextCallback callback{};
};

// Returns what is known of a query level. It has times if any of its expressions calls a function
// that extracts the time of a UUID or tests its version, or has a stored column that does, and the
// user may call the functions that conditions on keys need. Decided once, when the first table of
// the level is planned; a level without times is left as it is. By then, columns of outer queries
// are parameters.
QueryLevel *level_of(PlannerInfo *root);

// Returns what is known of a query level; null if that is nothing yet.
QueryLevel *known_level(const PlannerInfo *root);

// Returns an entry of the range table; null if there is none, as for a join that was removed.
const RangeTblEntry *rte_of(const PlannerInfo *root, Index rti);

// Returns an expression without what does not change its value: RelabelType nodes at its top, and
// PlaceHolderVars that no outer join nulls, which match_index_to_operand() looks through as well.
Node *stripped(Node *node);

// Returns a column of type uuid of one of the query's tables; null if an expression is none.
const Var *id_of(const QueryLevel &level, Node *node);

// Returns the table of the query that has an id.
KeyTable *table_of(QueryLevel *level, const Var *id);

// True if an outer join may make a column NULL where it stands, as far as that is known.
bool is_below_outer_join(const QueryLevel &level, const Var *column);

// True if an expression has a column, or a PlaceHolderVar, that outer joins may make NULL, and
// which is another one in a scan, as far as that is known.
bool has_nulled(Node *node, void *context);

// True if an id is not NULL where it stands, for example above an outer join.
bool is_never_null(QueryLevel *level, const Var *id);

// Returns the stored time that a column of a table is; null if it is none.
const StoredTime *stored_time(const QueryLevel &level, Index table, AttrNumber column);

// Returns the expression that computes a stored column, in terms of the query, and sets how far the
// column is from it; returns null if a column is no such column.
Node *stored_expression(const QueryLevel &level, const Var *column, Reach *tolerance);

// Returns the orders of a query, of Order, those of its result first.
const List *orders_of(QueryLevel *level);

// True if a query sorts by an expression, or looks for other columns that are equal to it: then the
// planner concludes from a constant that is equal to it.
bool is_used_elsewhere(const QueryLevel &level, Node *expression);

}  // namespace uuidx
