#include "server/mark_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "pg/compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xlog.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "utils/wait_event.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Not in global/, as pg_checksums takes every file there for a relation.
constexpr char kPath[] = "uuidx.mark";
constexpr char kNewPath[] = "uuidx.mark.new";
constexpr char kRejectedPath[] = "uuidx.mark.rejected";

// The file's content, in the server's byte order: like the rest of the data directory, the file is
// not portable between architectures. It fits into one sector of any disk, which is written as a
// whole or not at all.
struct Content {
  char magic[8];  // includes the version of the format
  uint64 system;  // identifier in pg_control: the file may have been copied from another server
  uint64 mark;
  pg_crc32c crc;  // of all before it
  uint32 unused;  // 0; explicit, so that the size is the same if 64-bit integers align to 4 bytes
};

constexpr char kMagic[8] = {'u', 'u', 'i', 'd', 'x', 'm', 'k', '1'};

constinit std::uint32_t sync_wait_event = 0;

// Returns the wait event of flushing the file. Raises an error if the server has no room for its
// name.
std::uint32_t sync_event() {
  return wait_event(&sync_wait_event, "UuidxMarkSync");
}

// Returns the checksum of all members before `crc`.
pg_crc32c checksum(const Content &content) noexcept {
  pg_crc32c crc = 0;
  INIT_CRC32C(crc);
  COMP_CRC32C(crc, &content, offsetof(Content, crc));
  FIN_CRC32C(crc);
  return crc;
}

// Returns why the mark cannot be used, as a sentence; null if it can.
const char *fault_of(const Content &content, ssize_t size, UnixTicks most_foreign) {
  if (size < static_cast<ssize_t>(sizeof content)) {
    return "The file is too short.";
  }
  if (std::memcmp(content.magic, kMagic, sizeof kMagic) != 0 || content.crc != checksum(content)) {
    return "The mark in the file is damaged.";
  }
  // The mark of another system is that of this one before pg_createsubscriber; otherwise somebody
  // has copied the file. It must not push this server years ahead.
  return content.system != GetSystemIdentifier() && content.mark > most_foreign
             ? "The file belongs to another database system."
             : nullptr;
}

// Reports that the mark cannot be used. `sequel` is what became of the file, with errno as %m.
void report_rejected(const char *fault, const char *sequel) {
  ereport(LOG_SERVER_ONLY, errcode(ERRCODE_DATA_CORRUPTED),
          errmsg("could not use the high-water mark of uuidx in file \"%s\"", kPath),
          errdetail(sequel, fault),
          errhint("New values of uuid_v7_server() are greater than earlier ones unless those were "
                  "more than uuidx.max_clock_lead ahead of the current clock; if so, call "
                  "uuid_v7_advance() with the greatest value."));
}

// Reports at a level what could not be done with a file, by errno, after closing the file. Returns
// false.
bool fail(int level, const char *action, const char *path, int file = -1) {
  const int error = errno;
  if (file >= 0) {
    close(file);
  }
  errno = error;
  ereport(level, errcode_for_file_access(), errmsg("could not %s file \"%s\": %m", action, path));
  return false;
}

// Writes the content to an open file, flushes it and closes the file.
bool fill(int file, const char *path, const Content &content, int level) {
  errno = 0;
  if (pg_pwrite(file, &content, sizeof content, 0) != static_cast<ssize_t>(sizeof content)) {
    // A short write that sets no errno means that the disk is full.
    if (errno == 0) {
      errno = ENOSPC;
    }
    return fail(level, "write", path, file);
  }
  // By pg_fsync(), as pg_control is flushed: on macOS, only wal_sync_method = fsync_writethrough
  // empties the disk's cache, and pg_fdatasync() does not heed it.
  pgstat_report_wait_start(sync_event());
  const int flushed = pg_fsync(file);
  pgstat_report_wait_end();
  if (flushed != 0) {
    return fail(level, "fsync", path, file);
  }
  return close(file) == 0 || fail(level, "close", path);
}

// Flushes the directory, so that the file's name is durable; as fsync_fname() does, where a system
// permits that. Not by it, as its message would be about file ".".
bool flush_directory(int level) {
  const int directory = BasicOpenFile(".", O_RDONLY | PG_BINARY);
  if (directory < 0) {
    return errno == EISDIR || errno == EACCES || fail(level, "open directory of", kPath);
  }
  if (pg_fsync(directory) != 0 && errno != EBADF && errno != EINVAL) {
    return fail(level, "fsync directory of", kPath, directory);
  }
  close(directory);
  return true;
}

