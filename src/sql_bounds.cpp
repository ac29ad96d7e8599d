// SQL functions that order UUIDs: the bounds of a time in each version's order, and the steps of
// the aggregates min and max.
#include "gregorian.hpp"
#include "v7.hpp"

#include "pg.hpp"

namespace uuidx {

// uuid_v7_min(timestamptz)
UUIDX_FUNCTION(uuidx_v7_min) {
  return make_uuid(v7_min(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v7_max(timestamptz)
UUIDX_FUNCTION(uuidx_v7_max) {
  return make_uuid(v7_max(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v6_min(timestamptz)
UUIDX_FUNCTION(uuidx_v6_min) {
  return make_uuid(v6_min(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v6_max(timestamptz)
UUIDX_FUNCTION(uuidx_v6_max) {
  return make_uuid(v6_max(get_time(PG_GETARG_DATUM(0))));
}

// The step of min(uuid). The answer is an argument, the state on a tie, so nothing is copied.
UUIDX_FUNCTION(uuidx_smaller) {
  const bool first = get_uuid(PG_GETARG_DATUM(0)) <= get_uuid(PG_GETARG_DATUM(1));
  return PG_GETARG_DATUM(first ? 0 : 1);
}

// The step of max(uuid).
UUIDX_FUNCTION(uuidx_larger) {
  const bool first = get_uuid(PG_GETARG_DATUM(0)) >= get_uuid(PG_GETARG_DATUM(1));
  return PG_GETARG_DATUM(first ? 0 : 1);
}

}  // namespace uuidx
