#include "pg/server/standbys.hpp"

#include "pg/compat.hpp"
#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Adds a number to a hash: FNV-1a, by words.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t number) noexcept {
  return (hash ^ number) * 0x100000001b3;
}

constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325;

// Returns a hash of synchronous_standby_names as this session has read them. They are part of a
// set, as walsenders do not show how many standbys must confirm.
std::uint64_t hash_of_names() {
  static constinit TimestampTz hashed_at = 0;
  static constinit std::uint64_t hash = 0;
  if (hash != 0 && hashed_at == PgReloadTime) [[likely]] {
    return hash;
  }
  hash = kEmptyHash;
  for (const char *c = SyncRepStandbyNames; *c != '\0'; ++c) {
    hash = mix(hash, static_cast<unsigned char>(*c));
  }
  hashed_at = PgReloadTime;
  return hash;
}

// Reads a member of a walsender's slot without its spinlock, which would make each value wait for
// it: a word is read whole, and a value that is late is that of a moment ago.
template <typename Member>
Member peek(const Member &member) {
  return __atomic_load_n(&member, __ATOMIC_RELAXED);
}

// True if PostgreSQL considers a walsender for synchronous replication.
bool is_candidate(const WalSnd &sender) {
  const WalSndState state = peek(sender.state);
  return peek(sender.pid) != 0 && peek(sender.sync_standby_priority) > 0 &&
         (state == WALSNDSTATE_STREAMING || state == WALSNDSTATE_STOPPING);
}

// Returns what this session waits for. Not until a mark is applied, with synchronous_commit =
// remote_apply, as recovery applies it before it ends.
int wait_mode() {
  return synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ? SYNC_REP_WAIT_WRITE
                                                               : SYNC_REP_WAIT_FLUSH;
}

// True if the greatest LSN that was ever confirmed, as written or flushed, is not below an LSN.
bool was_confirmed(XLogRecPtr lsn, int mode) {
  // The lock orders this read after the walsender's update.
  LWLockAcquire(SyncRepLock, LW_SHARED);
  const bool confirmed = WalSndCtl->lsn[mode] >= lsn;
  LWLockRelease(SyncRepLock);
  return confirmed;
}

// True if as many of these standbys as must confirm have written, or flushed, the WAL up to an LSN.
bool are_enough(const SyncRepStandbyData *standbys, int count, XLogRecPtr lsn, int mode) {
  int having = 0;
  for (int i = 0; i < count; ++i) {
    const SyncRepStandbyData &standby = standbys[i];
    having += (mode == SYNC_REP_WAIT_WRITE ? standby.write : standby.flush) >= lsn ? 1 : 0;
  }
  return having >= SyncRepConfig->num_sync;
}

// True if these standbys are still connected.
bool are_connected(const SyncRepStandbyData *standbys, int count) {
  for (int i = 0; i < count; ++i) {
    if (peek(WalSndCtl->walsnds[standbys[i].walsnd_index].pid) != standbys[i].pid) {
      return false;
    }
  }
  return true;
}

// True if the standbys that are synchronous now are those of a set, and have written, or flushed,
// the WAL up to an LSN.
bool have(StandbySet standbys, XLogRecPtr lsn, int mode) {
  if (SyncRepConfig == nullptr) {
    return false;
  }
  SyncRepStandbyData *synchronous = nullptr;
  const int count = SyncRepGetCandidateStandbys(&synchronous);
  // Standbys of another set may have come and gone since the caller read the set. In this order:
  // one that is seen before and after the present set is read is in that set.
  const bool good = are_enough(synchronous, count, lsn, mode) && standbys_now() == standbys &&
                    are_connected(synchronous, count);
  pfree(synchronous);
  return good;
}

}  // namespace

bool is_standby_awaited() {
  return SyncRepRequested() && are_standbys_defined();
}

StandbySet standbys_now() {
  StandbySet set = mix(kEmptyHash, hash_of_names());
  for (int i = 0; i < max_wal_senders; ++i) {
    const WalSnd &sender = WalSndCtl->walsnds[i];
    if (is_candidate(sender)) {
      set = mix(set, static_cast<std::uint64_t>(peek(sender.pid)));
      set = mix(set, static_cast<std::uint64_t>(peek(sender.sync_standby_priority)));
    }
  }
  return set != kNoStandbys ? set : kNoStandbys + 1;
}

bool have_flushed(StandbySet standbys, XLogRecPtr lsn) {
  return have(standbys, lsn, SYNC_REP_WAIT_FLUSH);
}

bool have_enough(StandbySet standbys, XLogRecPtr lsn) {
  // A client's session rereads its configuration only between statements. Until then it may not
  // know how many standbys must confirm, and takes the word of PostgreSQL.
  const bool is_outdated = SyncRepConfig == nullptr || ConfigReloadPending != 0;
  return have(standbys, lsn, wait_mode()) || (is_outdated && was_confirmed(lsn));
}

bool was_confirmed(XLogRecPtr lsn) {
  return was_confirmed(lsn, wait_mode());
}

void wait_for_standbys(XLogRecPtr lsn) {
  // SyncRepWaitForLSN() requires that interrupts are held. Not by HOLD_INTERRUPTS(), which
  // increments a volatile variable by ++: C++20 deprecates that.
  InterruptHoldoffCount = InterruptHoldoffCount + 1;
  SyncRepWaitForLSN(lsn, false);
  InterruptHoldoffCount = InterruptHoldoffCount - 1;
  CHECK_FOR_INTERRUPTS();
  // If the wait was canceled, it returns with a warning, as a commit cannot be undone. A value that
  // has not been returned can still be withheld.
  if (!was_confirmed(lsn) && are_standbys_defined()) {
    ereport(ERROR, errcode(ERRCODE_QUERY_CANCELED),
            errmsg("canceling statement because no synchronous standby has confirmed the "
                   "high-water mark of uuidx"),
            errdetail("A standby that took over now could return the same values again."));
  }
}

}  // namespace uuidx
