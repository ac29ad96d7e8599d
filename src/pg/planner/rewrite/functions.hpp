// The extension's SQL functions and the operators of B-trees, found in the catalog.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns the SQL function with a name and a C symbol, in whatever schema the extension is;
// InvalidOid if there is none that the user may call. Only a superuser can create another C
// function with this symbol. Not looked up by the parser, which depends on search_path and requires
// USAGE on the schema.
Oid find_function(const char *name, const char *symbol);

// True if a function is the C function with a symbol.
bool has_symbol(Oid function, const char *symbol);

// The functions that extract the time of a UUID.
enum class TimeFunction {
  none,
  v7,   // uuid_extract_v7_time()
  any,  // also of versions 1 and 6: uuid_extract_time(), core's uuid_extract_timestamp()
};

// Returns which of them a function is.
TimeFunction time_function(Oid function);

// Returns the column of a uuid_is_v7() test; null if an expression is something else.
const Var *tested_column(const Node *node);

// Returns a call of a function that takes no collation.
Expr *call_function(Oid function, Oid result, List *args);

// Returns what the planner makes of such a call, a constant if all arguments are.
Expr *simplified_call(PlannerInfo *root, Oid function, Oid result, List *args);

// Returns the strategy of an operator in the default B-tree operator family of a type; 0 if it has
// none.
int strategy_of(Oid op, Oid type);

// Returns the default B-tree operator family of uuid.
Oid uuid_family();

// Returns the operator of uuid with a B-tree strategy, which every index must support to be used.
Oid uuid_operator(int strategy);

}  // namespace uuidx
