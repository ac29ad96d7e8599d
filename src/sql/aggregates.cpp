// The aggregates min and max of UUIDs.
#include <functional>
#include <new>

#include "core/uuid.hpp"
#include "pg/text_argument.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns the state of min or max: the least or greatest UUID so far, null before the first one.
// Its type is internal, as Citus then lets each shard compute the whole aggregate, by its index.
// With a state of type uuid, which would need fewer functions, it reads every row of every shard.
Uuid *get_state(Datum argument) noexcept {
  return reinterpret_cast<Uuid *>(DatumGetPointer(argument));
}

// Makes a state in a memory context.
Datum make_state(Uuid id, MemoryContext context) {
  return PointerGetDatum(new (MemoryContextAlloc(context, sizeof(Uuid))) Uuid{id});
}

// Performs one step of the aggregate: replaces the state in the first argument with the UUID in the
// second, if there is one, and it comes before the state or there is none yet.
template <typename Before, typename Get>
Datum take_into_state(FunctionCallInfo fcinfo, const Get &get) {
  if (PG_ARGISNULL(1)) {
    fcinfo->isnull = PG_ARGISNULL(0);
    return PG_GETARG_DATUM(0);
  }
  const Uuid id = get(PG_GETARG_DATUM(1));
  if (PG_ARGISNULL(0)) [[unlikely]] {
    MemoryContext context = nullptr;
    if (AggCheckCallContext(fcinfo, &context) == 0) {
      elog(ERROR, "aggregate function called in non-aggregate context");
    }
    return make_state(id, context);
  }
  Uuid *state = get_state(PG_GETARG_DATUM(0));
  if (Before{}(id, *state)) {
    *state = id;
  }
  return PointerGetDatum(state);
}

// Returns the UUID that another state has: its memory is freed before the aggregate ends.
Uuid copied_state(Datum argument) noexcept {
  return *get_state(argument);
}

}  // namespace

// uuid_min_transfn(internal, uuid)
UUIDX_FUNCTION(uuidx_min_transfn) {
  return take_into_state<std::less<>>(fcinfo, get_uuid);
}

// uuid_max_transfn(internal, uuid)
UUIDX_FUNCTION(uuidx_max_transfn) {
  return take_into_state<std::greater<>>(fcinfo, get_uuid);
}

// uuid_min_combine(internal, internal)
UUIDX_FUNCTION(uuidx_min_combine) {
  return take_into_state<std::less<>>(fcinfo, copied_state);
}

// uuid_max_combine(internal, internal)
UUIDX_FUNCTION(uuidx_max_combine) {
  return take_into_state<std::greater<>>(fcinfo, copied_state);
}

// uuid_minmax_serialize(internal)
UUIDX_FUNCTION(uuidx_minmax_serialize) {
  return make_bytea(*get_state(PG_GETARG_DATUM(0)));
}

// uuid_minmax_deserialize(bytea, internal)
UUIDX_FUNCTION(uuidx_minmax_deserialize) {
  return make_state(get_octets(PG_GETARG_DATUM(0), "state of an aggregate"), CurrentMemoryContext);
}

// uuid_minmax_finalfn(internal)
UUIDX_FUNCTION(uuidx_minmax_finalfn) {
  return make_uuid(*get_state(PG_GETARG_DATUM(0)));
}

}  // namespace uuidx
