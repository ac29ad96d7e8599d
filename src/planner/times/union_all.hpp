// Columns of a UNION ALL that are times of keys which it also has.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Adds the key to each UNION ALL of a query that has only its time, if no record of its columns is
// read: the planner then plans the query in which its members select the key, too.
void add_keys_of_unions(QueryLevel *level);

// True if an entry of the range table is a UNION ALL whose members the planner plans as those of a
// table.
bool is_union_all(const RangeTblEntry &rte);

// Returns the expression by which all members of a UNION ALL compute a column, in other columns of
// the UNION ALL, and sets how far the column is from it; returns null if there is none.
Node *common_expression(const QueryLevel &level, const Var *column, Reach *tolerance);

// Reads a UNION ALL as a table: what is proved of a column is proved by all members.
KeyTable read_union_all(QueryLevel *level, Index rti, const RangeTblEntry *rte);

}  // namespace uuidx
