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

// The outcome of reading the file.
enum class MarkFile {
  usable,      // or missing: no value has been generated yet
  rejected,    // damaged or of another server, and renamed, so that its content is not lost
  unreadable,  // exists, but could not be read
};

// Sets `mark` to that of the file; leaves it alone if there is none. The mark of another database
// system is used if it is at most `most_foreign`. Reports in the log what is unusual; an unreadable
// file at `level`, an error if that is ERROR.
MarkFile read_mark_file(UnixTicks most_foreign, int level, UnixTicks *mark);

// Writes the mark to the file and flushes it, and the directory unless `directory_flushed`, which
// then says so. That is for once in each run of the server, as an earlier run may have created the
// file and failed to flush the directory. Reports a failure at `level`, and returns false; raises
// an error if that is ERROR. After a failure, the file has the old mark or the new one.
bool write_mark_file(UnixTicks mark, bool *directory_flushed, int level);

}  // namespace uuidx
