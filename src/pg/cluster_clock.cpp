#include "pg/cluster_clock.hpp"

#include <algorithm>

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

// How far a new mark lies ahead of the last tick, and how near to it ticks may come before the next
// one is written.
constexpr UnixTicks kMarkStep = UnixTicks{2'000} << kMillisShift;
constexpr UnixTicks kMarkReserve = kMarkStep / 2;

// How many values a session generates before it adds them to the server's count, so that few values
// pay for another atomic operation.
constexpr std::uint32_t kCountBlock = 256;
constinit std::uint32_t uncounted = 0;

// How long a session sleeps before it tries mark_lock again. It is woken when the lock is released,
// except by an error.
constexpr long kRetryMillis = 100;

constinit std::uint32_t mark_wait_event = 0;

// Returns uuidx.max_clock_lead in ticks.
UnixTicks lead() {
  return static_cast<UnixTicks>(max_clock_lead) << kMillisShift;
}

// Acquires mark_lock; returns false if `is_done()` turns true first. Not by LWLockAcquire: the lock
// is held while a mark is flushed, a wait for an LWLock cannot be canceled, and so a slow disk
// would suspend statement_timeout. The sleep on the condition variable can be. Its first call
// returns at once, after the session has entered the wait list, so no wakeup is lost between test
// and sleep.
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

// Starts from the mark in the file; the caller holds mark_lock, or no other process has the memory
// yet. Returns false if the file cannot be read, which is reported at `level`, or if the clock is
// needed and out of range.
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
      // Durable already. Made visible by the release of `loaded`, as is the other one below.
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
      // Above every value generated while the clock was right, and above every one that
      // uuid_v7_advance() accepted.
      mark = clock + kMarkStep + lead();
      // Written now: if the server restarts before its next value, it must find this mark and not
      // take the missing file for that of a new server. If it cannot be written, the next start
      // finds the file that was set aside and ends up here again. Published only if it is durable.
      if (write_mark_file(mark, LOG)) {
        raise_unix_ticks(&cluster->mark, mark);
      }
      break;
  }
  // From here on every tick is above the mark that was found, so the first one needs a new mark.
  raise_unix_ticks(&cluster->last, mark);
  // Release, paired with the acquire in load_once(): a session that sees `loaded` sees `last` and
  // `mark` as set above, and takes no tick that an earlier run of the server may have used.
  cluster->loaded.store(true, std::memory_order_release);
  return true;
}

// Loads the mark unless that has been done; returns false as load() does.
bool load_once(ClusterState *cluster, int level) {
  // Acquire: what load() set before is seen by a session that does not take the lock.
  const auto is_loaded = [cluster] { return cluster->loaded.load(std::memory_order_acquire); };
  if (is_loaded() || !acquire_mark_lock(cluster, is_loaded)) {
    return true;
  }
  const bool loaded = is_loaded() || load(cluster, level);
  release_mark_lock(cluster);
  return loaded;
}

// Loads the mark when the server starts. If it cannot be read now, the first call that needs it
// tries again.
void load_at_start(ClusterState *cluster) {
  load(cluster, LOG);
}

// Writes the last tick as the mark when the postmaster ends, so that a server that is often
// restarted does not run ahead of the clock. This is the only place that lowers the mark in the
// file. It is safe, as no session is left to return a value above it, and a greater mark in the
// WAL, which recovery or a standby may replay, only skips ticks.
void save_at_shutdown(int code, [[maybe_unused]] Datum argument) {
  // The default order (seq_cst) is more than is needed: all children have ended, and waiting for
  // them has ordered their writes before these loads. Another code than 0 means that a crash may
  // have damaged the memory, or that children may still run.
  const UnixTicks last = the_cluster->last.load();
  if (code == 0 && the_cluster->loaded.load() && last < the_cluster->mark.load()) {
    write_mark_file(last, LOG);
  }
}

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

// True if a value may be returned only once a synchronous standby has its mark.
bool waits_for_standby(const ClusterState &cluster) {
  return cluster.logged && is_standby_awaited();
}

// Returns the tick up to which this session may return values.
UnixTicks limit_of(const ClusterState &cluster) {
  // Acquire, paired with the release in raise_mark() (`mark`) and the seq_cst compare and swap in
  // confirm_mark() (`confirmed`): the flush that made the mark durable happened before the value is
  // returned. It need not be ordered after the session's tick was taken: both only grow while
  // sessions return values, so an old one is lower and merely sends the session to ensure_mark().
  return (waits_for_standby(cluster) ? cluster.confirmed : cluster.mark)
      .load(std::memory_order_acquire);
}

// True if a tick is above the mark, or so near to it that the mark should be raised.
bool is_below_reserve(UnixTicks ticks, UnixTicks mark) noexcept {
  return ticks > mark || mark - ticks < kMarkReserve;
}

