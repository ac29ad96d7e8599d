// The executor node of Near Sort: the first rows in an order, of rows that come almost in it.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// A path of Near Sort.
struct NearSortPath {
  CustomPath custom;
  const Var *time = nullptr;  // by which rows are sorted first
  const Var *id = nullptr;    // the key, in whose order rows are read
  bool descending = false;
  int64 reach = 0;  // how far the time of rows that are read later may be above their key's, or, if
                    // ascending, how far below, as a negative number
  int bound = 0;    // no more rows are asked for
};

// Makes a path of Near Sort above another one, which returns the columns by which the
// query sorts, with their references, and the key.
NearSortPath *make_near_sort_path(Path *input);

// Registers the node, so that plans with it can be read by parallel workers.
void register_near_sort();

}  // namespace uuidx
