// The file in the data directory that keeps the cluster clock's high-water mark across restarts and
// checkpoints, and in base backups.
#pragma once

#include "core/v7.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// The outcome of reading the file.
enum class MarkFile {
  read,
  missing,     // no value has been generated yet
  rejected,    // damaged or from another server: reported and set aside, now or earlier
  unreadable,  // exists, but could not be read: reported and left alone
};

// Reads the mark. A file that cannot be read is reported at `level`; ERROR raises an error.
MarkFile read_mark_file(UnixTicks *mark, int level);

// Writes the mark to the file and flushes it. A failure is reported at `level`; below ERROR, false
// is returned. The file then has the old mark or the new one.
bool write_mark_file(UnixTicks mark, int level);

}  // namespace uuidx

#pragma GCC visibility pop
