// The constants that a query compares a column with.
#pragma once

#include "core/uuid.hpp"
#include "core/adapted_histogram.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A column of a table of the query.
struct TableColumn {
  Index table = 0;
  AttrNumber number = InvalidAttrNumber;
};

// Finds the constants that a table's conditions compare a column with by <, <=, >= or >, in order
// and each once, without nil and max. Returns their number; 0 if there are more than
// kMostConstants, for which `constants` has place.
int find_constants(PlannerInfo *root, const List *conditions, TableColumn column, Uuid *constants);

// Narrows a range to that of the UUIDs which the comparisons among some conditions joined by AND
// admit. Returns false if another condition, except uuid_is_v7() and IS NOT NULL, has the column.
bool narrow(PlannerInfo *root, const List *conditions, TableColumn column, UuidRange *range);

}  // namespace uuidx
