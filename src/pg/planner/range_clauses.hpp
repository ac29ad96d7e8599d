// The clauses that the planner puts in the place of `uuid <@ time range`: comparisons of the id
// with the bounds of the range, and the test of its version.
#pragma once

#include "core/time_range.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// A call that was kept when it was simplified is tagged, as the planner simplifies the arguments of
// an AND again until none of them becomes an AND: without a tag, it would never end. The tag is an
// input collation, which a function of types without collations ignores, and which is copied with
// the call. A tagged call is still replaced by comparisons when it is simplified for a child table.
// It is equal to no other one, so postgres_fdw would not send it.
inline constexpr Oid kKeptTag = C_COLLATION_OID;

inline void tag_kept(OpExpr *call) {
  call->inputcollid = kKeptTag;
}

inline bool is_kept(Oid input_collation) {
  return input_collation == kKeptTag;
}

// A call of `<@` or `@>`, by its function.
struct RangeCall {
  Node *id = nullptr;
  Node *range = nullptr;    // of type tstzrange or tstzmultirange, without the domain over it
  Oid type = InvalidOid;    // which of them
  Oid schema = InvalidOid;  // the extension's, which has the support function
};

// Returns `uuid_is_v7(id)`; null if the function is missing.
Expr *version_test(const RangeCall &call);

// True if a clause is that test.
bool is_version_test(const Node *clause, const RangeCall &call);

// Returns the comparisons that are equivalent to a constant time range for a version 7 id, as
// written by hand: none for an unbounded side, and every bound a version 7 UUID, as TimescaleDB
// requires on a hypertable's id.
List *constant_comparisons(const RangeCall &call, const TimeRange &range);

// Returns `id >= uuid_v7_lower(range)` and `id <= uuid_v7_upper(range)`; NIL if a function is
// missing.
List *bounds(PlannerInfo *root, const RangeCall &call);

// Each of these returns the clauses that, together with the test of the version, replace a call:
// with a constant range, a constant multirange (comparisons for each of its ranges, so that only
// their partitions are read), and any time range. The first two return NIL if every version 7 id is
// in the range, the last one if a function is missing.
List *replace_range(const RangeCall &call, const RangeType *range);
List *replace_multirange(const RangeCall &call, const MultirangeType *ranges);
List *replace_with_bounds(PlannerInfo *root, const RangeCall &call);

}  // namespace uuidx
