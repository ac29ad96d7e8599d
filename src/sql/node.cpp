// SQL functions of version 8 with a node ID.
#include "core/v8_node.hpp"
#include "pg/backend.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Generates the next UUID of this backend for a node, which must be in range.
Datum make_v8_node(std::uint32_t node) {
  const UnixTicks clock = read_unix_ticks(kV8);
  BackendState *state = backend_state();
  const std::uint64_t random = draw_random(state);
  const UnixTicks ticks = take_ticks(&state->v8_last, clock, kV8);
  return make_uuid(v8_node_from_unix_ticks(ticks, node, random));
}

}  // namespace

// uuid_v8_node(node integer)
UUIDX_FUNCTION(uuidx_v8_node_integer) {
  const int32 node = PG_GETARG_INT32(0);
  if (node < 0 || node > static_cast<int32>(kMaxNode)) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("node ID %d is out of range", node),
            errdetail("A node ID is a number from 0 to %u.", kMaxNode));
  }
  return make_v8_node(static_cast<std::uint32_t>(node));
}

// uuid_v8_node()
UUIDX_FUNCTION(uuidx_v8_node) {
  if (node_id == kNoNode) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("parameter \"uuidx.node_id\" is not set"),
        errhint(
            "Set it in postgresql.conf to a different number from 0 to %u on each server, or call "
            "uuid_v8_node(node).",
            kMaxNode));
  }
  return make_v8_node(static_cast<std::uint32_t>(node_id));
}

// uuid_extract_v8_node(uuid)
UUIDX_FUNCTION(uuidx_extract_v8_node) {
  return make_nullable(fcinfo, v8_node_of(get_uuid(PG_GETARG_DATUM(0))), make_integer);
}

// uuid_extract_v8_time(uuid)
UUIDX_FUNCTION(uuidx_extract_v8_time) {
  return make_nullable(fcinfo, v8_node_time_of(get_uuid(PG_GETARG_DATUM(0))), make_time);
}

}  // namespace uuidx
