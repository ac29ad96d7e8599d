// SQL functions of the server clock, the state of the version 7 generators, and the version of the
// library.
#include "core/v7.hpp"
#include "pg/backend.hpp"
#include "server/server_clock.hpp"
#include "pg/compat.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/tuplestore.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the tick of a version 7 UUID, which another generator may have made. Raises an error for
// another version, and if its time is too far ahead of the clock: such a value would push the
// server years ahead. One that the server has reached already, as its own keys have after the clock
// was set back, does not.
UnixTicks checked_unix_ticks(Uuid id) {
  if (!is_v7(id)) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("cannot advance to a UUID that is not of version 7"));
  }
  const UnixTicks ticks = unix_ticks_of(id);
  const ClockReading now = read_clock();
  const std::int64_t lead = static_cast<std::int64_t>(ticks >> kMillisShift) -
                            (now.seconds * 1'000 + now.nanoseconds / kNanosPerMilli);
  if (lead > max_clock_lead && ticks > last_server_ticks()) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("cannot advance to a UUID that is too far ahead of the clock"),
            errdetail("Its time is %lld ms ahead, and uuidx.max_clock_lead allows %d ms.",
                      static_cast<long long>(lead), max_clock_lead),
            errhint("Set the server's clock, or let a superuser raise uuidx.max_clock_lead."));
  }
  return ticks;
}

// Adds a row to the result of uuid_generator_state(). NULL is what is 0 or null here.
void put_state(FunctionCallInfo fcinfo, const char *scope, UnixTicks last, UnixTicks mark,
               const char *persistence) {
  UnixTicks clock = 0;
  const bool has_lead = last > 0 && unix_ticks_from_clock(read_clock(), &clock);
  Interval lead{};
  lead.time = micros_from_unix_ticks(last) - micros_from_unix_ticks(clock);
  Datum values[] = {CStringGetTextDatum(scope), make_time(micros_from_unix_ticks(last)),
                    IntervalPGetDatum(&lead), make_time(micros_from_unix_ticks(mark)),
                    CStringGetTextDatum(persistence != nullptr ? persistence : "")};
  bool nulls[] = {false, last == 0, !has_lead, mark == 0, persistence == nullptr};
  auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

}  // namespace

// uuid_v7_server()
UUIDX_FUNCTION(uuidx_v7_server) {
  const std::uint64_t random = draw_random(backend_state());
  return make_uuid(v7_from_unix_ticks(take_server_ticks(), random));
}

// uuid_v7_advance(uuid)
UUIDX_FUNCTION(uuidx_v7_advance) {
  const UnixTicks ticks = checked_unix_ticks(get_uuid(PG_GETARG_DATUM(0)));
  advance_server_clock(ticks);
  BackendState *state = backend_state();
  if (state->v7_last < ticks) {
    state->v7_last = ticks;
  }
  return PG_GETARG_DATUM(0);
}

// uuid_generator_state()
UUIDX_FUNCTION(uuidx_generator_state) {
  begin_rows(fcinfo);
  put_state(fcinfo, "session", backend_state()->v7_last, 0, "session memory");
  const ServerMemory *server = read_server_clock();
  if (server == nullptr) {
    put_state(fcinfo, "server", 0, 0, nullptr);
    return Datum{0};
  }
  // Read one by one, and so possibly from different moments. Before the first mark of this run, the
  // clock stands at that of the file.
  const UnixTicks last = server->last.load();
  const UnixTicks mark = server->mark.load();
  put_state(fcinfo, "server", last, mark > 0 ? mark : last,
            server->logged ? "file and WAL" : "file");
  return Datum{0};
}

// uuidx_version()
UUIDX_FUNCTION(uuidx_version) {
  PG_RETURN_TEXT_P(cstring_to_text(UUIDX_VERSION));
}

}  // namespace uuidx
