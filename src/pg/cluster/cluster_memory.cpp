#include "pg/cluster/cluster_memory.hpp"

#include "pg/compat.hpp"

#include "pg/pg.hpp"

namespace uuidx {

constinit ClusterState *the_cluster = nullptr;

namespace {

constexpr char kName[] = "uuidx";

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;
constinit StartCallback start_callback = nullptr;
constinit pg_on_exit_callback stop_callback = nullptr;

// Initializes the shared memory. The stores need no order of their own: no other process has the
// memory before AddinShmemInitLock or the lock of the segment's registry entry is released, and
// each one that finds it later has acquired that lock or was forked afterwards.
void initialize(ClusterState *cluster, bool logged) {
  const int tranche = new_tranche(kName);
  cluster->magic = kClusterMagic;
  cluster->layout = kClusterLayout;
  cluster->last.store(0);
  cluster->mark.store(0);
  cluster->raise_at.store(0);
  SpinLockInit(&cluster->confirmed.lock);
  cluster->confirmed.standbys.store(kNoStandbys);
  cluster->confirmed.mark.store(0);
  cluster->generated.store(0);
  cluster->loaded.store(false);
  cluster->behind_at.store(0);
  cluster->logged = logged;
  cluster->since = GetCurrentTimestamp();
  LWLockInitialize(&cluster->mark_lock, tranche);
  ConditionVariableInit(&cluster->mark_raised);
  cluster->file_mark = 0;
  cluster->directory_flushed = false;
  cluster->mark_lsn = InvalidXLogRecPtr;
  LWLockInitialize(&cluster->watch_lock, tranche);
  cluster->watch = {};
}

// Initializes a segment made on first use. Its marks are not logged, as the WAL record can only be
// registered while libraries are preloaded.
void initialize_segment(void *segment) {
  initialize(static_cast<ClusterState *>(segment), false);
}

void request_memory() {
  if (previous_request_hook != nullptr) {
    previous_request_hook();
  }
  RequestAddinShmemSpace(MAXALIGN(kClusterSize));
}

void start_memory() {
  if (previous_startup_hook != nullptr) {
    previous_startup_hook();
  }
  bool found = false;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto *cluster = static_cast<ClusterState *>(ShmemInitStruct(kName, kClusterSize, &found));
  if (!found) {
    initialize(cluster, true);
    start_callback(cluster);
  }
  LWLockRelease(AddinShmemInitLock);
  name_tranche(cluster->mark_lock, kName);
  the_cluster = cluster;
  if (!IsUnderPostmaster) {
    on_shmem_exit(stop_callback, 0);
  }
}

}  // namespace

void request_cluster_memory(StartCallback on_start, pg_on_exit_callback on_stop) {
  start_callback = on_start;
  stop_callback = on_stop;
  previous_request_hook = shmem_request_hook;
  shmem_request_hook = request_memory;
  previous_startup_hook = shmem_startup_hook;
  shmem_startup_hook = start_memory;
}

ClusterState *attach_cluster_memory() {
  if (the_cluster != nullptr) {
    return the_cluster;
  }
  auto *cluster =
      static_cast<ClusterState *>(named_segment<initialize_segment>(kName, kClusterSize));
  if (cluster == nullptr) {
    return nullptr;
  }
  if (cluster->magic != kClusterMagic || cluster->layout != kClusterLayout) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("shared memory of uuidx was initialized by an incompatible version"),
            errdetail("Sessions that began before an upgrade of uuidx still use the old version."),
            errhint("Restart the server."));
  }
  name_tranche(cluster->mark_lock, kName);
  the_cluster = cluster;
  return cluster;
}

}  // namespace uuidx
