#include "mark_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "pg.hpp"

namespace uuidx {

namespace {

// Not in global/, all of whose files pg_checksums takes for relations.
constexpr char kPath[] = "uuidx.mark";
constexpr char kNewPath[] = "uuidx.mark.new";
constexpr char kRejectedPath[] = "uuidx.mark.rejected";

// What the file holds, in the server's byte order: like the rest of the data directory, it belongs
// to one kind of machine.
struct Content {
  char magic[8];  // with the version of the format
  uint64 system;  // of pg_control: the file may have been copied from another server
  uint64 mark;
  pg_crc32c crc;  // of all before it
  uint32 unused;  // 0; where a number of 64 bits is aligned to 32, the size would be another
};

constexpr char kMagic[8] = {'u', 'u', 'i', 'd', 'x', 'm', 'k', '1'};

pg_crc32c checksum(const Content &content) {
  pg_crc32c crc = 0;
  INIT_CRC32C(crc);
  COMP_CRC32C(crc, &content, offsetof(Content, crc));
  FIN_CRC32C(crc);
  return crc;
}

// Reports what could not be done with the new file, by errno.
bool failed_to(const char *what, int level) {
  ereport(level, errcode_for_file_access(), errmsg("could not %s file \"%s\": %m", what, kNewPath));
  return false;
}

// Moves the file out of the way, so that what is in it is not lost, and says why.
MarkFile reject(const char *detail) {
  unlink(kRejectedPath);  // a folder cannot be renamed to a file
  const bool moved = rename(kPath, kRejectedPath) == 0;
  ereport(
      WARNING, errcode(ERRCODE_DATA_CORRUPTED),
      errmsg("could not use the high-water mark of uuidx in file \"%s\"", kPath),
      errdetail("%s%s", detail,
                moved ? " The file has been renamed to \"uuidx.mark.rejected\"." : ""),
      errhint("Values of uuid_v7_cluster() follow earlier ones as long as the clock was not set "
              "back; otherwise call uuid_v7_advance() with the greatest value."));
  return MarkFile::rejected;
}

}  // namespace

MarkFile read_mark_file(Position *mark) {
  // Not through fd.c, as the postmaster reads it, too.
  const int file = open(kPath, O_RDONLY | PG_BINARY, 0);
  if (file < 0) {
    return errno == ENOENT ? MarkFile::missing
                           : reject(psprintf("The file could not be opened: %m."));
  }
  Content content{};
  const ssize_t size = read(file, &content, sizeof content);
  close(file);
  if (size < 0) {
    return reject(psprintf("The file could not be read: %m."));
  }
  if (size != sizeof content) {
    return reject("The file is too short.");
  }
  if (std::memcmp(content.magic, kMagic, sizeof kMagic) != 0 || content.crc != checksum(content)) {
    return reject("The content of the file is damaged.");
  }
  if (content.system != GetSystemIdentifier()) {
    return reject("The file belongs to another database system.");
  }
  *mark = content.mark;
  return MarkFile::read;
}

bool write_mark_file(Position mark, int level) {
  Content content{};
  std::memcpy(content.magic, kMagic, sizeof kMagic);
  content.system = GetSystemIdentifier();
  content.mark = mark;
  content.crc = checksum(content);

  const int file = OpenTransientFile(kNewPath, O_CREAT | O_TRUNC | O_WRONLY | PG_BINARY);
  if (file < 0) {
    return failed_to("create", level);
  }
  errno = 0;
  if (write(file, &content, sizeof content) != sizeof content) {
    // A short write without an error is a full disk.
    if (errno == 0) {
      errno = ENOSPC;
    }
    return failed_to("write", level);
  }
  if (pg_fsync(file) != 0) {
    return failed_to("fsync", level);
  }
  if (CloseTransientFile(file) != 0) {
    return failed_to("close", level);
  }
  return durable_rename(kNewPath, kPath, level) == 0;
}

}  // namespace uuidx
