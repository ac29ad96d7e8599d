#include "pg/mark_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "pg/compat.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Not in global/, as pg_checksums takes every file there for a relation.
constexpr char kPath[] = "uuidx.mark";
constexpr char kNewPath[] = "uuidx.mark.new";
constexpr char kRejectedPath[] = "uuidx.mark.rejected";

// The file's content, in the server's byte order: like the rest of the data directory, it is not
// portable between architectures.
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
pg_crc32c checksum(const Content &content) {
  pg_crc32c crc = 0;
  INIT_CRC32C(crc);
  COMP_CRC32C(crc, &content, offsetof(Content, crc));
  FIN_CRC32C(crc);
  return crc;
}

// Reports what could not be done with a file, by errno; returns false.
bool failed_to(const char *what, const char *path, int level) {
  ereport(level, errcode_for_file_access(), errmsg("could not %s file \"%s\": %m", what, path));
  return false;
}

// Closes a file and keeps errno, which tells what went wrong before.
void close_after_error(int file) {
  const int error = errno;
  close(file);
  errno = error;
}

// Reports why the mark in the file is not used, and what follows.
MarkFile reject(const char *detail, const char *more) {
  ereport(
      WARNING, errcode(ERRCODE_DATA_CORRUPTED),
      errmsg("could not use the high-water mark of uuidx in file \"%s\"", kPath),
      errdetail("%s%s", detail, more),
      errhint("Values of uuid_v7_cluster() follow earlier ones as long as the clock was not set "
              "back; otherwise call uuid_v7_advance() with the greatest value."));
  return MarkFile::rejected;
}

// Renames the file, so that its content is not lost, and reports why.
MarkFile set_aside(const char *detail) {
  const bool moved = rename(kPath, kRejectedPath) == 0;
  return reject(detail, moved ? " The file has been renamed to \"uuidx.mark.rejected\"." : "");
}

// Returns what a missing file means: a new server, or one that has set a damaged file aside and
// could not write another.
MarkFile missing() {
  return access(kRejectedPath, F_OK) == 0
             ? reject("The file is missing, but file \"uuidx.mark.rejected\" exists.", "")
             : MarkFile::missing;
}

// Writes the content at the beginning of an open file, flushes it and closes the file.
bool fill(int file, const char *path, const Content &content, int level) {
  errno = 0;
  if (pg_pwrite(file, &content, sizeof content, 0) != static_cast<ssize_t>(sizeof content)) {
    // A short write that sets no errno means that the disk is full.
    if (errno == 0) {
      errno = ENOSPC;
    }
    close_after_error(file);
    return failed_to("write", path, level);
  }
  pgstat_report_wait_start(sync_event());
  const int flushed = pg_fdatasync(file);
  pgstat_report_wait_end();
  if (flushed != 0) {
    close_after_error(file);
    return failed_to("fdatasync", path, level);
  }
  return close(file) == 0 || failed_to("close", path, level);
}

// Creates the file: flushed under another name and then renamed, so that a crash leaves it complete
// or missing. durable_rename() flushes the directory; only then is the mark durable.
bool create(const Content &content, int level) {
  const int file = BasicOpenFile(kNewPath, O_CREAT | O_TRUNC | O_WRONLY | PG_BINARY);
  if (file < 0) {
    return failed_to("create", kNewPath, level);
  }
  return fill(file, kNewPath, content, level) && durable_rename(kNewPath, kPath, level) == 0;
}

}  // namespace

// Files are opened by BasicOpenFile(), which works in the postmaster, too, and makes room by
// closing virtual files if too many are open. It leaves closing to the caller, so nothing between
// opening and closing may raise an error.

MarkFile read_mark_file(UnixTicks *mark, int level) {
  const int file = BasicOpenFile(kPath, O_RDONLY | PG_BINARY);
  if (file < 0) {
    if (errno == ENOENT) {
      return missing();
    }
    failed_to("open", kPath, level);
    return MarkFile::unreadable;
  }
  Content content{};
  const ssize_t size = read(file, &content, sizeof content);
  if (size < 0) {
    close_after_error(file);
    failed_to("read", kPath, level);
    return MarkFile::unreadable;
  }
  close(file);
  if (size != sizeof content) {
    return set_aside("The file is too short.");
  }
  if (std::memcmp(content.magic, kMagic, sizeof kMagic) != 0 || content.crc != checksum(content)) {
    return set_aside("The content of the file is damaged.");
  }
  if (content.system != GetSystemIdentifier()) {
    return set_aside("The file belongs to another database system.");
  }
  *mark = content.mark;
  return MarkFile::read;
}

bool write_mark_file(UnixTicks mark, int level) {
  Content content{};
  std::memcpy(content.magic, kMagic, sizeof kMagic);
  content.system = GetSystemIdentifier();
  content.mark = mark;
  content.crc = checksum(content);

  // Named before the file is opened, as that may raise an error.
  sync_event();
  // In place, as pg_control is written: the content lies within one sector, which a disk writes
  // whole or not at all, and if one does not, the checksum reveals it. A failed flush loses
  // nothing: the caller does not publish the mark, and the next attempt writes all of it again.
  // This takes one flush; replacing the file would take four.
  const int file = BasicOpenFile(kPath, O_WRONLY | PG_BINARY);
  if (file >= 0) {
    return fill(file, kPath, content, level);
  }
  return errno == ENOENT ? create(content, level) : failed_to("open", kPath, level);
}

}  // namespace uuidx
