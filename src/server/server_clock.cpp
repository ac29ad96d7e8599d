#include "server/server_clock.hpp"

#include <new>

#include "pg/backend.hpp"
#include "pg/compat.hpp"
#include "server/high_water_mark.hpp"
#include "server/wal.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "pg/end_headers.hpp"

namespace uuidx {

constinit ServerMemory *the_server = nullptr;

namespace {

constexpr char kName[] = "uuidx";

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

// Makes the state in the shared memory. The stores need no order of their own: no other process has
// the memory before AddinShmemInitLock or the lock of the segment's registry entry is released, and
// each one that finds it later has acquired that lock or was forked afterwards.
ServerMemory *initialize(void *memory, bool logged) {
  new (memory) ServerMemory{};
  auto *server = static_cast<ServerMemory *>(memory);
  server->magic = kServerMagic;
  server->layout = kServerLayout;
  server->logged = logged;
  // Of the postmaster, as it must not depend on the role of a session. A session cannot know it.
  server->max_lead = static_cast<UnixTicks>(logged ? max_clock_lead : kDefaultClockLead)
                     << kMillisShift;
  LWLockInitialize(&server->mark_lock, new_tranche(kName));
  ConditionVariableInit(&server->mark_raised);
  return server;
}

// Initializes a segment made on first use. Its marks are not logged, as the WAL record can only be
// registered while libraries are preloaded.
void initialize_segment(void *segment) {
  initialize(segment, false);
}

void request_memory() {
  if (previous_request_hook != nullptr) {
    previous_request_hook();
  }
  RequestAddinShmemSpace(MAXALIGN(kServerSize));
}

void start_memory() {
  if (previous_startup_hook != nullptr) {
    previous_startup_hook();
  }
  bool found = false;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  void *memory = ShmemInitStruct(kName, kServerSize, &found);
  auto *server = static_cast<ServerMemory *>(memory);
  if (!found) {
    server = initialize(memory, true);
    load_mark_at_start(server);
  }
  LWLockRelease(AddinShmemInitLock);
  name_tranche(server->mark_lock, kName);
  the_server = server;
  if (!IsUnderPostmaster) {
    on_shmem_exit(save_mark_at_shutdown, 0);
  }
}

// Returns the shared memory, made if need be. Returns null before PostgreSQL 17 if the library is
// not preloaded. Raises an error if an incompatible library has made it.
ServerMemory *attach() {
  if (the_server != nullptr) {
    return the_server;
  }
  auto *server = static_cast<ServerMemory *>(named_segment<initialize_segment>(kName, kServerSize));
  if (server == nullptr) {
    return nullptr;
  }
  if (server->magic != kServerMagic || server->layout != kServerLayout) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("shared memory of uuidx was initialized by an incompatible version"),
            errdetail("Sessions that began before an upgrade of uuidx still use the old version."),
            errhint("Restart the server."));
  }
  name_tranche(server->mark_lock, kName);
  the_server = server;
  return server;
}

// Returns the server clock, ready for use. Raises an error with a hint if there is none.
ServerMemory *need_server_clock(const char *function) {
  static constinit bool prepared = false;
  PreventCommandDuringRecovery(function);
  if (prepared) [[likely]] {
    return the_server;
  }
  ServerMemory *server = attach();
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
  previous_request_hook = shmem_request_hook;
  shmem_request_hook = request_memory;
  previous_startup_hook = shmem_startup_hook;
  shmem_startup_hook = start_memory;
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
  ServerMemory *server = attach();
  if (server != nullptr) {
    load_mark(server, LOG_SERVER_ONLY);
  }
  return server;
}

}  // namespace uuidx
