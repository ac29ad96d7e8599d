// The extension's SQL functions and the operators of B-trees, found in the catalog.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// The functions of which rewritten conditions consist.
struct Functions {
  Oid is_v7 = InvalidOid;
  Oid v7_min = InvalidOid;
  Oid v7_max = InvalidOid;
  Oid condition = InvalidOid;
  Oid in_range = InvalidOid;
  Oid in_ranges = InvalidOid;
  Oid recheck_ranges = InvalidOid;
  Oid lower_of_range = InvalidOid;
  Oid upper_of_range = InvalidOid;
  Oid lower_of_ranges = InvalidOid;
  Oid upper_of_ranges = InvalidOid;
  Oid time_of_date = InvalidOid;
  Oid time_of_timestamp = InvalidOid;
  Oid bound_of_date = InvalidOid;
  Oid bound_of_timestamp = InvalidOid;
  Oid bound_of_timestamptz = InvalidOid;
  Oid bound_of_array = InvalidOid;
  Oid bound_of_float8 = InvalidOid;
  Oid bound_of_numeric = InvalidOid;
};

// Returns the functions, in whatever schema the extension is; null if the user may not call one of
// them, or there is no extension. As they may vanish while a statement is planned, a caller keeps
// what it got for as long as it rewrites that statement, whose plan then depends on the user.
const Functions *find_functions(PlannerInfo *root);

// The functions that extract the time of a UUID.
enum class TimeFunction {
  none,
  v7,   // uuid_extract_v7_time()
  any,  // also of versions 1 and 6: uuid_extract_time(), core's uuid_extract_timestamp()
};

// Returns which of them a function is.
TimeFunction time_function(Oid function);

// True if a function is core's or the extension's uuid_extract_version().
bool is_version_function(Oid function);

// Returns the column of a uuid_is_v7() test; null if an expression is something else.
const Var *tested_column(const Node *node);

// Returns a call of a function that takes no collation.
Expr *call_function(Oid function, Oid result, List *args);

// Returns what the planner makes of such a call, a constant if all arguments are.
Expr *simplified_call(PlannerInfo *root, Oid function, Oid result, List *args);

// Returns the strategy of an operator in the default B-tree operator family of a type; 0 if it has
// none.
int strategy_of(Oid op, Oid type);

// Returns the default B-tree operator family of a type.
Oid family_of(Oid type);

// Returns the operator of uuid with a B-tree strategy, which every index must support to be used.
Oid uuid_operator(int strategy);

}  // namespace uuidx
