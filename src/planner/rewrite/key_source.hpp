// Which key a column of a table or view is the time of.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/attnum.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A key, as a column of a table.
struct KeySource {
  Oid table = InvalidOid;
  AttrNumber column = InvalidAttrNumber;
  Oid function = InvalidOid;  // that extracts its time; none for the key itself
  bool exact = true;          // the time has the milliseconds of the key
};

// Finds the key of a column that is its time: generated, or computed by a view from columns of its
// tables and other views. Returns false for any other column. A column of a UNION is that of its
// first member.
bool find_key_source(Oid relation, AttrNumber number, KeySource *key);

}  // namespace uuidx
