// Order by the time of a key.
#pragma once

#include "pg/planner/rewrite/key_table.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Lets the query order by the key instead of its time, if that is a finer order: of version 7 keys,
// which the table proves or, together with another condition on the key, the query tests.
void order_by_id(KeyTable *table);

}  // namespace uuidx
