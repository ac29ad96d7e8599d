#include "pg/server/wal.hpp"

#include "pg/pg.hpp"

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

}  // namespace uuidx
