// The file in the data directory that carries the high-water mark of the cluster clock past
// restarts and checkpoints and into base backups.
#pragma once

#include "core/v7.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// The outcome of reading the file.
enum class MarkFile {
  read,
  missing,     // as before the first value
  rejected,    // read, and damaged or another server's: reported and set aside, now or before
  unreadable,  // there is a file, whose content is not known: reported and left alone
};

// Reads the mark. A file that cannot be read is reported at `level`, by an error with ERROR.
MarkFile read_mark_file(UnixTicks *mark, int level);

// Replaces the mark in the file and flushes it. Returns false if that fails, reported at `level`,
// by an error with ERROR; the file then has the old mark or the new one.
bool write_mark_file(UnixTicks mark, int level);

}  // namespace uuidx

#pragma GCC visibility pop
