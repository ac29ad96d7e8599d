#include "server/wal.hpp"

#include "pg/compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "access/xloginsert.h"
#include "common/controldata_utils.h"
#include "lib/stringinfo.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The ID of the custom resource manager, which no other extension on the server may use. None of
// those listed at https://wiki.postgresql.org/wiki/CustomWALResourceManagers does.
constexpr RmgrId kResourceManager = 178;

constexpr uint8 kMarkRecord = 0x00;

struct MarkRecord {
  UnixTicks mark;
};

using RedoCallback = void (*)(UnixTicks);
constinit RedoCallback redo_callback = nullptr;

// Returns the kind of a record.
uint8 kind_of(XLogReaderState *record) {
  return XLogRecGetInfo(record) & ~XLR_INFO_MASK;
}

// Reads a record; returns false if this version does not know it.
bool read_record(XLogReaderState *record, MarkRecord *content) {
  if (kind_of(record) != kMarkRecord || XLogRecGetDataLen(record) != sizeof *content) {
    return false;
  }
  memcpy(content, XLogRecGetData(record), sizeof *content);
  return true;
}

// Replays a record. PANICs on an unknown one, as core's resource managers do: a record of a later
// version must not be skipped.
void redo(XLogReaderState *record) {
  MarkRecord content{};
  if (!read_record(record, &content)) {
    elog(PANIC, "uuidx_redo: unknown record with op code %u and length %u", kind_of(record),
         static_cast<unsigned>(XLogRecGetDataLen(record)));
  }
  redo_callback(content.mark);
}

// Appends the mark to what pg_waldump and pg_walinspect show.
void describe(StringInfo buf, XLogReaderState *record) {
  MarkRecord content{};
  if (read_record(record, &content)) {
    appendStringInfo(buf, "mark %016llX", static_cast<unsigned long long>(content.mark));
  }
}

// Returns the name of a record's kind, or null if it is unknown.
const char *identify(uint8 info) {
  return (info & ~XLR_INFO_MASK) == kMarkRecord ? "HIGH_WATER_MARK" : nullptr;
}

// True if standbys have confirmed the WAL up to an LSN as this session requires.
bool is_confirmed(XLogRecPtr lsn) {
  LWLockAcquire(SyncRepLock, LW_SHARED);
  const bool confirmed = lsn <= WalSndCtl->lsn[wait_mode()];
  LWLockRelease(SyncRepLock);
  return confirmed;
}

constinit RmgrData manager = {.rm_name = "uuidx",
                              .rm_redo = redo,
                              .rm_desc = describe,
                              .rm_identify = identify,
                              .rm_startup = nullptr,
                              .rm_cleanup = nullptr,
                              .rm_mask = nullptr,
                              .rm_decode = nullptr};

}  // namespace

void register_wal_record(RedoCallback redo_mark) {
  redo_callback = redo_mark;
  RegisterCustomRmgr(kResourceManager, &manager);
}

XLogRecPtr log_mark(UnixTicks mark) {
  MarkRecord content{mark};
  XLogBeginInsert();
  XLogRegisterData(reinterpret_cast<char *>(&content), sizeof content);
  const XLogRecPtr end = XLogInsert(kResourceManager, kMarkRecord);
  // Flushed here, as no commit needs to follow that would do so. The caller publishes the mark
  // next.
  XLogFlush(end);
  return end;
}

bool would_commit_wait() {
  return SyncRepRequested() && are_standbys_defined();
}

int wait_mode() {
  return synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ? SYNC_REP_WAIT_WRITE
                                                               : SYNC_REP_WAIT_FLUSH;
}

bool wait_for_standbys(XLogRecPtr lsn) {
  // SyncRepWaitForLSN() requires that interrupts are held. Not by HOLD_INTERRUPTS(), which
  // increments a volatile variable by ++: C++20 deprecates that.
  InterruptHoldoffCount = InterruptHoldoffCount + 1;
  SyncRepWaitForLSN(lsn, false);
  InterruptHoldoffCount = InterruptHoldoffCount - 1;
  CHECK_FOR_INTERRUPTS();
  if (is_confirmed(lsn)) {
    return true;
  }
  if (!are_standbys_defined()) {
    return false;
  }
  // So the wait was canceled: SyncRepWaitForLSN() then clears QueryCancelPending and returns with a
  // warning, as a commit cannot be undone. A value that has not been returned can be withheld.
  ereport(ERROR, errcode(ERRCODE_QUERY_CANCELED),
          errmsg("canceling statement because no synchronous standby has confirmed the high-water "
                 "mark of uuidx"),
          errdetail("A standby that took over now could return smaller values."));
}

bool is_clean_shutdown(int code) {
  bool is_sound = false;
  const ControlFileData *control = code == 0 ? get_controlfile(DataDir, &is_sound) : nullptr;
  return is_sound &&
         (control->state == DB_SHUTDOWNED || control->state == DB_SHUTDOWNED_IN_RECOVERY);
}

}  // namespace uuidx
