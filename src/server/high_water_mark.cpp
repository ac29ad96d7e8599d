#include "server/high_water_mark.hpp"

#include <algorithm>

#include "pg/backend.hpp"
#include "pg/compat.hpp"
#include "server/mark_file.hpp"
#include "server/wal.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "replication/syncrep.h"
#include "storage/fd.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// How long a session sleeps before it tries mark_lock again, though it is woken when the lock is
// released.
constexpr long kRetryMillis = 100;

constinit std::uint32_t mark_wait_event = 0;

// Calls `work` with mark_lock held, unless is_done() turns true first. Not by LWLockAcquire: the
// lock is held while a mark is flushed, a wait for an LWLock cannot be canceled, and so a slow disk
// would suspend statement_timeout. The sleep on the condition variable can be. Its first call
// returns at once, after the session has entered the wait list, so no wakeup is lost between test
// and sleep: the spinlock of the list orders a failed test before the broadcast that follows the
// release, on weakly ordered machines, too.
template <typename Done, typename Work>
void with_mark_lock(ServerMemory *server, const Done &is_done, const Work &work) {
  bool acquired = LWLockConditionalAcquire(&server->mark_lock, LW_EXCLUSIVE);
  while (!acquired && !is_done()) {
    ConditionVariableTimedSleep(&server->mark_raised, kRetryMillis,
                                wait_event(&mark_wait_event, "UuidxMark"));
    acquired = LWLockConditionalAcquire(&server->mark_lock, LW_EXCLUSIVE);
  }
  ConditionVariableCancelSleep();
  if (!acquired) {
    return;
  }
  // No message leaves with the lock held, as PostgreSQL may send some of its own, and a client that
  // does not read them would hold up all others. Errors leave after the lock was released.
  const int least_level = client_min_messages;
  client_min_messages = ERROR;
  PG_TRY();
  { work(); }
  PG_CATCH();
  {
    client_min_messages = least_level;
    LWLockReleaseAll();
    ConditionVariableBroadcast(&server->mark_raised);
    PG_RE_THROW();
  }
  PG_END_TRY();
  client_min_messages = least_level;
  LWLockRelease(&server->mark_lock);
  ConditionVariableBroadcast(&server->mark_raised);
}

// True if standbys must confirm a mark before this session returns values up to it.
bool must_be_confirmed(const ServerMemory *server) {
  return server->logged && would_commit_wait();
}

// True if standbys have confirmed a mark at or above a tick, as this session requires, and that
// counts. Acquire, paired with the release in confirm_mark(). A mark and the time of another one
// may be read: that is right, as standbys that have the later record of the two have both.
bool is_confirmed(const ServerMemory *server, UnixTicks ticks, UnixTicks clock) {
  const int mode = wait_mode();
  return ticks <= server->confirmed[mode].load(std::memory_order_acquire) &&
         !is_over(server->confirmed_at[mode].load(std::memory_order_acquire), clock,
                  kConfirmationStep);
}

// True if half of the time is over for which the confirmation of the last awaited record counts.
bool is_renewal_due(const ServerMemory *server, UnixTicks clock) {
  // Relaxed: an old value only sends the session to make_mark_durable().
  return is_over(server->awaited_at.load(std::memory_order_relaxed), clock, kConfirmationStep / 2);
}

// Writes the mark to the WAL and publishes it; the caller holds mark_lock.
void log_and_publish(ServerMemory *server, UnixTicks mark, bool is_awaited) {
  // The clock comes first, as standbys may confirm the record before this session goes on.
  const UnixTicks clock = is_awaited ? read_ticks_or_zero() : 0;
  // The WAL comes before publication, so that the record precedes that of every row with a key up
  // to the mark: a standby that has replayed the row has replayed the mark. Flushed, as a value may
  // reach a client without a commit that would flush it, and walsenders send only flushed WAL.
  server->awaited_lsn = server->logged ? log_mark(mark) : InvalidXLogRecPtr;
  server->awaited_at.store(clock, std::memory_order_relaxed);
  // Only now may values up to the mark be returned. Release, paired with the acquire in
  // may_return(): for a session that sees the mark, both flushes happened before. A store, not a
  // compare and swap, is enough, as only the holder of mark_lock writes it.
  server->mark.store(mark, std::memory_order_release);
}

// The mark that a session needs for its value.
struct NeededMark {
  UnixTicks mark = 0;
  UnixTicks clock = 0;                 // when its record was written
  XLogRecPtr lsn = InvalidXLogRecPtr;  // end of its record, if it must be confirmed
};

