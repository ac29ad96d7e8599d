// Counts the version 7 rows in UUID ranges by reading a few pages of a B-tree on the id.
#pragma once

#include "core/uuid_ranges.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "storage/block.h"
#include "utils/relcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// An index whose first column is the id.
struct KeyIndex {
  Oid oid = InvalidOid;
  bool unique = false;  // two entries with the same id are one row's versions
  bool nulls_first = false;
  bool v7_only = false;  // it has the rows of version 7, and no others
};

// An index that is open to be probed.
struct IndexProbe {
  KeyIndex index;
  Relation relation = nullptr;
  BlockNumber root = 0;
  int level = 0;
  int pages = 0;  // that may still be read
};

// The most pages that are read for an estimate.
inline constexpr int kMaxProbedPages = 40;

// Opens an index, on which the planner holds a lock; returns false if it is not a B-tree.
bool open_probe(const KeyIndex &index, IndexProbe *probe);

// Closes the index. After an error, PostgreSQL does.
void close_probe(const IndexProbe &probe);

// Adds to `rows` the number of version 7 rows in the part of some ranges that lies between the
// bounds of another one: counted if they are on a few neighbouring pages, else estimated by reading
// `pages` pages or, at the ends of a single range, a few more. Returns false if a page cannot be
// used. Reads no table, so deleted rows count until the index knows of them.
bool add_rows(IndexProbe *probe, const UuidRanges &ranges, UuidRange part, int pages, double *rows);

}  // namespace uuidx
