// The file in the data directory that carries the high-water mark of the server's position past
// restarts, checkpoints and into base backups.
#pragma once

#include "v7.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// What reading the file has yielded.
enum class MarkFile {
  read,
  missing,   // as before the first value
  rejected,  // damaged, unreadable or another server's: reported and set aside
};

// Reads the mark. Raises no error: the server must be able to start.
MarkFile read_mark_file(Position *mark);

// Replaces the file, flushed to disk. Where that fails, the old file is left, and it is reported at
// `level`: an error is raised with ERROR, false is the answer with LOG.
bool write_mark_file(Position mark, int level);

}  // namespace uuidx

#pragma GCC visibility pop
