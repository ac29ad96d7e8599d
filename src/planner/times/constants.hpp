// Constants in expressions, as operations on times take them.
#pragma once

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Intervals of more days are left alone: sums of them might overflow.
inline constexpr int kMostDays = 100'000;

// Returns a constant text; null for any other expression.
const char *text_of(const Node *node);

// Returns the function that an expression calls, by name or as an operator.
Oid function_of(const Node *node);

// True if an expression is a constant text, in any case of letters.
bool is_text(const Node *node, const char *word);

// Returns the value of a constant of numeric, double precision or real; NaN for other expressions.
double number_of(const Node *node);

// Returns a constant interval of a moderate length; null for any other expression.
const Interval *interval_of(const Node *node);

}  // namespace uuidx
