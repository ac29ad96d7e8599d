#include "server/server_clock.hpp"

#include "pg/backend.hpp"
#include "server/high_water_mark.hpp"
#include "server/wal.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns the server clock, ready for use. Raises an error with a hint if there is none.
ServerMemory *need_server_clock(const char *function) {
  static constinit bool prepared = false;
  PreventCommandDuringRecovery(function);
  if (prepared) [[likely]] {
    return the_server;
  }
  ServerMemory *server = attach_server_memory();
  if (server == nullptr) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("%s requires uuidx to be loaded via \"shared_preload_libraries\"", function),
        errdetail(
            "Before PostgreSQL 17, shared memory can be requested only when the server starts."),
        errhint("Add uuidx to \"shared_preload_libraries\" and restart the server."));
  }
  if (!load_mark(server, ERROR)) {
    raise_clock_error(kV7);
  }
  prepared = true;
  return server;
}

}  // namespace

void prepare_server_clock() {
  request_server_memory(load_mark_at_start, save_mark_at_shutdown);
  register_wal_record(redo_mark);
}

UnixTicks take_server_ticks() {
  ServerMemory *server = need_server_clock("uuid_v7_server()");
  const UnixTicks clock = read_unix_ticks(kV7);
  UnixTicks ticks = 0;
  if (!take_unix_ticks(&server->last, clock, &ticks)) [[unlikely]] {
    raise_clock_error(kV7);
  }
  // The tick is taken first and its mark made durable afterwards: a session that fails here loses a
  // tick, which nobody else gets, and never returns a value without its mark.
  if (is_mark_due(server, ticks, clock)) [[unlikely]] {
    make_mark_durable(server, ticks);
  }
  check_clock(&server->clock_is_behind, ticks, clock, "uuid_v7_server()");
  return ticks;
}

UnixTicks last_server_ticks() {
  return need_server_clock("uuid_v7_advance()")->last.load(std::memory_order_relaxed);
}

void advance_server_clock(UnixTicks to) {
  ServerMemory *server = need_server_clock("uuid_v7_advance()");
  increase_unix_ticks(&server->last, to);
  // Durable before the call returns, so that a restart does not go back behind the tick.
  if (!may_return(server, to, read_ticks_or_zero())) {
    make_mark_durable(server, to);
  }
}

ServerMemory *read_server_clock() {
  ServerMemory *server = attach_server_memory();
  if (server != nullptr) {
    load_mark(server, LOG_SERVER_ONLY);
  }
  return server;
}

}  // namespace uuidx
