// How coarse what a query computes from the time of a key is, for estimates.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"

namespace uuidx {

struct Granularity {
  const Var *id = nullptr;
  int64 unit = 0;   // the length of the times with one value, in microseconds; 0 for each time
  double most = 0;  // the number of values, if they recur, as of the hours of all days
};

// Reads an expression; returns false if it is not computed from the time of a key.
bool read_granularity(const QueryLevel &level, Node *node, Granularity *granularity);

}  // namespace uuidx
