#include "pg/server/high_water_mark.hpp"

#include <algorithm>

#include "core/high_water_mark.hpp"
#include "pg/server/mark_file.hpp"
#include "pg/server/mark_lock.hpp"
#include "pg/server/standbys.hpp"
#include "pg/server/wal.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns the standbys that must have the mark of a value before this session returns it, or
// kNoStandbys if none.
StandbySet standbys_for(ServerState *server) {
  return server->logged && is_standby_awaited() ? standbys_now() : kNoStandbys;
}

// True if these standbys have a mark at or above a tick. Acquire twice: a session may read the
// standbys of one confirmation and the mark of a later one. That is safe: the later standbys are
// the present ones, and have that mark.
bool is_confirmed(const ServerState &server, UnixTicks ticks, StandbySet standbys) {
  return server.confirmed.standbys.load(std::memory_order_acquire) == standbys &&
         ticks <= server.confirmed.mark.load(std::memory_order_acquire);
}

// True if every standby that this session waits for has a mark at or above a tick.
bool is_on_standbys(ServerState *server, UnixTicks ticks) {
  const StandbySet standbys = standbys_for(server);
  return standbys == kNoStandbys || is_confirmed(*server, ticks, standbys);
}

// Publishes that these standbys have a mark. The spinlock keeps the mark of one set from being
// taken for that of another; in between, readers find no mark.
void publish_confirmation(Confirmation *confirmed, UnixTicks mark, StandbySet standbys) {
  SpinLockAcquire(&confirmed->lock);
  if (confirmed->standbys.load(std::memory_order_relaxed) != standbys) {
    confirmed->mark.store(0);
    confirmed->standbys.store(standbys);
  }
  // Sessions come here in any order, and a later one may have confirmed a greater mark.
  raise_unix_ticks(&confirmed->mark, mark);
  SpinLockRelease(&confirmed->lock);
}

// Makes a mark durable that is at least the old one; the caller holds mark_lock. A value is
// returned only once a mark at or above it is durable, hence the order: file, WAL, publication. A
// failure in one step leaves the mark as it was published, and the next session begins again with
// the file.
FileError raise_mark(ServerState *server, UnixTicks ticks, UnixTicks mark) {
  // The file comes first. Recovery reads the WAL only from the last checkpoint's redo point, and a
  // checkpoint does not write the file: once the record is older than that point, only the file has
  // the mark. So no record may be inserted while the file has an older mark. If the server crashes
  // in between, the file's mark is above that of the WAL, which only skips ticks.
  server->file_mark = std::max(server->file_mark, mark);
  if (const FileError error = write_mark_file(mark)) {
    return error;
  }
  // The file's name must be durable before the record, too. Once in each run of the server, as an
  // earlier run may have created the file and failed to flush the directory.
  if (!server->directory_flushed) {
    if (const FileError error = flush_mark_directory()) {
      return error;
    }
    server->directory_flushed = true;
  }
  // The WAL comes before publication, so that the record precedes that of every row with a key up
  // to the mark: a standby that has replayed the row has replayed the mark. Flushed, as a value may
  // reach a client without a commit that would flush it, and walsenders send only flushed WAL.
  if (server->logged) {
    server->mark_lsn = log_mark(mark);
  }
  // Only now may values up to the mark be returned. Release, paired with the acquire in
  // is_ensured(): for a session that sees the mark, both flushes happened before. A store, not a
  // compare and swap, is enough, as only the holder of mark_lock writes it.
  server->mark.store(mark, std::memory_order_release);
  server->raise_at.store(raise_point(ticks, mark), std::memory_order_release);
  return {};
}

// True if waiting for the mark's record would not make the present standbys have it: either the
// record is not known, as the mark was replayed, or other standbys have confirmed it.
bool is_of_others(const ServerState &server, StandbySet standbys) {
  const XLogRecPtr lsn = server.mark_lsn;
  return standbys != kNoStandbys &&
         (XLogRecPtrIsInvalid(lsn) || (was_confirmed(lsn) && !have_enough(standbys, lsn)));
}

