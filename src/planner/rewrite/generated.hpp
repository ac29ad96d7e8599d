// Columns that are generated and stored.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// True if a column of a table of the query is a time or date that is generated and stored.
bool is_generated(const PlannerInfo *root, const Var *column);

// Returns the expression by which such a column is generated in the table and all its children;
// null if there is none.
Node *generated_by(PlannerInfo *root, const Var *column);

}  // namespace uuidx
