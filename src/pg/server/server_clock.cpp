#include "pg/server/server_clock.hpp"

#include "pg/backend.hpp"
#include "pg/clock_report.hpp"
#include "pg/server/high_water_mark.hpp"
#include "pg/server/restart.hpp"
#include "pg/server/wal.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// How many values a session generates before it adds them to the server's count, so that few values
// pay for another atomic operation.
constexpr std::uint32_t kCountBlock = 256;
constinit std::uint32_t uncounted = 0;

// Adds this session's values to the server's count.
void count_generated() {
  // Relaxed: it is a statistic, and no other memory is read because of it.
  the_server->generated.fetch_add(uncounted, std::memory_order_relaxed);
  uncounted = 0;
}

void count_at_exit([[maybe_unused]] int code, [[maybe_unused]] Datum argument) {
  count_generated();
}

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
    throw_error(Status::clock_out_of_range, kV7);
  }
  before_shmem_exit(count_at_exit, 0);
  prepared = true;
  return server;
}

// Checks a clock that does not fit the tick, unless another session is doing so.
void check_server_clock(ServerMemory *server, UnixTicks ticks) {
  if (LWLockConditionalAcquire(&server->watch_lock, LW_EXCLUSIVE)) {
    const ClockReport report = check_clock(&server->watch, ticks);
    // Relaxed: a hint; see take_server_ticks().
    server->behind_at.store(server->watch.behind_at, std::memory_order_relaxed);
    LWLockRelease(&server->watch_lock);
    warn_about_clock(report, "uuid_v7_server()");
  }
}

}  // namespace

void prepare_server_clock() {
  request_server_memory(load_mark_at_start, save_mark_at_shutdown);
  register_wal_record(redo_mark);
}

UnixTicks take_server_ticks() {
  ServerMemory *server = need_server_clock("uuid_v7_server()");
  const ClockReading now = read_clock();
  UnixTicks clock = 0;
  UnixTicks last = 0;
  UnixTicks ticks = 0;
  if (!unix_ticks_from_clock(now, &clock) || !take_unix_ticks(&server->last, clock, &last, &ticks))
      [[unlikely]] {
    throw_error(Status::clock_out_of_range, kV7);
  }
  // Relaxed: a hint. A session that sees it late checks the clock with a later value.
  bool is_suspect =
      clock_is_suspect(last, clock, server->behind_at.load(std::memory_order_relaxed));
  // The tick is taken first and its mark made durable afterwards: a session that fails here loses a
  // tick, which nobody else gets, and never returns a value without its mark.
  if (is_mark_due(server, ticks)) [[unlikely]] {
    // Also about once a second, so that small steps of the clock are counted.
    is_suspect |= make_mark_durable(server, ticks, clock);
  }
  if (is_suspect) [[unlikely]] {
    check_server_clock(server, ticks);
  }
  if (++uncounted == kCountBlock) [[unlikely]] {
    count_generated();
  }
  return ticks;
}

UnixTicks last_server_ticks() {
  return need_server_clock("uuid_v7_advance()")->last.load(std::memory_order_relaxed);
}

void advance_server_clock(UnixTicks to) {
  ServerMemory *server = need_server_clock("uuid_v7_advance()");
  increase_unix_ticks(&server->last, to);
  // Durable before the call returns, so that a restart does not go back behind the tick.
  if (!may_return(server, to)) {
    UnixTicks clock = 0;
    // The mark is above the tick in any case.
    unix_ticks_from_clock(read_clock(), &clock);
    make_mark_durable(server, to, clock);
  }
}

ServerMemory *read_server_clock() {
  ServerMemory *server = attach_server_memory();
  if (server != nullptr) {
    load_mark(server, WARNING);
    count_generated();
  }
  return server;
}

}  // namespace uuidx
