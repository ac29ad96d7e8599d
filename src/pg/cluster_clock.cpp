#include "pg/cluster_clock.hpp"

#include "pg/backend.hpp"
#include "pg/clock_report.hpp"
#include "pg/cluster_memory.hpp"
#include "pg/compat.hpp"
#include "pg/mark_file.hpp"
#include "pg/settings.hpp"
#include "pg/wal.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// How far a new mark is ahead, and how near to it values may come before it is raised.
constexpr UnixTicks kMarkStep = UnixTicks{2'000} << kMillisShift;
constexpr UnixTicks kMarkReserve = kMarkStep / 2;

// How many values a session makes before it adds them to the server's count.
constexpr std::uint32_t kCountBlock = 256;
constinit std::uint32_t uncounted = 0;

// How long a session sleeps before it looks whether mark_lock is free. It is woken when that is
// released, unless an error released it.
constexpr long kRetryMillis = 100;

constinit std::uint32_t mark_wait_event = 0;

// uuidx.max_clock_lead as a distance of ticks.
UnixTicks lead() {
  return static_cast<UnixTicks>(max_clock_lead) << kMillisShift;
}

// Acquires mark_lock, unless `is_done()` turns true first: then returns false. The lock is held
// while a mark is flushed. An LWLock by itself lets nobody cancel a session that waits for it, so
// that a slow disk would suspend statement_timeout.
template <typename Done>
bool acquire_mark_lock(ClusterState *cluster, const Done &is_done) {
  while (!LWLockConditionalAcquire(&cluster->mark_lock, LW_EXCLUSIVE)) {
    if (is_done()) {
      ConditionVariableCancelSleep();
      return false;
    }
    ConditionVariableTimedSleep(&cluster->mark_raised, kRetryMillis,
                                wait_event(&mark_wait_event, "UuidxMark"));
  }
  ConditionVariableCancelSleep();
  return true;
}

void release_mark_lock(ClusterState *cluster) {
  LWLockRelease(&cluster->mark_lock);
  ConditionVariableBroadcast(&cluster->mark_raised);
}

// Starts from the mark in the file, with mark_lock held or nobody else there. Returns false if the
// file cannot be read, which is reported at `level`, or the clock is needed and out of range.
bool load(ClusterState *cluster, int level) {
  UnixTicks clock = 0;
  UnixTicks mark = 0;
  const bool clock_is_good = unix_ticks_from_clock(read_clock(), &clock);
  switch (read_mark_file(&mark, level)) {
    case MarkFile::unreadable:
      return false;
    case MarkFile::missing:
      break;
    case MarkFile::read:
      raise_unix_ticks(&cluster->mark, mark);
      if (clock_is_good && mark > clock && mark - clock > lead()) {
        ereport(WARNING,
                errmsg("system clock is %.3f s behind the high-water mark of uuidx",
                       static_cast<double>((mark - clock) >> kMillisShift) / 1000),
                errdetail("Values of uuid_v7_cluster() count on from the mark, in order, until the "
                          "clock has caught up."),
                errhint("Check the time synchronization of this machine."));
      }
      break;
    case MarkFile::rejected:
      if (!clock_is_good) {
        return false;
      }
      // Above everything that was made while the clock was right, by uuid_v7_advance(), too.
      mark = clock + kMarkStep + lead();
      // Written now: if the server restarts before its next value, it must find this mark, and not
      // take the missing file for that of a new server. If it cannot be written, the next start
      // finds the file that was set aside and comes here again.
      if (write_mark_file(mark, LOG)) {
        raise_unix_ticks(&cluster->mark, mark);
      }
      break;
  }
  // From here on every tick is above the mark that was found, and needs a new one.
  raise_unix_ticks(&cluster->last, mark);
  // Release: who sees it sees the tick, too.
  cluster->loaded.store(true, std::memory_order_release);
  return true;
}

// Loads the mark unless that is done.
bool load_once(ClusterState *cluster, int level) {
  const auto is_loaded = [cluster] { return cluster->loaded.load(std::memory_order_acquire); };
  if (is_loaded() || !acquire_mark_lock(cluster, is_loaded)) {
    return true;
  }
  const bool loaded = is_loaded() || load(cluster, level);
  release_mark_lock(cluster);
  return loaded;
}

// Loads the mark when the server starts. If it cannot be read now, whoever needs it tries again.
void load_at_start(ClusterState *cluster) {
  load(cluster, LOG);
}

// Writes the last tick as the mark when the postmaster ends, as nobody makes values any more: a
// server that is often restarted does not run ahead of the clock.
void save_at_shutdown(int code, [[maybe_unused]] Datum argument) {
  const UnixTicks last = the_cluster->last.load();
  if (code == 0 && the_cluster->loaded.load() && last < the_cluster->mark.load()) {
    write_mark_file(last, LOG);
  }
}

// Adds what this session has made to the server's count. Relaxed: nothing else depends on it.
void count_generated() {
  the_cluster->made.fetch_add(uncounted, std::memory_order_relaxed);
  uncounted = 0;
}

void count_at_exit([[maybe_unused]] int code, [[maybe_unused]] Datum argument) {
  count_generated();
}

// Returns the cluster clock, ready for use, or raises an error that says how to have one.
ClusterState *need_cluster(const char *function) {
  static constinit bool prepared = false;
  PreventCommandDuringRecovery(function);
  if (prepared) [[likely]] {
    return the_cluster;
  }
  ClusterState *cluster = attach_cluster_memory();
  if (cluster == nullptr) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("%s requires uuidx to be loaded via \"shared_preload_libraries\"", function),
            errdetail("Before PostgreSQL 17, memory that all sessions share must be asked for when "
                      "the server starts."),
            errhint("Add uuidx to \"shared_preload_libraries\" and restart the server."));
  }
  if (!load_once(cluster, ERROR)) {
    raise_error(Status::clock_out_of_range, kV7);
  }
  before_shmem_exit(count_at_exit, 0);
  prepared = true;
  return cluster;
}

