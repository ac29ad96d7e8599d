#include "pg/high_water_mark.hpp"

#include <algorithm>

#include "pg/backend.hpp"
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
// and sleep: the spinlock of the list orders a failed test before the broadcast that follows the
// release, on weakly ordered machines, too.
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
      if (clock_is_good && mark > clock && mark - clock > lead()) {
        ereport(WARNING,
                errmsg("system clock is %.3f s behind the high-water mark of uuidx",
                       static_cast<double>((mark - clock) >> kMillisShift) / 1000),
                errdetail("Values of uuid_v7_cluster() continue from the mark, in order, until the "
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
      // finds the file that was set aside and ends up here again.
      write_mark_file(mark, LOG);
      break;
  }
  // From here on every tick is above the mark that was found. The mark itself is not published: the
  // WAL may not have it, and if its flush failed, nor may the disk. So the first value needs a new
  // mark, and so does uuid_v7_advance() to a lower one.
  raise_unix_ticks(&cluster->last, mark);
  // Release, paired with the acquire in load_mark(): a session that sees `loaded` sees `last` as
  // set above, and takes no tick that an earlier run of the server may have used.
  cluster->loaded.store(true, std::memory_order_release);
  return true;
}

// True if a value may be returned only once a synchronous standby has its mark.
bool waits_for_standby(const ClusterState &cluster) {
  return cluster.logged && is_standby_awaited();
}

// Makes a mark durable that is at least the old one; the caller holds mark_lock. A value is
// returned only once a mark at or above it is durable, hence the order: file, WAL, publication. An
// error in one step leaves the mark as it was published, and the next session begins again with the
// file.
void raise_mark(ClusterState *cluster, UnixTicks mark) {
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

}  // namespace

bool load_mark(ClusterState *cluster, int level) {
  // Acquire: what load() set before is seen by a session that does not take the lock.
  const auto is_loaded = [cluster] { return cluster->loaded.load(std::memory_order_acquire); };
  if (is_loaded() || !acquire_mark_lock(cluster, is_loaded)) {
    return true;
  }
  const bool loaded = is_loaded() || load(cluster, level);
  release_mark_lock(cluster);
  return loaded;
}

void load_mark_at_start(ClusterState *cluster) {
  load(cluster, LOG);
}

void save_mark_at_shutdown(int code, [[maybe_unused]] Datum argument) {
  // This is the only place that lowers the mark in the file. It is safe, as no session is left to
  // return a value above it, and a greater mark in the WAL, which recovery or a standby may replay,
  // only skips ticks. The default order (seq_cst) is more than is needed: all children have ended,
  // and waiting for them has ordered their writes before these loads. Another code than 0 means
  // that a crash may have damaged the memory, or that children may still run.
  const UnixTicks last = the_cluster->last.load();
  if (code == 0 && the_cluster->loaded.load() && last < the_cluster->mark.load()) {
    write_mark_file(last, LOG);
  }
}

void redo_mark(UnixTicks mark) {
  ClusterState *cluster = the_cluster;
  // A file that cannot be read may have a greater mark, which must not be overwritten: recovery
  // stops, as it does for any other file.
  load_mark(cluster, ERROR);
  // The file comes first here, too: a restartpoint may let the next recovery begin after the
  // record. The default order (seq_cst) is more than is needed: no other process writes the mark or
  // returns values during recovery, and the end of recovery is a barrier for the sessions that then
  // do. Not below `last`, as the file may have had a greater mark.
  if (mark > cluster->mark.load()) {
    write_mark_file(std::max(mark, cluster->last.load()), ERROR);
    cluster->mark.store(mark);
  }
  // After promotion every tick is above the marks of the old primary.
  raise_unix_ticks(&cluster->last, mark);
}

UnixTicks limit_of(const ClusterState &cluster) {
  // Acquire, paired with the release in raise_mark() (`mark`) and the seq_cst compare and swap in
  // confirm_mark() (`confirmed`): the flush that made the mark durable happened before the value is
  // returned. It need not be ordered after the session's tick was taken: both only grow while
  // sessions return values, so an old one is lower and merely sends the session to ensure_mark().
  return (waits_for_standby(cluster) ? cluster.confirmed : cluster.mark)
      .load(std::memory_order_acquire);
}

bool is_below_reserve(UnixTicks ticks, UnixTicks mark) noexcept {
  return ticks > mark || mark - ticks < kMarkReserve;
}

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
  // No standby can confirm a mark that was replayed: its record is not known.
  const bool is_unlogged = cluster->logged && cluster->mark_lsn == InvalidXLogRecPtr;
  const bool raise = is_unlogged || is_below_reserve(ticks, old_mark);
  if (raise) {
    // Ahead of the tick, not of the old mark, or it could lie a reserve further ahead. Not below
    // `last`, which is the mark in the file until the first one is published.
    const UnixTicks ahead = std::min(ticks, kMaxUnixTicks - kMarkStep) + kMarkStep;
    const UnixTicks last = cluster->last.load(std::memory_order_relaxed);
    raise_mark(cluster, std::max({ahead, old_mark, last}));
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

}  // namespace uuidx
