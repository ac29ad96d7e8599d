// Conditions on the time of a key as conditions on the key.
#pragma once

#include "pg/planner/key_table.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the column whose time an expression is, if conditions on the time may become conditions
// on the column; else null. That needs a proof, unless the function reads only version 7:
// uuid_is_v7() among the clauses that are joined by AND with the condition, or by the table.
const Var *time_column(KeyTable *table, Node *node, const List *clauses);

// True if uuid_is_v7() of a column is among some clauses.
bool tests_version(const List *clauses, const Var *id);

// True if a clause other than uuid_is_v7() is not true for a NULL in the column.
bool has_strict_clause(const List *clauses, const Var *id);

// Returns some clauses, joined by AND, with those on the time of the table's keys as clauses on the
// keys; the same list if there are none. Changes no node.
List *rewrite_clauses(KeyTable *table, List *clauses);

}  // namespace uuidx
