// What keeps the functions, views and tables of other roles from harming uuidx_check() and its
// caller.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/parsenodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Raises an error for a query that stands for more than a thousand tables or half a million nodes,
// each use of one counted: the rewriter, which no cancel interrupts, puts a copy of a view
// and of the policies of a table in the place of each use. A few dozen views that each use the one
// before twice stand for billions.
void limit_expansion(const Query *query);

// Becomes the owner of tables, as ANALYZE does: planning can run functions in their constraints,
// indexes and policies. Only those who have the owner's privileges may do that, as the session can
// change what such functions do: by a temporary table with the name of one that they read, or if
// they were compiled with another search_path. Raises an error for tables of several owners.
void become_owner(const List *tables);

// True if an error ends the whole check: a cancel, or a lack of memory or space on disk. RAISE in a
// function of another role can have the same codes.
bool ends_check(const ErrorData &error);

}  // namespace uuidx
