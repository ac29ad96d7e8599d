#include "wal.hpp"

#include "server_position.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// Of the custom resource managers, each of which needs a number that no other extension has; listed
// at https://wiki.postgresql.org/wiki/CustomWALResourceManagers.
constexpr RmgrId kResourceManager = 178;

constexpr uint8 kMarkRecord = 0x00;

struct MarkRecord {
  Position mark;
};

void redo(XLogReaderState *record) {
  MarkRecord content{};
  memcpy(&content, XLogRecGetData(record), sizeof content);
  redo_mark(content.mark);
}

void describe(StringInfo buf, XLogReaderState *record) {
  MarkRecord content{};
  memcpy(&content, XLogRecGetData(record), sizeof content);
  appendStringInfo(buf, "mark %016llX", static_cast<unsigned long long>(content.mark));
}

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

void register_wal_record() {
  RegisterCustomRmgr(kResourceManager, &manager);
}

void log_mark(Position mark) {
  MarkRecord content{mark};
  XLogBeginInsert();
  XLogRegisterData(reinterpret_cast<char *>(&content), sizeof content);
  XLogFlush(XLogInsert(kResourceManager, kMarkRecord));
}

}  // namespace uuidx