// Creates the file under another name, so that a crash leaves it complete or missing.
bool create(const Content &content, int level) {
  const int file = BasicOpenFile(kNewPath, O_CREAT | O_TRUNC | O_WRONLY | PG_BINARY);
  if (file < 0) {
    return fail(level, "create", kNewPath);
  }
  if (!fill(file, kNewPath, content, level)) {
    return false;
  }
  if (rename(kNewPath, kPath) != 0) {
    return fail(level, "rename", kNewPath);
  }
  ereport(LOG_SERVER_ONLY, errmsg("created file \"%s\" for the high-water mark of uuidx", kPath),
          errhint("This is expected when uuid_v7_server() is used for the first time. If the file "
                  "was lost, call uuid_v7_advance() with the greatest value."));
  return true;
}

// Reports from where values continue, with what is to be known of the file.
void report_usable(const Content &content) {
  if (content.system != GetSystemIdentifier()) {
    ereport(LOG_SERVER_ONLY, errmsg("high-water mark of uuidx is from another database system"),
            errdetail("The mark is used; the next one is written with the current identifier."),
            errhint("If the file of another server has replaced that of this one, call "
                    "uuid_v7_advance() with the greatest value of this server."));
  }
  const TimestampTz time = micros_from_unix_ticks(content.mark) - kPostgresEpoch;
  ereport(LOG_SERVER_ONLY, errmsg("uuid_v7_server() continues above %s", timestamptz_to_str(time)));
}

}  // namespace

// Files are opened by BasicOpenFile(), which works in the postmaster, too, and makes room by
// closing virtual files if too many are open. It leaves closing to the caller, so nothing between
// opening and closing may raise an error. All reports that are no errors are only for the log, as
// the caller may hold a lock: a client that does not read a message must not hold up others.

MarkFile read_mark_file(UnixTicks most_foreign, int level, UnixTicks *mark) {
  const int file = BasicOpenFile(kPath, O_RDONLY | PG_BINARY);
  struct stat status;
  // A link to a file that is missing, such as one on a disk that is not mounted, is not a new
  // server.
  if (file < 0 && (errno != ENOENT || lstat(kPath, &status) == 0)) {
    fail(level, "open", kPath);
    return MarkFile::unreadable;
  }
  if (file < 0) {
    // A new server, or one that has set a damaged file aside and could not write another.
    if (access(kRejectedPath, F_OK) != 0) {
      return MarkFile::usable;
    }
    report_rejected("The file is missing, but file \"uuidx.mark.rejected\" exists.", "%s");
    return MarkFile::rejected;
  }
  Content content{};
  const ssize_t size = read(file, &content, sizeof content);
  if (size < 0) {
    fail(level, "read", kPath, file);
    return MarkFile::unreadable;
  }
  close(file);
  if (const char *fault = fault_of(content, size, most_foreign)) {
    report_rejected(fault, rename(kPath, kRejectedPath) == 0
                               ? "%s The file has been renamed to \"uuidx.mark.rejected\"."
                               : "%s The file is overwritten, as it could not be renamed to "
                                 "\"uuidx.mark.rejected\": %m.");
    return MarkFile::rejected;
  }
  report_usable(content);
  *mark = content.mark;
  return MarkFile::usable;
}

bool write_mark_file(UnixTicks mark, bool *directory_flushed, int level) {
  Content content{};
  std::copy_n(kMagic, sizeof kMagic, content.magic);
  content.system = GetSystemIdentifier();
  content.mark = mark;
  content.crc = checksum(content);
  // Named before the file is opened, as that may raise an error.
  sync_event();
  // In place, as pg_control is written. A failed flush loses nothing: the caller does not publish
  // the mark, and the next attempt writes all of it again. This takes one flush; replacing the file
  // would take four.
  const int file = BasicOpenFile(kPath, O_WRONLY | PG_BINARY);
  if (file < 0 && errno != ENOENT) {
    return fail(level, "open", kPath);
  }
  *directory_flushed = *directory_flushed && file >= 0;
  if (!(file >= 0 ? fill(file, kPath, content, level) : create(content, level))) {
    return false;
  }
  *directory_flushed = *directory_flushed || flush_directory(level);
  return *directory_flushed;
}

}  // namespace uuidx
