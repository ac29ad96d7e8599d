// The conditions of members of a UNION ALL.
#pragma once

#include "planner/times/query_level.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Rewrites the conditions on a UNION ALL before they are copied to a member, if they were
// distributed before the first table of the query was planned. Returns those of the member.
List *rewrite_for_member(QueryLevel *level, const RelOptInfo *member);

}  // namespace uuidx
