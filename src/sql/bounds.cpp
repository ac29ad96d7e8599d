// SQL functions for bounds of UUIDs: those of a time in the order of a version, and of a prefix.
#include <string_view>

#include "core/gregorian.hpp"
#include "core/prefix.hpp"
#include "core/v7.hpp"
#include "pg/text_argument.hpp"
#include "planner/planner_hooks.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns a bound, with which queries compare keys: the planner computes it before it asks how many
// rows it leaves.
Datum make_bound(Uuid id) {
  install_planner_hooks();
  return make_uuid(id);
}

// Returns the UUIDs that begin with the prefix in the first argument, or raises an error.
UuidRange get_prefix_range(FunctionCallInfo fcinfo) {
  const std::string_view prefix = get_text(PG_GETARG_DATUM(0));
  const DecodedPrefix decoded = decode_prefix(prefix);
  if (decoded.fault != TextFault::none) {
    raise_bad_text(prefix, "UUID prefix", decoded.fault, decoded.position);
  }
  return decoded.range;
}

}  // namespace

// uuid_v7_min(timestamptz)
UUIDX_FUNCTION(uuidx_v7_min) {
  return make_bound(v7_min(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v7_max(timestamptz)
UUIDX_FUNCTION(uuidx_v7_max) {
  return make_bound(v7_max(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v7_bound(timestamptz, boolean)
UUIDX_FUNCTION(uuidx_v7_bound) {
  const UnixMicros time = get_time(PG_GETARG_DATUM(0));
  return make_bound(PG_GETARG_BOOL(1) ? v7_precise_max(time) : v7_precise_min(time));
}

// uuid_v6_min(timestamptz)
UUIDX_FUNCTION(uuidx_v6_min) {
  return make_bound(v6_min(get_time(PG_GETARG_DATUM(0))));
}

// uuid_v6_max(timestamptz)
UUIDX_FUNCTION(uuidx_v6_max) {
  return make_bound(v6_max(get_time(PG_GETARG_DATUM(0))));
}

// uuid_prefix_min(text)
UUIDX_FUNCTION(uuidx_prefix_min) {
  return make_bound(get_prefix_range(fcinfo).lowest);
}

// uuid_prefix_max(text)
UUIDX_FUNCTION(uuidx_prefix_max) {
  return make_bound(get_prefix_range(fcinfo).highest);
}

}  // namespace uuidx
