// Reading conditions on the time of a key.
#pragma once

#include "pg/planner/rewrite/key_table.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// What a condition compares with a time.
enum class Origin {
  time,     // the extracted time
  id,       // the id, with the bound of a time
  implied,  // follows from a clause that is kept
};

// A condition in the form `time of the id strategy time`.
struct Comparison {
  const Var *id = nullptr;
  int strategy = 0;
  Expr *time = nullptr;
  Origin origin = Origin::time;
  Node *clause = nullptr;
};

// Returns a column of the table if an expression is one of type uuid.
const Var *id_of(const KeyTable *table, const Node *node);

// Returns the column whose time an expression is, if conditions on the time may become conditions
// on the column; else null. That needs a proof, unless the function reads only version 7:
// uuid_is_v7() among the clauses that are joined by AND with the condition, or by the table.
const Var *time_column(KeyTable *table, Node *node, const List *clauses);

// True if a time may be compared with the key of a row instead of its time: it is the same for the
// row however often it is computed.
bool is_operand(const KeyTable *table, Node *time);

// Reads one of some clauses as a comparison; returns false if it is something else.
bool read_comparison(KeyTable *table, const List *clauses, Node *clause, Comparison *read);

// Reads what a comparison of rows, such as (time, id) < (t, u), implies of its first columns;
// returns false if that is nothing.
bool read_rows(KeyTable *table, const List *clauses, Node *clause, Comparison *read);

// True if uuid_is_v7() of a column is among some clauses.
bool tests_version(const List *clauses, const Var *id);

// True if a clause other than uuid_is_v7() is not true for a NULL in the column.
bool has_strict_clause(const List *clauses, const Var *id);

}  // namespace uuidx
