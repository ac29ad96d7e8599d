// Counts the version 7 rows in a UUID range by reading a few pages of a B-tree on the id.
#pragma once

#include "core/time_range.hpp"
#include "pg/planner/statistics/key_index.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "storage/block.h"
#include "utils/relcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// An index that is open to be probed.
struct IndexProbe {
  KeyIndex index;
  Relation relation = nullptr;
  BlockNumber root = 0;
  int level = 0;
  int pages = 0;  // that may still be read, set by the caller
};

// Opens an index, on which the planner holds a lock; returns false if it is not a B-tree.
bool open_probe(const KeyIndex &index, IndexProbe *probe);

// Closes the index. After an error, PostgreSQL does.
void close_probe(const IndexProbe &probe);

// Sets `rows` to the number of version 7 rows in a range: counted if they are on a few neighboring
// pages, else estimated by reading `pages` pages or, at the ends of the range, a few more. Returns
// false if a page cannot be used. Reads no table, so deleted rows count until the index knows of
// them.
bool count_range(IndexProbe *probe, UuidRange range, int pages, double *rows);

}  // namespace uuidx