// The mark that a session relies on.
struct Reliance {
  UnixTicks mark = 0;
  XLogRecPtr lsn = InvalidXLogRecPtr;  // end of its record
  bool raised = false;                 // by this session
  bool is_new = false;                 // its record is not confirmed yet
  FileError error;
};

// Raises the mark if a tick needs that; the caller holds mark_lock.
Reliance raise_if_due(ServerState *server, UnixTicks ticks, UnixTicks clock) {
  Reliance on;
  // Relaxed, here and below: the mark changes only under mark_lock, and acquiring the lock is a
  // full barrier. (Recovery writes it without the lock, but has ended: RecoveryInProgress() has a
  // barrier when it first returns false.)
  const UnixTicks old_mark = server->mark.load(std::memory_order_relaxed);
  const StandbySet standbys = standbys_for(server);
  on.raised = ticks > old_mark || ticks >= server->raise_at.load(std::memory_order_relaxed) ||
              is_of_others(*server, standbys);
  if (on.raised) {
    // Not below the old mark, nor below `last`, which is the mark in the file until the first one
    // is published.
    const UnixTicks last = server->last.load(std::memory_order_relaxed);
    on.error = raise_mark(server, ticks, std::max({mark_above(ticks, clock), old_mark, last}));
  }
  // Both belong to one record, as both are written with the lock held.
  on.mark = server->mark.load(std::memory_order_relaxed);
  on.lsn = server->mark_lsn;
  on.is_new = on.raised || (standbys != kNoStandbys && !was_confirmed(on.lsn));
  return on;
}

// Waits until the standbys have the mark, unless they have another one at or above the tick.
// Returns false if those that are synchronous by then may lack it.
bool confirm_mark(ServerState *server, UnixTicks ticks, const Reliance &on) {
  if (is_on_standbys(server, ticks)) {
    return true;
  }
  // The record of a replayed mark is not known.
  if (XLogRecPtrIsInvalid(on.lsn)) {
    return false;
  }
  wait_for_standbys(on.lsn);
  const StandbySet standbys = standbys_for(server);
  if (standbys == kNoStandbys) {
    return true;
  }
  if (have_flushed(standbys, on.lsn)) {
    publish_confirmation(&server->confirmed, on.mark, standbys);
    return true;
  }
  // With synchronous_commit = remote_write, this value may be returned before the flush, but other
  // sessions may ask for more.
  return have_enough(standbys, on.lsn);
}

}  // namespace

bool is_ensured(ServerState *server, UnixTicks ticks) {
  // Acquire, paired with the release in raise_mark(): the flush that made the mark durable happened
  // before the value is returned. It need not be ordered after the session's tick was taken: the
  // mark only grows while sessions return values, so an old one is lower and merely sends the
  // session to ensure_mark().
  return ticks <= server->mark.load(std::memory_order_acquire) && is_on_standbys(server, ticks);
}

bool should_raise(ServerState *server, UnixTicks ticks) {
  // Acquire, as in is_ensured(): raise_at is published after the mark, and not above it.
  return ticks >= server->raise_at.load(std::memory_order_acquire) ||
         !is_on_standbys(server, ticks);
}

bool ensure_mark(ServerState *server, UnixTicks ticks, UnixTicks clock) {
  bool raised = false;
  bool has_waited = false;
  while (true) {
    // If another session holds the lock, it is raising the mark; there is nothing to do if the
    // present mark is enough for this tick.
    if (!acquire_mark_lock(server, [=] { return is_ensured(server, ticks); })) {
      return raised;
    }
    const Reliance on = raise_if_due(server, ticks, clock);
    release_mark_lock(server);
    if (on.error) {
      report_file_error(on.error, ERROR);
    }
    raised |= on.raised;
    // Without the lock, as it may take long. The mark itself is durable here.
    //
    // A process may have another number of standbys that must confirm than PostgreSQL: parallel
    // workers ignore SIGHUP, and a session may read a file that the server has not read yet. It
    // would raise marks for ever. So at the second new record it takes the word of PostgreSQL, as a
    // commit does.
    if (confirm_mark(server, ticks, on) || (has_waited && on.is_new)) {
      return raised;
    }
    has_waited |= on.is_new;
  }
}

}  // namespace uuidx
