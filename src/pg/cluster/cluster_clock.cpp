#include "pg/cluster/cluster_clock.hpp"

#include "pg/backend.hpp"
#include "pg/clock_report.hpp"
#include "pg/cluster/cluster_memory.hpp"
#include "pg/cluster/high_water_mark.hpp"
#include "pg/cluster/restart.hpp"
#include "pg/cluster/wal.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// How many values a session generates before it adds them to the server's count, so that few values
// pay for another atomic operation.
constexpr std::uint32_t kCountBlock = 256;
constinit std::uint32_t uncounted = 0;

// Adds this session's values to the server's count.
void count_generated() {
  // Relaxed: it is a statistic, and no other memory is read because of it.
  the_cluster->generated.fetch_add(uncounted, std::memory_order_relaxed);
  uncounted = 0;
}

void count_at_exit([[maybe_unused]] int code, [[maybe_unused]] Datum argument) {
  count_generated();
}

// Returns the cluster clock, ready for use. Raises an error with a hint if there is none.
ClusterState *need_cluster(const char *function) {
  static constinit bool prepared = false;
  PreventCommandDuringRecovery(function);
  if (prepared) [[likely]] {
    return the_cluster;
  }
  ClusterState *cluster = attach_cluster_memory();
  if (cluster == nullptr) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("%s requires uuidx to be loaded via \"shared_preload_libraries\"", function),
        errdetail(
            "Before PostgreSQL 17, shared memory can be requested only when the server starts."),
        errhint("Add uuidx to \"shared_preload_libraries\" and restart the server."));
  }
  if (!load_mark(cluster, ERROR)) {
    raise_error(Status::clock_out_of_range, kV7);
  }
  before_shmem_exit(count_at_exit, 0);
  prepared = true;
  return cluster;
}

// Checks a clock that does not fit the tick, unless another session is doing so.
void check_cluster_clock(ClusterState *cluster, UnixTicks ticks) {
  if (LWLockConditionalAcquire(&cluster->watch_lock, LW_EXCLUSIVE)) {
    const ClockReport report = check_clock(&cluster->watch, ticks);
    // Relaxed: a hint; see take_cluster_ticks().
    cluster->behind_at.store(cluster->watch.behind_at, std::memory_order_relaxed);
    LWLockRelease(&cluster->watch_lock);
    warn_about_clock(report, "this server");
  }
}

}  // namespace

void prepare_cluster_clock() {
  request_cluster_memory(load_mark_at_start, save_mark_at_shutdown);
  register_wal_record(redo_mark);
}

Status take_cluster_ticks(UnixTicks *ticks) {
  ClusterState *cluster = need_cluster("uuid_v7_cluster()");
  const ClockReading now = read_clock();
  UnixTicks clock = 0;
  UnixTicks last = 0;
  if (!unix_ticks_from_clock(now, &clock) || !take_unix_ticks(&cluster->last, clock, &last, ticks))
      [[unlikely]] {
    return Status::clock_out_of_range;
  }
  // Relaxed: a hint. A session that sees it late checks the clock with a later value.
  bool is_suspect =
      clock_is_suspect(last, clock, cluster->behind_at.load(std::memory_order_relaxed));
  // The tick is taken first and its mark ensured afterwards: a session that fails here loses a
  // tick, which nobody else gets, and never returns a value without its mark.
  if (should_raise(cluster, *ticks)) [[unlikely]] {
    // Also about once a second, so that small steps of the clock are counted.
    is_suspect |= ensure_mark(cluster, *ticks, clock);
  }
  if (is_suspect) [[unlikely]] {
    check_cluster_clock(cluster, *ticks);
  }
  if (++uncounted == kCountBlock) [[unlikely]] {
    count_generated();
  }
  return Status::ok;
}

UnixTicks last_cluster_ticks() {
  return need_cluster("uuid_v7_advance()")->last.load(std::memory_order_relaxed);
}

void advance_cluster_clock(UnixTicks to) {
  ClusterState *cluster = need_cluster("uuid_v7_advance()");
  raise_unix_ticks(&cluster->last, to);
  // Durable before the call returns, so that a restart does not go back behind the tick.
  if (!is_ensured(cluster, to)) {
    UnixTicks clock = 0;
    // The mark is above the tick in any case.
    unix_ticks_from_clock(read_clock(), &clock);
    ensure_mark(cluster, to, clock);
  }
}

bool read_cluster_statistics(ClusterStatistics *statistics) {
  ClusterState *cluster = attach_cluster_memory();
  if (cluster == nullptr) {
    return false;
  }
  load_mark(cluster, WARNING);
  LWLockAcquire(&cluster->watch_lock, LW_SHARED);
  statistics->watch = cluster->watch;
  LWLockRelease(&cluster->watch_lock);
  // Read one by one, and so possibly from different moments. Any order would do: nothing but these
  // statistics are made of them.
  statistics->last = cluster->last.load();
  statistics->mark = cluster->mark.load();
  if (statistics->mark == 0) {
    // Before the first mark of this run, the clock stands at that of the file.
    statistics->mark = statistics->last;
  }
  statistics->generated = cluster->generated.load() + uncounted;
  statistics->since = cluster->since;
  statistics->logged = cluster->logged;
  return true;
}

}  // namespace uuidx
