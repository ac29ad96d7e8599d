#include "pg/server/mark_file.hpp"

#include <fcntl.h>
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
constexpr char kDirectory[] = ".";

// One copy of the mark, in the server's byte order: like the rest of the data directory, the file
// is not portable between architectures.
struct Copy {
  char magic[8];  // includes the version of the format
  uint64 system;  // identifier in pg_control: the file may have been copied from another server
  uint64 mark;
  pg_crc32c crc;  // of all before it
  uint32 unused;  // 0; explicit, so that the size is the same if 64-bit integers align to 4 bytes
};

// The file's content. Both copies are written each time, by one write and one flush, and lie in
// different blocks of any disk, so that one that is torn or damaged later is replaced by the other.
struct Content {
  Copy first;
  char unused[4096 - sizeof(Copy)];
  Copy second;
};

constexpr char kMagic[8] = {'u', 'u', 'i', 'd', 'x', 'm', 'k', '1'};

constinit std::uint32_t sync_wait_event = 0;

// Returns the wait event of flushing the file. Raises an error if the server has no room for its
// name.
std::uint32_t sync_event() {
  return wait_event(&sync_wait_event, "UuidxMarkSync");
}

// Returns the checksum of all members before `crc`.
pg_crc32c checksum(const Copy &copy) noexcept {
  pg_crc32c crc = 0;
  INIT_CRC32C(crc);
  COMP_CRC32C(crc, &copy, offsetof(Copy, crc));
  FIN_CRC32C(crc);
  return crc;
}

bool is_whole(const Copy &copy) noexcept {
  return std::memcmp(copy.magic, kMagic, sizeof kMagic) == 0 && copy.crc == checksum(copy);
}

// Returns what could not be done with a file, by errno.
FileError failed_to(const char *action, const char *path) noexcept {
  return {action, path, errno};
}

// Closes a file after an error, which it returns.
FileError close_after(const FileError &error, int file) noexcept {
  close(file);
  return error;
}

// Reads the whole content, or the part of it that exists.
FileError read_content(Content *content, ssize_t *size) {
  const int file = BasicOpenFile(kPath, O_RDONLY | PG_BINARY);
  if (file < 0) {
    return failed_to("open", kPath);
  }
  *size = read(file, content, sizeof *content);
  if (*size < 0) {
    return close_after(failed_to("read", kPath), file);
  }
  close(file);
  return {};
}

// Returns what a missing file means: a new server, or one that has set a damaged file aside and
// could not write another.
MarkReading missing_file() noexcept {
  MarkReading reading;
  if (access(kRejectedPath, F_OK) == 0) {
    reading.outcome = MarkFile::rejected;
    reading.fault = "The file is missing, but file \"uuidx.mark.rejected\" exists.";
  }
  return reading;
}

// Renames a file whose mark is not to be used.
void reject(MarkReading *reading, const char *fault) noexcept {
  reading->outcome = MarkFile::rejected;
  reading->fault = fault;
  reading->was_renamed = rename(kPath, kRejectedPath) == 0;
}

// Flushes an open file.
FileError flush(int file, const char *path) {
  pgstat_report_wait_start(sync_event());
  const int flushed = pg_fsync(file);
  pgstat_report_wait_end();
  return flushed == 0 ? FileError{} : failed_to("fsync", path);
}

// Writes the content to an open file, flushes it and closes the file.
FileError fill(int file, const char *path, const Content &content) {
  errno = 0;
  if (pg_pwrite(file, &content, sizeof content, 0) != static_cast<ssize_t>(sizeof content)) {
    // A short write that sets no errno means that the disk is full.
    if (errno == 0) {
      errno = ENOSPC;
    }
    return close_after(failed_to("write", path), file);
  }
  // By pg_fsync(), as pg_control is flushed: on macOS, only wal_sync_method = fsync_writethrough
  // empties the disk's cache, and pg_fdatasync() does not heed it.
  if (const FileError error = flush(file, path)) {
    return close_after(error, file);
  }
  return close(file) == 0 ? FileError{} : failed_to("close", path);
}

// Creates the file: flushed under another name and then renamed, so that a crash leaves it complete
// or missing. The new name is durable only once the directory is flushed.
FileError create(const Content &content) {
  const int file = BasicOpenFile(kNewPath, O_CREAT | O_TRUNC | O_WRONLY | PG_BINARY);
  if (file < 0) {
    return failed_to("create", kNewPath);
  }
  if (const FileError error = fill(file, kNewPath, content)) {
    return error;
  }
  if (rename(kNewPath, kPath) != 0) {
    return failed_to("rename", kNewPath);
  }
  return flush_mark_directory();
}

}  // namespace

