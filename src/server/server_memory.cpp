#include "server/server_memory.hpp"

#include <new>

#include "pg/compat.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "storage/shmem.h"
#include "pg/end_headers.hpp"

namespace uuidx {

constinit ServerMemory *the_server = nullptr;

namespace {

constexpr char kName[] = "uuidx";

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;
constinit StartCallback start_callback = nullptr;
constinit pg_on_exit_callback stop_callback = nullptr;

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
    start_callback(server);
  }
  LWLockRelease(AddinShmemInitLock);
  name_tranche(server->mark_lock, kName);
  the_server = server;
  if (!IsUnderPostmaster) {
    on_shmem_exit(stop_callback, 0);
  }
}

}  // namespace

void request_server_memory(StartCallback on_start, pg_on_exit_callback on_stop) {
  start_callback = on_start;
  stop_callback = on_stop;
  previous_request_hook = shmem_request_hook;
  shmem_request_hook = request_memory;
  previous_startup_hook = shmem_startup_hook;
  shmem_startup_hook = start_memory;
}

ServerMemory *attach_server_memory() {
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

}  // namespace uuidx
