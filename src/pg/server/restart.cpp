#include "pg/server/restart.hpp"

#include <algorithm>

#include "core/mark_distance.hpp"
#include "pg/server/mark_file.hpp"
#include "pg/server/mark_lock.hpp"
#include "pg/settings.hpp"
#include "pg/system_clock.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "common/controldata_utils.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns uuidx.max_clock_lead in ticks.
UnixTicks lead() {
  return static_cast<UnixTicks>(max_clock_lead) << kMillisShift;
}

// What load() has found, to be reported once no lock is held.
struct Loaded {
  bool good = false;    // values may be generated
  MarkReading reading;  // of the file
  UnixTicks ahead = 0;  // how far the mark is ahead of the clock, if that is unusual
  FileError write;      // of the mark that replaces a rejected one
};

// Starts from the mark in the file; the caller holds mark_lock, or no other process has the memory
// yet.
Loaded load(ServerMemory *server) {
  Loaded loaded;
  UnixTicks clock = 0;
  const bool clock_is_good = unix_ticks_from_clock(read_clock(), &clock);
  // Above every value generated while the clock was right, and above every one that
  // uuid_v7_advance() accepted.
  const UnixTicks above_all = later(clock, kMarkStep + lead());
  MarkReading &reading = loaded.reading;
  reading = read_mark_file();
  // The mark of another system is that of this one before pg_createsubscriber; otherwise somebody
  // has copied the file. It must not push this server years ahead.
  if (reading.outcome == MarkFile::foreign && clock_is_good && reading.mark > above_all) {
    reject_foreign_mark(&reading);
  }
  switch (reading.outcome) {
    case MarkFile::unreadable:
      return loaded;
    case MarkFile::missing:
      break;
    case MarkFile::read:
    case MarkFile::foreign:
      if (clock_is_good && reading.mark > clock && reading.mark - clock > lead()) {
        loaded.ahead = reading.mark - clock;
      }
      break;
    case MarkFile::rejected:
      if (!clock_is_good) {
        return loaded;
      }
      reading.mark = above_all;
      // Written now: if the server restarts before its next value, it must find this mark and not
      // take the missing file for that of a new server. If it cannot be written, the next start
      // finds the file that was set aside and ends up here again.
      loaded.write = write_mark_file(reading.mark);
      if (!loaded.write) {
        server->file_mark = reading.mark;
      }
      break;
  }
  // From here on every tick is above the mark that was found. The mark itself is not published: the
  // WAL may not have it, and if its flush failed, nor may the disk. So the first value needs a new
  // mark, and so does uuid_v7_advance() to a lower one.
  increase_unix_ticks(&server->last, reading.mark);
  // Release, paired with the acquire in load_mark(): a session that sees `loaded` sees `last` as
  // set above, and takes no tick that an earlier run of the server may have used.
  server->loaded.store(true, std::memory_order_release);
  loaded.good = true;
  return loaded;
}

// Reports what load() has found; `level` is that of a file that cannot be read. In a session no
// lock is held: a client that does not read a message must not hold up others.
void report_load(const Loaded &loaded, int level) {
  report_reading(loaded.reading, level);
  if (loaded.write) {
    report_file_error(loaded.write, LOG);
  }
  if (loaded.ahead > 0) {
    ereport(WARNING,
            errmsg("system clock is %.3f s behind the high-water mark of uuidx",
                   static_cast<double>(loaded.ahead >> kMillisShift) / 1000),
            errdetail("Values of uuid_v7_server() continue from the mark, in order, until the "
                      "clock has caught up."),
            errhint("Check the time synchronization of this machine, and whether file "
                    "\"uuidx.mark\" is that of another server."));
  }
}

// True if the server was shut down cleanly. An immediate shutdown ends the postmaster with the same
// code, and must not wait for a disk.
bool is_clean_shutdown(int code) {
  bool is_sound = false;
  const ControlFileData *control = code == 0 ? get_controlfile(DataDir, &is_sound) : nullptr;
  return is_sound &&
         (control->state == DB_SHUTDOWNED || control->state == DB_SHUTDOWNED_IN_RECOVERY);
}

}  // namespace

bool load_mark(ServerMemory *server, int level) {
  // Acquire: what load() set before is seen by a session that does not take the lock.
  const auto is_loaded = [server] { return server->loaded.load(std::memory_order_acquire); };
  if (is_loaded() || !acquire_mark_lock(server, is_loaded)) {
    return true;
  }
  Loaded loaded;
  loaded.good = is_loaded();
  if (!loaded.good) {
    loaded = load(server);
  }
  release_mark_lock(server);
  report_load(loaded, level);
  return loaded.good;
}

void load_mark_at_start(ServerMemory *server) {
  report_load(load(server), LOG);
}

void save_mark_at_shutdown(int code, [[maybe_unused]] Datum argument) {
  // This is the only place that lowers the mark in the file. It is safe, as no session is left to
  // return a value above it, and a greater mark in the WAL, which recovery or a standby may replay,
  // only skips ticks. The default order (seq_cst) is more than is needed: all children have ended,
  // and waiting for them has ordered their writes before these loads. After a crash, the memory may
  // be damaged, or children may still run.
  const UnixTicks last = the_server->last.load();
  if (is_clean_shutdown(code) && the_server->loaded.load() && last < the_server->file_mark) {
    if (const FileError error = write_mark_file(last)) {
      report_file_error(error, LOG);
    }
  }
}

void redo_mark(UnixTicks mark) {
  ServerMemory *server = the_server;
  // A file that cannot be read may have a greater mark, which must not be overwritten: recovery
  // stops, as it does for any other file.
  load_mark(server, ERROR);
  // The file comes first here, too: a restartpoint may let the next recovery begin after the
  // record. The default order (seq_cst) is more than is needed: no other process writes the mark or
  // returns values during recovery, and the end of recovery is a barrier for the sessions that then
  // do.
  if (mark > server->file_mark) {
    UnixTicks clock = 0;
    // Ahead if the clock permits, as it would take minutes to flush each mark of a day. Not below
    // `last`, as the file may have had a greater mark.
    unix_ticks_from_clock(read_clock(), &clock);
    const UnixTicks to_write = std::max(mark_for_replay(mark, clock), server->last.load());
    if (const FileError error = write_mark_file(to_write)) {
      report_file_error(error, ERROR);
    }
    server->file_mark = to_write;
  }
  increase_unix_ticks(&server->mark, mark);
  // After promotion every tick is above the marks of the old primary.
  increase_unix_ticks(&server->last, mark);
}

}  // namespace uuidx
