#include "pg/server/high_water_mark.hpp"

#include <algorithm>

#include "core/mark_distance.hpp"
#include "pg/server/mark_file.hpp"
#include "pg/server/mark_lock.hpp"
#include "pg/server/wal.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xlog.h"
#include "replication/syncrep.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if standbys must confirm a mark before this session returns values up to it.
bool must_be_confirmed(const ServerMemory *server) {
  return server->logged && would_commit_wait();
}

// Returns the mark up to which this session may return values now.
const SharedTicks &durable_mark(const ServerMemory *server) {
  return must_be_confirmed(server) ? server->confirmed[wait_mode()] : server->mark;
}

// Makes a mark durable that is at least the old one; the caller holds mark_lock. A value is
// returned only once a mark at or above it is durable, hence the order: file, WAL, publication. A
// failure in one step leaves the mark as it was published, and the next session begins again with
// the file.
FileError write_mark(ServerMemory *server, UnixTicks ticks, UnixTicks mark, bool is_awaited) {
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
  const XLogRecPtr lsn = server->logged ? log_mark(mark) : InvalidXLogRecPtr;
  server->awaited_lsn = is_awaited ? lsn : InvalidXLogRecPtr;
  // Only now may values up to the mark be returned. Release, paired with the acquire in
  // may_return(): for a session that sees the mark, both flushes happened before. A store, not a
  // compare and swap, is enough, as only the holder of mark_lock writes it.
  server->mark.store(mark, std::memory_order_release);
  server->renew_at.store(raise_point(ticks, mark), std::memory_order_release);
  return {};
}

// The mark that a session needs for its value.
struct NeededMark {
  UnixTicks mark = 0;
  XLogRecPtr lsn = InvalidXLogRecPtr;  // end of its record, if it must be confirmed
  FileError error;
};

// Writes a new mark if a tick needs one, and returns the mark that it needs. The caller holds
// mark_lock.
NeededMark write_mark_if_due(ServerMemory *server, UnixTicks ticks, UnixTicks clock) {
  NeededMark needed;
  const bool is_awaited = must_be_confirmed(server);
  // Relaxed, here and below: the mark changes only under mark_lock, and acquiring the lock is a
  // full barrier. (Recovery writes it without the lock, but has ended: RecoveryInProgress() has a
  // barrier when it first returns false.)
  const UnixTicks old_mark = server->mark.load(std::memory_order_relaxed);
  // If the old mark was written when nobody waited for it, its record may not be waited for now.
  // PostgreSQL learns of the standbys' progress only from their replies. The one to this record may
  // have come before commits began to wait, and without further WAL the next one comes only after
  // wal_receiver_status_interval. The reply to a new record comes at once.
  if (ticks > old_mark || ticks >= server->renew_at.load(std::memory_order_relaxed) ||
      (is_awaited && XLogRecPtrIsInvalid(server->awaited_lsn))) {
    // Not below the old mark, nor below `last`, which is the mark in the file until the first one
    // is published.
    const UnixTicks last = server->last.load(std::memory_order_relaxed);
    needed.error =
        write_mark(server, ticks, std::max({mark_above(ticks, clock), old_mark, last}), is_awaited);
  }
  // Both belong to one record, as both are written with the lock held.
  needed.mark = server->mark.load(std::memory_order_relaxed);
  needed.lsn = is_awaited ? server->awaited_lsn : InvalidXLogRecPtr;
  return needed;
}

// Waits until standbys have confirmed a mark, or commits wait for none any more. What they have
// flushed, they have written, too.
void confirm_mark(ServerMemory *server, const NeededMark &needed) {
  if (wait_for_standbys(needed.lsn)) {
    for (int mode = SYNC_REP_WAIT_WRITE; mode <= wait_mode(); ++mode) {
      // Sessions come here in any order, and a later one may have confirmed a greater mark.
      increase_unix_ticks(&server->confirmed[mode], needed.mark);
    }
  }
}

}  // namespace

bool may_return(const ServerMemory *server, UnixTicks ticks) {
  // Acquire, paired with the release in write_mark() and confirm_mark(): what made the mark durable
  // happened before the value is returned. It need not be ordered after the session's tick was
  // taken: the mark only grows while sessions return values, so an old one is lower and merely
  // sends the session to make_mark_durable().
  return ticks <= durable_mark(server).load(std::memory_order_acquire);
}

bool is_mark_due(const ServerMemory *server, UnixTicks ticks) {
  // Acquire, as in may_return(): renew_at is published after the mark, and not above it.
  return ticks >= server->renew_at.load(std::memory_order_acquire) || !may_return(server, ticks);
}

void make_mark_durable(ServerMemory *server, UnixTicks ticks, UnixTicks clock) {
  // If another session holds the lock, it is writing a mark; there is nothing to do if the present
  // mark is enough for this tick.
  if (!acquire_mark_lock(server, [=] { return may_return(server, ticks); })) {
    return;
  }
  const NeededMark needed = write_mark_if_due(server, ticks, clock);
  release_mark_lock(server);
  if (needed.error) {
    report_file_error(needed.error, ERROR);
  }
  // Without the lock, as it may take long, and only if the tick is above the last confirmed mark.
  if (!XLogRecPtrIsInvalid(needed.lsn) && !may_return(server, ticks)) {
    confirm_mark(server, needed);
  }
}

}  // namespace uuidx