// Raises the mark above a tick; the caller holds mark_lock. A value is returned only once a mark at
// or above it is durable, hence the order: file, WAL, publication. An error in one step leaves the
// mark as it was published, and the next session begins again with the file.
void raise_mark(ClusterState *cluster, UnixTicks ticks) {
  const UnixTicks mark = ticks < kMaxUnixTicks - kMarkStep ? ticks + kMarkStep : kMaxUnixTicks;
  // The file comes first. Recovery reads the WAL only from the last checkpoint's redo point, and a
  // checkpoint does not write the file: once the record is older than that point, only the file has
  // the mark. So no record may be inserted while the file has an older mark. If the server crashes
  // in between, the file's mark is above that of the WAL, which only skips ticks.
  write_mark_file(mark, ERROR);
  // The WAL comes before publication, so that the record precedes that of every row with a key up
  // to the mark: a standby that has replayed the row has replayed the mark. Flushed, as a value may
  // reach a client without a commit that would flush it, and walsenders send only flushed WAL.
  cluster->mark_lsn = cluster->logged ? log_mark(mark) : InvalidXLogRecPtr;
  // Only now may values up to the mark be returned. Release, paired with the acquire in limit_of():
  // for a session that sees the mark, both flushes happened before. A store, not a compare and
  // swap, is enough, as only the holder of mark_lock writes it.
  cluster->mark.store(mark, std::memory_order_release);
}

// Waits until a synchronous standby has the mark whose record ends at `lsn`, if the tick is above
// the confirmed one, and confirms the mark once it is flushed there.
void confirm_mark(ClusterState *cluster, UnixTicks ticks, UnixTicks mark, XLogRecPtr lsn) {
  // Acquire, as in limit_of(): if it is high enough, the value is returned without a wait.
  if (ticks > cluster->confirmed.load(std::memory_order_acquire)) {
    wait_for_standby(lsn);
  }
  // With synchronous_commit = remote_write the wait ends before the flush. This value may be
  // returned then, but other sessions may ask for more.
  if (has_standby_flushed(lsn)) {
    // After the flush on the standby was seen. By compare and swap, since sessions come here
    // without the lock and a later one may have confirmed a greater mark; its seq_cst includes the
    // release that limit_of() relies on.
    raise_unix_ticks(&cluster->confirmed, mark);
  }
}

// Makes a mark at or above a tick durable before its value is returned, and raises the mark when
// half of its lead is used up. Returns true if it raised the mark.
bool ensure_mark(ClusterState *cluster, UnixTicks ticks) {
  // If another session holds the lock, it is raising the mark; there is nothing to do if the
  // present mark is enough for this tick.
  if (!acquire_mark_lock(cluster, [=] { return ticks <= limit_of(*cluster); })) {
    return false;
  }
  // Relaxed, here and below: the mark changes only under mark_lock, and acquiring the lock is a
  // full barrier. (Recovery writes it without the lock, but has ended: RecoveryInProgress() has a
  // barrier when it first returns false.)
  const UnixTicks old_mark = cluster->mark.load(std::memory_order_relaxed);
  // No standby can confirm a mark that was read from the file: its record is not known.
  const bool is_unlogged = cluster->logged && cluster->mark_lsn == InvalidXLogRecPtr;
  const bool raise = is_unlogged || is_below_reserve(ticks, old_mark);
  if (raise) {
    raise_mark(cluster, std::max(ticks, old_mark));
  }
  // Both belong to one record, as both are written with the lock held.
  const UnixTicks mark = cluster->mark.load(std::memory_order_relaxed);
  const XLogRecPtr lsn = cluster->mark_lsn;
  release_mark_lock(cluster);
  // Without the lock, as it may take long. The mark itself is durable here.
  if (waits_for_standby(*cluster)) {
    confirm_mark(cluster, ticks, mark, lsn);
  }
  return raise;
}

// Checks a clock that does not fit the tick, unless another session is doing so.
void check_cluster_clock(ClusterState *cluster, UnixTicks ticks) {
  if (LWLockConditionalAcquire(&cluster->watch_lock, LW_EXCLUSIVE)) {
    const ClockReport report = check_clock(&cluster->watch, ticks);
    // Relaxed: a hint; see take_cluster_ticks().
    cluster->behind.store(cluster->watch.behind, std::memory_order_relaxed);
    LWLockRelease(&cluster->watch_lock);
    warn_about_clock(report, "this server");
  }
}

// Takes over a mark from the WAL. Called by the startup process, the only writer during recovery.
void redo_mark(UnixTicks mark) {
  ClusterState *cluster = the_cluster;
  // A file that cannot be read may have a greater mark, which must not be overwritten: recovery
  // stops, as it does for any other file.
  load_once(cluster, ERROR);
  // The file comes first here, too: a restartpoint may let the next recovery begin after the
  // record. The default order (seq_cst) is more than is needed: no other process writes the mark or
  // returns values during recovery, and the end of recovery is a barrier for the sessions that then
  // do.
  if (mark > cluster->mark.load()) {
    write_mark_file(mark, ERROR);
    cluster->mark.store(mark);
  }
  // After promotion every tick is above the marks of the old primary.
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
  // Relaxed: a hint. A session that sees it late checks the clock with a later value.
  bool is_suspect =
      clock_is_suspect(last, clock) || cluster->behind.load(std::memory_order_relaxed);
  // The tick is taken first and its mark ensured afterwards: a session that fails here loses a
  // tick, which nobody else gets, and never returns a value without its mark.
  if (is_below_reserve(*ticks, limit_of(*cluster))) [[unlikely]] {
    // Also about once a second, so that small steps of the clock are counted.
    is_suspect |= ensure_mark(cluster, *ticks);
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
  // Durable before the call returns, so that a restart does not go back behind the tick.
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
  // Read one by one, and so possibly from different moments. Any order would do: nothing but this
  // report is made of them.
  report->last = cluster->last.load();
  report->mark = cluster->mark.load();
  report->generated = cluster->generated.load() + uncounted;
  report->since = cluster->since;
  report->logged = cluster->logged;
  return true;
}

}  // namespace uuidx