// True if a value must not be returned before a synchronous standby has its mark.
bool waits_for_standby(const ClusterState &cluster) {
  return cluster.logged && is_standby_awaited();
}

// The tick up to which this session may return values. Acquire, with the release where it is
// raised: what made the mark durable happened before the value is returned.
UnixTicks limit_of(const ClusterState &cluster) {
  return (waits_for_standby(cluster) ? cluster.confirmed : cluster.mark)
      .load(std::memory_order_acquire);
}

bool is_below_reserve(UnixTicks ticks, UnixTicks mark) noexcept {
  return ticks > mark || mark - ticks < kMarkReserve;
}

// Raises the mark above a tick, with mark_lock held.
void raise_mark(ClusterState *cluster, UnixTicks ticks) {
  const UnixTicks mark = ticks < kMaxUnixTicks - kMarkStep ? ticks + kMarkStep : kMaxUnixTicks;
  // The file comes first: recovery does not go back before the last checkpoint, and no checkpoint
  // may pass the record while the file has an older mark. If the server crashes in between, the
  // file's mark is greater than that of the log, which does no harm.
  write_mark_file(mark, ERROR);
  // Flushed before anybody sees the mark: a standby has it before every row whose key is below.
  cluster->mark_lsn = cluster->logged ? log_mark(mark) : InvalidXLogRecPtr;
  // Only now may values up to it be returned.
  cluster->mark.store(mark, std::memory_order_release);
}

// Waits until a synchronous standby has the mark of a record, if the tick is above those that
// are confirmed, and confirms the mark once it is flushed there.
void confirm_mark(ClusterState *cluster, UnixTicks ticks, UnixTicks mark, XLogRecPtr lsn) {
  if (ticks > cluster->confirmed.load(std::memory_order_acquire)) {
    wait_for_standby(lsn);
  }
  if (has_standby_flushed(lsn)) {
    raise_unix_ticks(&cluster->confirmed, mark);
  }
}

// Raises the mark before a value at a tick is returned, or when half of its lead is used up.
void ensure_mark(ClusterState *cluster, UnixTicks ticks) {
  // Unless another session holds the lock and there is time: that one is raising the mark.
  if (!acquire_mark_lock(cluster, [=] { return ticks <= limit_of(*cluster); })) {
    return;
  }
  if (is_below_reserve(ticks, cluster->mark.load(std::memory_order_relaxed))) {
    raise_mark(cluster, ticks);
  }
  // Both are of one record, as whoever raises the mark has the lock.
  const UnixTicks mark = cluster->mark.load(std::memory_order_relaxed);
  const XLogRecPtr lsn = cluster->mark_lsn;
  release_mark_lock(cluster);
  // Without the lock, as it may take long.
  if (waits_for_standby(*cluster)) {
    confirm_mark(cluster, ticks, mark, lsn);
  }
}

// Looks at a clock that does not fit the tick, unless another session does.
void check_cluster_clock(ClusterState *cluster, UnixTicks ticks) {
  if (LWLockConditionalAcquire(&cluster->watch_lock, LW_EXCLUSIVE)) {
    const ClockReport report = check_clock(&cluster->watch, ticks);
    cluster->behind.store(cluster->watch.behind, std::memory_order_relaxed);
    LWLockRelease(&cluster->watch_lock);
    warn_about_clock(report, "this server");
  }
}

// Takes over a mark from the WAL; called by the startup process.
void redo_mark(UnixTicks mark) {
  ClusterState *cluster = the_cluster;
  // A file that cannot be read may have a greater mark, which must not be overwritten: recovery
  // stops, as it does for any other file.
  load_once(cluster, ERROR);
  // In recovery nobody else raises it.
  if (mark > cluster->mark.load()) {
    write_mark_file(mark, ERROR);
    cluster->mark.store(mark);
  }
  raise_unix_ticks(&cluster->last, mark);
}

}  // namespace

void prepare_cluster_clock() {
  request_cluster_memory(load_at_start, save_at_shutdown);
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
  // Relaxed: it only makes sessions look once more.
  bool is_suspect =
      clock_is_suspect(last, clock) || cluster->behind.load(std::memory_order_relaxed);
  if (is_below_reserve(*ticks, limit_of(*cluster))) [[unlikely]] {
    ensure_mark(cluster, *ticks);
    is_suspect = true;  // about once a second, so that a clock that was set is counted
  }
  if (is_suspect) [[unlikely]] {
    check_cluster_clock(cluster, *ticks);
  }
  if (++uncounted == kCountBlock) [[unlikely]] {
    count_generated();
  }
  return Status::ok;
}

void advance_cluster_clock(UnixTicks to) {
  ClusterState *cluster = need_cluster("uuid_v7_advance()");
  raise_unix_ticks(&cluster->last, to);
  if (to > limit_of(*cluster)) {
    ensure_mark(cluster, to);
  }
}

bool report_cluster_clock(ClusterClockReport *report) {
  ClusterState *cluster = attach_cluster_memory();
  if (cluster == nullptr) {
    return false;
  }
  load_once(cluster, WARNING);
  LWLockAcquire(&cluster->watch_lock, LW_SHARED);
  report->watch = cluster->watch;
  LWLockRelease(&cluster->watch_lock);
  report->last = cluster->last.load();
  report->mark = cluster->mark.load();
  report->made = cluster->made.load() + uncounted;
  report->since = cluster->since;
  report->logged = cluster->logged;
  return true;
}

}  // namespace uuidx