// Raises the mark if a tick needs that, and writes its record again if standbys must confirm it
// now. Returns the mark that the tick needs. The caller holds mark_lock.
NeededMark write_mark_if_due(ServerMemory *server, UnixTicks ticks) {
  // Not the reading for the value, which may be as old as a wait for the lock.
  const UnixTicks clock = read_ticks_or_zero();
  const bool is_awaited = must_be_confirmed(server);
  // Relaxed, here and below: the mark changes only under mark_lock, and acquiring the lock is a
  // full barrier. (Recovery writes it without the lock, but has ended: RecoveryInProgress() has a
  // barrier when it first returns false.)
  const UnixTicks old_mark = server->mark.load(std::memory_order_relaxed);
  UnixTicks mark = old_mark;
  if (ticks >= server->renew_at.load(std::memory_order_relaxed)) {
    // Not below the old mark, nor below `last`, which is the mark in the file until the first one
    // is published.
    mark = std::max(
        {mark_above(ticks, clock), old_mark, server->last.load(std::memory_order_relaxed)});
  }
  // A value is returned only once a mark at or above it is durable, hence the order: file, WAL,
  // publication. A failure in one step is an error. It leaves the mark as it was published, and the
  // next session begins again with the file.
  if (mark > old_mark) {
    // The file comes first. Recovery reads the WAL only from the last checkpoint's redo point, and
    // a checkpoint does not write the file: once the record is older than that point, only the file
    // has the mark. So no record may be inserted while the file has an older mark. If the server
    // crashes in between, the file's mark is above that of the WAL, which only skips ticks. The
    // file's name must be durable before the record, too.
    server->file_mark = std::max(server->file_mark, mark);
    write_mark_file(mark, &server->directory_flushed, ERROR);
  }
  // An old record may not be waited for. Other standbys may have confirmed it. If nobody waited for
  // it, the reply to it may have come before commits began to wait; PostgreSQL learns of the
  // standbys' progress only from their replies, and without further WAL the next one comes only
  // after wal_receiver_status_interval. The reply to a new record comes at once.
  if (mark > old_mark || (is_awaited && is_renewal_due(server, clock))) {
    log_and_publish(server, mark, is_awaited);
  }
  // After the mark, as is_mark_due() goes by this alone.
  if (ticks >= server->renew_at.load(std::memory_order_relaxed)) {
    server->renew_at.store(raise_point(ticks, mark), std::memory_order_release);
  }
  // All of one record, as they are written with the lock held.
  return {mark, server->awaited_at.load(std::memory_order_relaxed),
          is_awaited ? server->awaited_lsn : InvalidXLogRecPtr};
}

// Waits until standbys have confirmed a mark, or commits wait for none any more. What they have
// flushed, they have written, too.
void confirm_mark(ServerMemory *server, const NeededMark &needed) {
  if (wait_for_standbys(needed.lsn)) {
    for (int mode = SYNC_REP_WAIT_WRITE; mode <= wait_mode(); ++mode) {
      // Sessions come here in any order, and a later one may have confirmed a greater mark.
      increase_unix_ticks(&server->confirmed[mode], needed.mark);
      // Not the clock of now: the wait may have been long, and other standbys be synchronous.
      server->confirmed_at[mode].store(needed.clock, std::memory_order_release);
    }
  }
}

// Starts from the mark in the file, as load_mark() says; the caller holds mark_lock, or no other
// process has the memory yet.
bool load(ServerMemory *server, int level) {
  const UnixTicks clock = read_ticks_or_zero();
  // Above every value generated while the clock was right, and above every one that
  // uuid_v7_advance() accepted.
  const UnixTicks above_all = later(clock, kMarkStep + std::max(server->max_lead, kMarkMargin));
  UnixTicks mark = 0;
  const MarkFile outcome = read_mark_file(clock > 0 ? above_all : kMaxUnixTicks, level, &mark);
  if (outcome == MarkFile::unreadable || (outcome == MarkFile::rejected && clock == 0)) {
    return false;
  }
  if (outcome == MarkFile::rejected) {
    mark = above_all;
    // Written now: if the server restarts before its next value, it must find this mark and not
    // take the missing file for that of a new server. If it cannot be written, the next start finds
    // the file that was set aside and ends up here again.
    if (write_mark_file(mark, &server->directory_flushed, LOG_SERVER_ONLY)) {
      server->file_mark = mark;
    }
    // That the clock is behind has just been reported, with its cause.
    server->clock_is_behind.store(true, std::memory_order_relaxed);
  }
  // From here on every tick is above the mark that was found. The mark itself is not published: the
  // WAL may not have it, and if its flush failed, nor may the disk. So the first value needs a new
  // mark, and so does uuid_v7_advance() to a lower one.
  increase_unix_ticks(&server->last, mark);
  // Release, paired with the acquire in load_mark(): a session that sees `loaded` sees `last` as
  // set above, and takes no tick that an earlier run of the server may have used.
  server->loaded.store(true, std::memory_order_release);
  return true;
}

}  // namespace

