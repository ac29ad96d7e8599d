// Reading expressions: whether one is the time of a key, or computed from it.
#pragma once

#include "planner/times/computation.hpp"
#include "planner/times/query_level.hpp"
#include "planner/times/zones.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// An expression that is the time of a key, or computed from it.
struct KeyTime {
  const Var *id = nullptr;
  const KeyTable *table = nullptr;
  Node *expression = nullptr;
  Oid type = InvalidOid;  // of its values: timestamptz, timestamp, date, or that of `op`
  bool exact = true;      // the time itself, as timestamptz or as timestamp in UTC
  bool precise = false;   // the time has microseconds
  bool near = false;      // it is only near what is computed from the time
  Computation steps;      // from the time to the expression
  ZoneNeed need = ZoneNeed::nothing;  // of its order, if it increases with the time
};

// Returns the columns, of Var, whose uuid_is_v7() is among some clauses, each once.
List *tested_columns(const List *clauses);

// Reads an expression. That needs a proof, unless the function reads only version 7: by
// uuid_is_v7() among the clauses that are joined by AND with its condition, which test some
// columns, or by the table. Computation::has_bounds() says whether bounds of the value are of use.
bool read_time(QueryLevel *level, const List *tested, Node *node, KeyTime *time);

// A condition in the form `time strategy value`.
struct TimeComparison {
  KeyTime time;
  int strategy = 0;
  Expr *value = nullptr;
  bool is_implied = false;  // by a clause that says more
};

// Reads `left op right`, whose left side must be of the key; returns false if it is something else.
// The right side is the same for a row of the table however often it is computed.
bool read_comparison(QueryLevel *level, const List *tested, Oid op, Node *left, Node *right,
                     TimeComparison *read);

// True if an expression may be compared with the key of a row of a table instead of its time: it is
// the same for the row however often it is computed.
bool is_operand(const QueryLevel &level, const KeyTable &table, Node *value);

// True if an expression with columns may raise an error: PostgreSQL may decide a row by other
// conditions, before it computes that.
bool may_fail(Node *value);

// True if it may also be computed more often than it is written: it costs at most as much as ten
// operators, PostgreSQL's rule for inlining SQL functions.
bool may_repeat(Node *value);

}  // namespace uuidx
