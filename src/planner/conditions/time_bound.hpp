// The bounds of the time of a key that follow from bounds of a value that is computed from it. The
// computation is inverted step by step, from its last operation to its first one.
#pragma once

#include "planner/functions.hpp"
#include "planner/times/computation.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the steps that invert a computation, for lower or upper bounds of a comparison by a
// B-tree strategy (of equality if the value may have been rounded), as the text that
// uuid_time_bound() takes, after "cast" if the value must first become an instant: steps separated
// by ';', each of them
//   cast         takes a date or timestamp for an instant of the session's zone, as a cast does
//   N            adds N microseconds
//   zone[=NAME]  leads from local times to instants, of the session's zone or this one
//   local[=NAME] leads from instants to local times
//   year, nextyear  lead from numbers, as seconds, to the beginning of a year or of the one after
//   text=N, cut=N   see below
//
// `inside`: those to bounds between which all times have exactly the value, for `<` those before it
// and for `>` those after it; null if there are none. Beyond a text=N, a text is that of a pattern
// with so many characters; cut=N is inverted if the value begins a unit of date_trunc().
const char *inverse_of(const Computation &computation, bool cast, bool upper, int strategy,
                       bool inside = false);

// Returns how far the bounds of one computed time are apart, if they are calls of uuid_time_bound()
// for the same value; 0 for others.
int64 distance_of_bounds(const Functions &functions, const Node *lower, const Node *upper);

}  // namespace uuidx
