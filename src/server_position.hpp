// The position of uuid_v7_cluster(): one for the whole server, in shared memory, with a high-water
// mark ahead of it on stable storage.
//
// No value leaves before a mark that is not below it is on disk, so that a server that starts again
// at the mark starts after all values (RFC 9562 §6.3). The mark is some time ahead of the clock and
// raised by whoever comes half way, so that the others never wait for the disk.
#pragma once

#include "clock_watch.hpp"
#include "status.hpp"
#include "v7.hpp"

#include "pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// Asks for shared memory and for the log's record; only while libraries are preloaded.
void prepare_server_position();

// Takes the next position of the server. Raises an error where there is no shared position, during
// recovery, and where a mark cannot be made durable.
Status take_server_position(Position *position);

// Makes later positions of the server be greater than this one. Raises the same errors.
void advance_server_position(Position to);

// Takes over a mark from the write-ahead log; called by the startup process.
void redo_mark(Position mark);

// What a person may want to know of it.
struct ServerPositionReport {
  Position last = 0;  // 0: none yet
  Position mark = 0;
  std::uint64_t made = 0;
  ClockWatch watch;
  TimestampTz since = 0;
  bool logged = false;  // whether marks go to standbys
};

// Reports on it; false where there is no shared position.
bool report_server_position(ServerPositionReport *report);

}  // namespace uuidx

#pragma GCC visibility pop
