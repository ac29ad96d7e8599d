// The extension's SQL functions and the operators of B-trees, found in the catalog.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/tupdesc.h"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// The functions of which rewritten conditions consist.
struct Functions {
  Oid is_v7 = InvalidOid;
  Oid v7_min = InvalidOid;
  Oid v7_max = InvalidOid;
  Oid v7_bound = InvalidOid;
  Oid condition = InvalidOid;
  Oid in_range = InvalidOid;
  Oid lower_of_range = InvalidOid;
  Oid upper_of_range = InvalidOid;
  Oid time_bound = InvalidOid;
  Oid beyond_bound = InvalidOid;
  Oid check_zone = InvalidOid;
};

// Sets `functions`, in whatever schema the extension is; returns false if the user may not call one
// of them, or there is no extension. The plan then depends on the user.
bool find_functions(PlannerInfo *root, Functions *functions);

// What a function is to the planner, by its symbol.
enum class FunctionKind : uint8 {
  other,
  v7_time,       // uuid_extract_v7_time()
  any_time,      // also of versions 1 and 6: uuid_extract_time(), core's uuid_extract_timestamp()
  precise_time,  // the same with microseconds: uuid_extract_time_precise()
  is_v7,         // uuid_is_v7()
};

// Returns which of them a function is. Quick, as it is asked for each call of each query.
FunctionKind kind_of(Oid function);

// True if a function extracts the time of a UUID.
inline bool is_time_function(Oid function) {
  const FunctionKind kind = kind_of(function);
  return kind == FunctionKind::v7_time || kind == FunctionKind::any_time ||
         kind == FunctionKind::precise_time;
}

// Returns the calls in an expression that extract a time.
List *time_calls(Node *expression);

// Returns those in CHECK constraints of a table, or in those that are enforced, that name a column.
List *times_beside(const TupleDescData *columns, AttrNumber column, bool enforced);

// Returns the column of a uuid_is_v7() test; null if an expression is something else.
const Var *tested_column(const Node *node);

// Returns a call of a function that takes no collation.
Expr *call_function(Oid function, Oid result, List *args);

// Returns what the planner makes of such a call, a constant if all arguments are. These are
// simplified already: without the query, nothing is noted in it that would lie in a passing memory
// context.
Expr *simplified_call(Oid function, Oid result, List *args);

// Returns the strategy of an operator in the default B-tree operator family of a type; 0 if it has
// none.
int strategy_of(Oid op, Oid type);

// Returns the default B-tree operator family of a type.
Oid family_of(Oid type);

// Returns the operator of uuid with a B-tree strategy, which every index must support to be used.
Oid uuid_operator(int strategy);

}  // namespace uuidx
