// The operations by which a value is computed from a time, undone for bounds.
#pragma once

#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns the function that an expression calls, by name or as an operator.
Oid function_of(const Node *node);

// True if an expression is a constant text, in any case of letters.
bool is_text(const Node *node, const char *word);

// Returns the value of a constant of numeric, double precision or real; NaN for other expressions.
double number_of(const Node *node);

// Sets `length` to the longest one of a unit of date_trunc(); returns false if there is none.
bool read_unit(const Node *node, int64 *length);

// Undoes the last operation of an expression; returns its argument, or null if it is none that can
// be undone.
Node *undo_operation(KeyTime *time, const Node *node);

// Returns the argument of an expression that has the same value for times of keys: in more digits
// than these have, or as a timestamp in UTC; null if it is something else.
Node *same_time(KeyTime *time, const Node *node);

// Returns a constant interval of a moderate length; null for any other expression.
const Interval *interval_of(const Node *node);

}  // namespace uuidx
