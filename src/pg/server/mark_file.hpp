// The file in the data directory that keeps the server clock's high-water mark across restarts and
// checkpoints, and in base backups.
//
// A sequence needs no file: it is a page of a table, which the WAL restores after a crash. The
// server clock belongs to no database, and must also work where uuidx is not preloaded and may not
// write WAL records of its own.
#pragma once

#include "core/v7.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// An operation on the file that failed. It is returned and not raised, as the caller holds a lock:
// a client that does not read its error would hold up all others.
struct FileError {
  const char *action = nullptr;  // null if nothing has failed
  const char *path = nullptr;
  int error = 0;  // errno

  explicit operator bool() const noexcept { return action != nullptr; }
};

// Reports a failed operation at a level; ERROR raises an error.
void report_file_error(const FileError &error, int level);

// The outcome of reading the file.
enum class MarkFile {
  read,
  missing,     // no value has been generated yet
  foreign,     // of another database system, or of this one before its identifier was changed
  rejected,    // damaged, or was set aside earlier
  unreadable,  // exists, but could not be read
};

struct MarkReading {
  MarkFile outcome = MarkFile::missing;
  UnixTicks mark = 0;            // if read or foreign
  bool copy_is_damaged = false;  // one of the two; the mark is that of the other
  const char *fault = nullptr;   // why the file is rejected, as a sentence
  bool was_renamed = false;      // now, as it is rejected
  FileError error;               // if unreadable
};

// Reads the mark. Renames a damaged file, so that its content is not lost.
MarkReading read_mark_file();

// Renames a file that belongs to another database system and whose mark is not to be used.
void reject_foreign_mark(MarkReading *reading) noexcept;

// Reports what was unusual about reading the file; `level` is that of an unreadable one. Raises an
// error if that is ERROR.
void report_reading(const MarkReading &reading, int level);

// Writes the mark to the file and flushes it. After a failure, the file has the old mark or the new
// one. Raises no error once the wait event has its name.
FileError write_mark_file(UnixTicks mark);

// Flushes the data directory, so that the file's name is durable, too.
FileError flush_mark_directory();

}  // namespace uuidx
