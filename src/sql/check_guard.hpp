// What keeps the functions, views and tables of other roles from harming uuidx_check() and its
// caller.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/parsenodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Raises an error for tables of other roles, even if the caller is a superuser: planning can run
// functions in their constraints and indexes.
void check_owners(const List *tables);

// Does so for all relations that a query stands for, within views and policies, and locks them.
// Also raises an error if they are more than a thousand, each use counted: the rewriter, which no
// cancel interrupts, puts a copy of a view in the place of each use. A few dozen views that each
// use the one before twice stand for billions.
void check_relations(const Query *query);

}  // namespace uuidx
