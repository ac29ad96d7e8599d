#include "pg/cluster/standbys.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Adds a number to a hash: FNV-1a, by words.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t number) noexcept {
  return (hash ^ number) * 0x100000001b3;
}

constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325;

// Returns a hash of synchronous_standby_names as this session has read it.
std::uint64_t hash_of_names() {
  std::uint64_t hash = kEmptyHash;
  for (const char *c = SyncRepStandbyNames; *c != '\0'; ++c) {
    hash = mix(hash, static_cast<unsigned char>(*c));
  }
  return hash;
}

// Makes the names of this session those of all, once after each reload: walsenders do not show how
// many standbys must confirm. Only once, as sessions reload at different times: those with old
// names and those with new ones would otherwise replace each other's with every value.
void announce_names(std::atomic<std::uint64_t> *names) {
  static constinit TimestampTz announced = 0;
  static constinit bool is_announced = false;
  if (is_announced && announced == PgReloadTime) [[likely]] {
    return;
  }
  // Release, paired with the acquire in standbys_now(). No other memory is read because of it.
  names->store(hash_of_names(), std::memory_order_release);
  announced = PgReloadTime;
  is_announced = true;
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

// True if enough synchronous standbys have reported the WAL up to an LSN as written, or as flushed,
// depending on `mode`.
bool is_confirmed(XLogRecPtr lsn, int mode) {
  // The lock orders this read after the walsender's update.
  LWLockAcquire(SyncRepLock, LW_SHARED);
  const bool confirmed = WalSndCtl->lsn[mode] >= lsn;
  LWLockRelease(SyncRepLock);
  return confirmed;
}

}  // namespace

bool is_standby_awaited() {
  return SyncRepRequested() && SyncRepStandbyNames != nullptr && SyncRepStandbyNames[0] != '\0';
}

StandbySet standbys_now(std::atomic<std::uint64_t> *names) {
  announce_names(names);
  StandbySet set = mix(kEmptyHash, names->load(std::memory_order_acquire));
  for (int i = 0; i < max_wal_senders; ++i) {
    const WalSnd &sender = WalSndCtl->walsnds[i];
    if (is_candidate(sender)) {
      set = mix(set, static_cast<std::uint64_t>(peek(sender.pid)));
      set = mix(set, static_cast<std::uint64_t>(peek(sender.sync_standby_priority)));
    }
  }
  return set != kNoStandbys ? set : kNoStandbys + 1;
}

void wait_for_standbys(XLogRecPtr lsn) {
  // SyncRepWaitForLSN() requires that interrupts are held. Not by HOLD_INTERRUPTS(), which
  // increments a volatile variable by ++: C++20 deprecates that.
  InterruptHoldoffCount = InterruptHoldoffCount + 1;
  SyncRepWaitForLSN(lsn, false);
  InterruptHoldoffCount = InterruptHoldoffCount - 1;
  CHECK_FOR_INTERRUPTS();
  // It also returns, with a warning, if the wait was canceled, as a commit cannot be undone; and at
  // once until the checkpointer has announced a new synchronous_standby_names. A value that has not
  // been returned can still be withheld.
  const int mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ? SYNC_REP_WAIT_WRITE
                                                                         : SYNC_REP_WAIT_FLUSH;
  if (!is_confirmed(lsn, mode)) {
    ereport(ERROR, errcode(ERRCODE_QUERY_CANCELED),
            errmsg("canceling statement because no synchronous standby has confirmed the "
                   "high-water mark of uuidx"),
            errdetail("A standby that took over now could return the same values again."));
  }
}

bool have_standbys_flushed(XLogRecPtr lsn) {
  return is_confirmed(lsn, SYNC_REP_WAIT_FLUSH);
}

}  // namespace uuidx
