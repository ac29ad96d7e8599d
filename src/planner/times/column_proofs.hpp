// What CHECK constraints say of ordinary columns: that they are the time of a key, or near it.
#pragma once

#include "planner/times/table_facts.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the clauses that hold, or are NULL, in all rows of a table by its CHECK constraints.
List *checked_clauses(Relation table);

// Returns the column whose UUIDs a clause of a CHECK proves to be of version 7, as the time that
// only these have is never distinct from a column without NULL; null if it is no such clause.
const Var *key_of_equal(const TableFacts &facts, const Node *clause);

// Adds the columns that clauses of CHECK constraints bind to the time of a key:
//
//   column = time                         equal; so with IS NOT DISTINCT FROM
//   column >= time - interval,            near; also < and >, and the interval on the other side
//   column <= time + interval
//
// A CHECK passes if it is NULL, so that neither side may be: the column and the key are NOT NULL,
// and all keys of version 7. IS NOT DISTINCT FROM needs none of that. Intervals have no months,
// and for an instant no days, which differ between zones. The types are those of which equal values
// are the same.
void add_ordinary_times(TableFacts *facts, const List *clauses);

// True if an expression has a time zone that may be an abbreviation. What that means depends on
// settings of the session, so stored values may be those of another zone.
bool has_abbreviation(Node *node, void *context);

}  // namespace uuidx