bool may_return(const ServerMemory *server, UnixTicks ticks, UnixTicks clock) {
  // Acquire, paired with the release in log_and_publish(): what made the mark durable happened
  // before the value is returned. It need not be ordered after the session's tick was taken: the
  // mark only grows while sessions return values, so an old one is lower and merely sends the
  // session to make_mark_durable().
  return must_be_confirmed(server) ? is_confirmed(server, ticks, clock)
                                   : ticks <= server->mark.load(std::memory_order_acquire);
}

bool is_mark_due(const ServerMemory *server, UnixTicks ticks, UnixTicks clock) {
  // Acquire, as in may_return(): renew_at is published after the mark and not above it, so the mark
  // itself need not be read.
  if (ticks >= server->renew_at.load(std::memory_order_acquire)) {
    return true;
  }
  return must_be_confirmed(server) &&
         (is_renewal_due(server, clock) || !is_confirmed(server, ticks, clock));
}

void make_mark_durable(ServerMemory *server, UnixTicks ticks) {
  NeededMark needed;
  const auto is_done = [=] { return may_return(server, ticks, read_ticks_or_zero()); };
  // If another session holds the lock, it is writing a mark; there is nothing to do if the present
  // mark is enough for this tick.
  with_mark_lock(server, is_done, [&] { needed = write_mark_if_due(server, ticks); });
  // Without the lock, as it may take long, and only if the tick is above the last confirmed mark.
  if (!XLogRecPtrIsInvalid(needed.lsn) && !is_done()) {
    confirm_mark(server, needed);
  }
}

bool load_mark(ServerMemory *server, int level) {
  // Acquire: what load() set before is seen by a session that does not take the lock.
  const auto is_loaded = [server] { return server->loaded.load(std::memory_order_acquire); };
  if (!is_loaded()) {
    with_mark_lock(server, is_loaded, [=] {
      if (!is_loaded()) {
        load(server, level);
      }
    });
  }
  return is_loaded();
}

void load_mark_at_start(ServerMemory *server) {
  load(server, LOG);
}

void save_mark_at_shutdown(int code, [[maybe_unused]] Datum argument) {
  // This is the only place that lowers the mark in the file. It is safe, as no session is left to
  // return a value above it, and a greater mark in the WAL, which recovery or a standby may replay,
  // only skips ticks. The default order (seq_cst) is more than is needed: all children have ended,
  // and waiting for them has ordered their writes before these loads. After a crash, the memory may
  // be damaged, or children may still run.
  const UnixTicks last = the_server->last.load();
  if (is_clean_shutdown(code) && the_server->loaded.load() && last < the_server->file_mark) {
    write_mark_file(last, &the_server->directory_flushed, LOG);
  }
}

void redo_mark(UnixTicks mark) {
  ServerMemory *server = the_server;
  // A file that cannot be read may have a greater mark, which must not be overwritten: recovery
  // stops, as it does for any other file.
  load_mark(server, ERROR);
  // The file comes first here, too: a restartpoint may let the next recovery begin after the
  // record. The default order (seq_cst) is more than is needed: no other process writes the mark or
  // returns values during recovery, and the end of recovery is a barrier for the sessions that then
  // do.
  if (mark > server->file_mark) {
    // Ahead if the clock permits, as it would take minutes to flush each mark of a day. Not below
    // `last`, as the file may have had a greater mark.
    const UnixTicks to_write =
        std::max(mark_for_replay(mark, read_ticks_or_zero()), server->last.load());
    write_mark_file(to_write, &server->directory_flushed, ERROR);
    server->file_mark = to_write;
  }
  increase_unix_ticks(&server->mark, mark);
  // After promotion every tick is above the marks of the old primary.
  increase_unix_ticks(&server->last, mark);
}

}  // namespace uuidx
