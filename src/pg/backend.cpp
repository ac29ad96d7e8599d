#include "pg/backend.hpp"

#include <new>

#include <sys/mman.h>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xact.h"
#include "pg/end_headers.hpp"

namespace uuidx {

constinit BackendState *the_backend_state = nullptr;

namespace {

// Maps whole pages for the state, as madvise works on pages.
void *map_state() {
  void *pages = mmap(nullptr, sizeof(BackendState), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
            errdetail("Could not map memory for the state of the UUID generators: %m"));
  }
  // On a kernel that has neither, adopt_backend_state() still drops a forked process's copy, which
  // the process ID reveals.
#ifdef MADV_WIPEONFORK
  madvise(pages, sizeof(BackendState), MADV_WIPEONFORK);
#endif
#ifdef MADV_DONTDUMP
  madvise(pages, sizeof(BackendState), MADV_DONTDUMP);
#endif
  return pages;
}

// Empties the pool when a transaction ends, including a prepared one and a parallel worker's part
// of one. Before it ends, too, which does no harm: other callbacks may still generate UUIDs then.
void drop_at_end([[maybe_unused]] XactEvent event, [[maybe_unused]] void *argument) {
  the_backend_state->pool.drop();
}

// Returns the first and last time that a version can hold.
const char *times_of(unsigned version) noexcept {
  return version == kV1 || version == kV6
             ? "1582-10-15 00:00:00 to 5236-03-31 21:21:00.684697 UTC"
             : "1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC";
}

}  // namespace

void adopt_backend_state() {
  void *pages = the_backend_state;
  if (pages == nullptr) {
    pages = map_state();
    RegisterXactCallback(drop_at_end, nullptr);
  }
  the_backend_state = new (pages) BackendState;
  the_backend_state->owner = MyProcPid;
}

static_assert(RandomPool::kFirstWords * sizeof(std::uint64_t) == kKernelBytes,
              "the first block of a transaction is the kernel's alone");

void report_clock(std::atomic<bool> *reported, UnixTicks ticks, const char *what) {
  // Read again: a process that had to wait after reading the clock has an old reading.
  const UnixTicks clock = read_ticks_or_zero();
  const UnixTicks lead = ticks > clock ? ticks - clock : 0;
  const bool is_behind = lead > kReportedLead;
  // Exchanged, so that of several sessions only one reports it.
  if (reported->exchange(is_behind) != is_behind && is_behind) {
    ereport(WARNING,
            errmsg("system clock is %.3f s behind the last UUID",
                   static_cast<double>(lead >> kMillisShift) / 1000),
            errdetail("%s continues from there, in order, until the clock has caught up.", what),
            errhint("Check the time synchronization of this machine."));
  }
}

void raise_entropy_error() {
  ereport(ERROR, errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values"),
          errdetail("The server's cryptographic random source failed; no UUID was generated."),
          errhint("Check the random source of OpenSSL and of the operating system."));
  pg_unreachable();
}

void raise_clock_error(unsigned version) {
  ereport(ERROR, errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
          errmsg("system clock is out of range for UUID version %u", version),
          errdetail("UUID version %u can represent times from %s.", version, times_of(version)),
          errhint("Set the server's clock."));
  pg_unreachable();
}

void raise_time_error(unsigned version) {
  ereport(ERROR, errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
          errmsg("timestamp out of range for UUID version %u", version),
          errdetail("UUID version %u can represent times from %s.", version, times_of(version)));
  pg_unreachable();
}

}  // namespace uuidx