// Files are opened by BasicOpenFile(), which works in the postmaster, too, and makes room by
// closing virtual files if too many are open. It leaves closing to the caller, so nothing between
// opening and closing may raise an error.

void report_file_error(const FileError &error, int level) {
  errno = error.error;
  ereport(level, errcode_for_file_access(),
          errmsg("could not %s file \"%s\": %m", error.action, error.path));
}

MarkReading read_mark_file() {
  MarkReading reading;
  Content content{};
  ssize_t size = 0;
  reading.error = read_content(&content, &size);
  if (reading.error) {
    if (reading.error.error == ENOENT) {
      return missing_file();
    }
    reading.outcome = MarkFile::unreadable;
    return reading;
  }
  const bool first = is_whole(content.first);
  const bool second = is_whole(content.second);
  if (!first && !second) {
    reject(&reading, size < static_cast<ssize_t>(sizeof(Copy))
                         ? "The file is too short."
                         : "Both copies of the mark in the file are damaged.");
    return reading;
  }
  // A crash between the writes of the two blocks leaves different marks. The greater one is safe:
  // if it is the newer one, it only skips ticks; if it is the older one, a clean shutdown was about
  // to lower it.
  const Copy &copy = first && (!second || content.first.mark >= content.second.mark)
                         ? content.first
                         : content.second;
  reading.mark = copy.mark;
  reading.copy_is_damaged = !first || !second;
  reading.outcome = copy.system == GetSystemIdentifier() ? MarkFile::read : MarkFile::foreign;
  return reading;
}

void reject_foreign_mark(MarkReading *reading) noexcept {
  reject(reading, "The file belongs to another database system.");
}

void report_reading(const MarkReading &reading, int level) {
  if (reading.error) {
    report_file_error(reading.error, level);
  } else if (reading.fault != nullptr) {
    ereport(WARNING, errcode(ERRCODE_DATA_CORRUPTED),
            errmsg("could not use the high-water mark of uuidx in file \"%s\"", kPath),
            errdetail("%s%s", reading.fault,
                      reading.was_renamed ? " The file has been renamed to \"uuidx.mark.rejected\"."
                                          : ""),
            errhint("New values of uuid_v7_server() are greater than earlier ones unless those "
                    "were more than uuidx.max_clock_lead ahead of the current clock; if so, call "
                    "uuid_v7_advance() with the greatest value."));
  } else if (reading.copy_is_damaged) {
    ereport(WARNING, errcode(ERRCODE_DATA_CORRUPTED),
            errmsg("one copy of the high-water mark of uuidx in file \"%s\" is damaged", kPath),
            errdetail("The other copy is used, and both are written with the next mark."),
            errhint("Check the disk of the data directory."));
  } else if (reading.outcome == MarkFile::foreign) {
    ereport(LOG, errmsg("high-water mark of uuidx is of another database system identifier"),
            errdetail("The mark is used; the next one is written with the current identifier."));
  }
}

FileError write_mark_file(UnixTicks mark) {
  Content content{};
  Copy &copy = content.first;
  std::copy_n(kMagic, sizeof kMagic, copy.magic);
  copy.system = GetSystemIdentifier();
  copy.mark = mark;
  copy.crc = checksum(copy);
  content.second = copy;

  // Named before the file is opened, as that may raise an error.
  sync_event();
  // In place, as pg_control is written. A failed flush loses nothing: the caller does not publish
  // the mark, and the next attempt writes all of it again. This takes one flush; replacing the file
  // would take four.
  const int file = BasicOpenFile(kPath, O_WRONLY | PG_BINARY);
  if (file >= 0) {
    return fill(file, kPath, content);
  }
  return errno == ENOENT ? create(content) : failed_to("open", kPath);
}

FileError flush_mark_directory() {
  sync_event();
  const int file = BasicOpenFile(kDirectory, O_RDONLY);
  if (file < 0) {
    return failed_to("open", kDirectory);
  }
  const FileError error = flush(file, kDirectory);
  close(file);
  // Some file systems cannot flush a directory, and say so by these errors; core's
  // fsync_fname_ext() ignores them, too.
  return error.error == EBADF || error.error == EINVAL ? FileError{} : error;
}

}  // namespace uuidx
