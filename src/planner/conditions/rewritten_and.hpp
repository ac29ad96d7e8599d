// The clauses of an AND while they are rewritten, and what each of them becomes.
#pragma once

#include "planner/times/times.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// The clauses of one AND while they are rewritten.
struct RewrittenAnd {
  QueryLevel *level = nullptr;
  const List *from = NIL;
  bool semijoin = false;       // they are those of IN or EXISTS
  bool in_or = false;          // they are an alternative of an OR
  Relids preserved = nullptr;  // tables for which an outer join that has them looks up others
  Relids searched = nullptr;   // tables of EXISTS, IN or NOT EXISTS
  const List *tested = NIL;    // the columns that they test: see tested_columns()
  List *to = NIL;
  bool changed = false;
};

// Returns the bounds of the id that a comparison implies; they are equivalent to it if its time is
// exact.
List *bounds_of_id(const QueryLevel &level, const TimeComparison &comparison);

// Adds the clauses of a condition.
void add_clauses(RewrittenAnd *rewriting, Expr *condition);

// Adds uuid_is_v7(id) unless the table proves it.
void add_version_test(RewrittenAnd *rewriting, const KeyTime &time);

// Adds a clause as the argument of uuid_condition().
void add_condition(RewrittenAnd *rewriting, const Var *id, Expr *clause);

// Notes that a clause gives no bounds of an id: its columns stay in conditions on indexes.
void note_unbounded(QueryLevel *level, Node *clause);

// Adds bounds of an id as an index condition beside a clause that stays. If the clause compares
// with columns of other tables, they are noted, if possible: see equalities.hpp. Beside a clause of
// IN or EXISTS, they would keep PostgreSQL from looking up each row once: compute_semijoin_info()
// accepts only equalities.
void add_bounds(RewrittenAnd *rewriting, const Node *clause, const Var *id, List *bounds,
                bool joins);

// Adds those that a comparison gives.
void add_implied(RewrittenAnd *rewriting, const Node *clause, const TimeComparison &comparison);

// True if the bounds of an equality that stays are to be no clauses of their own: the planner does
// not know the value, so it would multiply guesses. But only clauses prune partitions.
bool counts_once(const TimeComparison &read);

// Adds a clause that was read as a comparison: if it stays, with the bounds of the id as an index
// condition; else the bounds, as clauses that the planner counts, and the clause to be checked
// unless they are equivalent to it. An equality is left to the planner beside them if it can
// conclude from it.
void add_read(RewrittenAnd *rewriting, Node *clause, const TimeComparison &read, bool keeps);

// True if one more comparison with columns of other tables may be rewritten in a query level.
// PostgreSQL tries an index for each set of tables that are joined before.
bool may_join(QueryLevel *level);

// True if a clause must stay as it is: an index or a partition key has its expression, or its value
// may not be computed twice as often.
bool must_keep(const TimeComparison &read, bool repeats);

// Removes duplicate tests of the version, and those that the table proves of an id that is never
// NULL.
void remove_version_tests(RewrittenAnd *rewriting);

// Each of these adds what a clause becomes; returns false if the clause is something else.

// Reads `c op t` or `f(c) op t`, from either side.
bool add_comparison(RewrittenAnd *rewriting, Node *clause);

// Reads a comparison of rows, such as (c, id) < (t, u).
bool add_rows(RewrittenAnd *rewriting, Node *clause);

// Reads an OR, and rewrites its alternatives; also returns false if all of them stay.
bool add_or(RewrittenAnd *rewriting, Node *clause);

// Reads `c = ANY (array)`, as alternatives. If they are not known or too many, or the operator is
// another one, adds it with the bounds that the least or the greatest gives.
bool add_array(RewrittenAnd *rewriting, Node *clause);

// Rewrites the clauses of an AND; returns true if one has changed.
bool rewrite_and(RewrittenAnd *rewriting);

}  // namespace uuidx
