// Reading expressions: whether one is the time of a key, or computed from it.
#pragma once

#include "planner/rewrite/functions.hpp"
#include "planner/rewrite/key_table.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// A query that is being rewritten.
struct Statement {
  PlannerInfo *root = nullptr;
  Functions functions;
  bool has_functions = false;  // and `functions` was looked up
  List *tables = NIL;          // of KeyTable, those read so far
  List *generated = NIL;       // columns, and as many expressions that generate them
  List *generated_by = NIL;
  bool semijoin = false;  // the clauses that are rewritten are those of IN or EXISTS
  bool in_or = false;     // they are an alternative of an OR
};

// Looks up the functions that conditions on keys need; returns false if they are missing.
bool need_functions(Statement *statement);

// Returns the table of the query that has a column, read on first use; null for what is no column
// of type uuid of a table in this query.
KeyTable *table_of(Statement *statement, const Var *id);

// Returns a column of type uuid of one of the query's tables; null if an expression is none.
const Var *id_of(const Statement &statement, const Node *node);

// An expression that is the time of a key, or computed from it so that a bound of its value gives
// one of the time: see undo_steps().
struct KeyTime {
  const Var *id = nullptr;
  const KeyTable *table = nullptr;
  Node *expression = nullptr;
  Oid type = InvalidOid;         // of the expression: timestamptz, timestamp, date, or that of `op`
  bool exact = true;             // the time itself, as timestamptz or as timestamp in UTC
  bool in_session_zone = false;  // has steps that depend on the session's zone
  const char *lower = "";        // steps from a lower bound of the expression to one of the time
  const char *upper = "";
};

// Reads an expression. That needs a proof, unless the function reads only version 7: uuid_is_v7()
// among the clauses that are joined by AND with its condition, or by the table.
bool read_time(Statement *statement, const List *clauses, Node *node, KeyTime *time);

// A condition in the form `time strategy value`.
struct Comparison {
  KeyTime time;
  int strategy = 0;
  Expr *value = nullptr;
};

// Reads `left op right`, whose left side must be of the key; returns false if it is something else.
// The right side is the same for a row of the table however often it is computed.
bool read_comparison(Statement *statement, const List *clauses, Oid op, Node *left, Node *right,
                     Comparison *read);

// True if an expression may be compared with the key of a row of a table instead of its time: it is
// the same for the row however often it is computed.
bool is_operand(const Statement &statement, const KeyTable &table, Node *value);

// True if it may also be computed more often than it is written: it costs at most as much as ten
// operators, PostgreSQL's rule for inlining SQL functions.
bool may_repeat(PlannerInfo *root, Node *value);

// Returns the bound of the key's time that a comparison gives on one side; null if that is not
// constant and has no function.
Expr *time_bound(const Statement &statement, const Comparison &comparison, bool upper);

// True if uuid_is_v7() of a column is among some clauses.
bool tests_version(const List *clauses, const Var *id);

}  // namespace uuidx
