// The extension's SQL functions, found in the catalog.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/primnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Returns the SQL function with a name and a C symbol, in whatever schema the extension is;
// InvalidOid if there is none that the user may call. Only a superuser can create another C
// function with this symbol. Not looked up by the parser, which depends on search_path and requires
// USAGE on the schema.
Oid find_function(const char *name, const char *symbol);

// True if a function is the C function with a symbol.
bool has_symbol(Oid function, const char *symbol);

// Returns a call of a function that takes no collation.
Expr *call_function(Oid function, Oid result, List *args);

}  // namespace uuidx
