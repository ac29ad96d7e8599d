// The write-ahead log's record of a high-water mark, which brings it to standbys and through
// recovery.
#pragma once

#include "v7.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// Registers the record with the server; only while libraries are preloaded.
void register_wal_record();

// Logs a mark and waits until that is flushed.
void log_mark(Position mark);

}  // namespace uuidx

#pragma GCC visibility pop
