#include "server_position.hpp"

#include "backend.hpp"
#include "clock_report.hpp"
#include "mark_file.hpp"
#include "settings.hpp"
#include "shared_position.hpp"
#include "wal.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// How far a new mark is ahead, and how near it may come before it is raised.
constexpr Position kMarkStep = Position{2'000} << kMillisShift;
constexpr Position kMarkReserve = kMarkStep / 2;

// How many values a session makes before it adds them to the server's count.
constexpr std::uint32_t kCountBlock = 256;

// In shared memory.
struct ServerState {
  SharedPosition last;
  SharedPosition mark;  // durable; no value above it has left
  std::atomic<std::uint64_t> made;
  std::atomic<bool> loaded;  // the file has been read
  std::atomic<bool> behind;  // the clock was found behind the values
  bool logged;               // the record is registered
  TimestampTz since;
  LWLock lock;  // of who raises the mark, reads the file or looks at the clock
  ClockWatch watch;
};

// In this process.
constinit ServerState *the_server = nullptr;
constinit std::uint32_t uncounted = 0;

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

constexpr char kName[] = "uuidx";

// From PostgreSQL 19 on a lock is named when it is made, before by each process.
void initialize_lock(LWLock *lock) {
#if PG_VERSION_NUM >= 190000
  LWLockInitialize(lock, LWLockNewTrancheId(kName));
#else
  LWLockInitialize(lock, LWLockNewTrancheId());
#endif
}

void name_lock([[maybe_unused]] const LWLock &lock) {
#if PG_VERSION_NUM < 190000
  LWLockRegisterTranche(lock.tranche, kName);
#endif
}

void initialize(ServerState *server, bool logged) {
  server->last.store(0);
  server->mark.store(0);
  server->made.store(0);
  server->loaded.store(false);
  server->behind.store(false);
  server->logged = logged;
  server->since = GetCurrentTimestamp();
  server->watch = {};
  initialize_lock(&server->lock);
}

// uuidx.max_clock_lead as a distance of positions.
Position lead() {
  return static_cast<Position>(max_clock_lead) << kMillisShift;
}

// Starts from the mark in the file. Nobody else may be here.
void load(ServerState *server) {
  Position clock = 0;
  Position mark = 0;
  const bool clock_is_good = position_from_clock(read_clock(), &clock);
  switch (read_mark_file(&mark)) {
    case MarkFile::read:
      raise_position(&server->mark, mark);
      raise_position(&server->last, mark);
      if (clock_is_good && mark > clock && mark - clock > lead()) {
        ereport(WARNING,
                errmsg("system clock is %.3f s behind the high-water mark of uuidx",
                       static_cast<double>((mark - clock) >> kMillisShift) / 1000),
                errdetail("Values of uuid_v7_cluster() count on from the mark, in order, until the "
                          "clock has caught up."),
                errhint("Check the time synchronization of this machine."));
      }
      break;
    case MarkFile::missing:
      break;
    case MarkFile::rejected:
      // Above everything that was made while the clock was right, by uuid_v7_advance(), too.
      raise_position(&server->last, clock + kMarkStep + lead());
      break;
  }
  server->loaded.store(true);
}

// Adds what this session has made to the server's count.
void count_made() {
  the_server->made.fetch_add(uncounted, std::memory_order_relaxed);
  uncounted = 0;
}

void count_at_exit([[maybe_unused]] int code, [[maybe_unused]] Datum argument) {
  if (the_server != nullptr) {
    count_made();
  }
}

// When the postmaster ends, nobody makes values any more, so the mark can be the last of them: a
// server that is often restarted does not run ahead of the clock.
void save_at_shutdown([[maybe_unused]] int code, [[maybe_unused]] Datum argument) {
  const Position last = the_server->last.load();
  if (code == 0 && last < the_server->mark.load()) {
    write_mark_file(last, LOG);
  }
}

void request_shared_memory() {
  if (previous_request_hook != nullptr) {
    previous_request_hook();
  }
  RequestAddinShmemSpace(MAXALIGN(sizeof(ServerState)));
}

void start_shared_memory() {
  if (previous_startup_hook != nullptr) {
    previous_startup_hook();
  }
  bool found = false;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto *server = static_cast<ServerState *>(ShmemInitStruct(kName, sizeof(ServerState), &found));
  if (!found) {
    initialize(server, true);
    load(server);
  }
  LWLockRelease(AddinShmemInitLock);
  name_lock(server->lock);
  the_server = server;
  if (!IsUnderPostmaster) {
    on_shmem_exit(save_at_shutdown, 0);
  }
}

#if PG_VERSION_NUM >= 190000
void initialize_segment(void *segment, [[maybe_unused]] void *argument) {
  initialize(static_cast<ServerState *>(segment), false);
}
#elif PG_VERSION_NUM >= 170000
void initialize_segment(void *segment) {
  initialize(static_cast<ServerState *>(segment), false);
}
#endif

// Finds the shared memory without preloading; null before PostgreSQL 17, which has none by name.
ServerState *attach() {
#if PG_VERSION_NUM >= 170000
  bool found = false;
#if PG_VERSION_NUM >= 190000
  void *segment =
      GetNamedDSMSegment(kName, sizeof(ServerState), initialize_segment, &found, nullptr);
#else
  void *segment = GetNamedDSMSegment(kName, sizeof(ServerState), initialize_segment, &found);
#endif
  auto *server = static_cast<ServerState *>(segment);
  name_lock(server->lock);
  return server;
#else
  return nullptr;
#endif
}

// The shared state of this server, or null. What this process needs of it is prepared.
ServerState *find_server() {
  static constinit bool prepared = false;
  if (prepared) [[likely]] {
    return the_server;
  }
  if (the_server == nullptr) {
    the_server = attach();
  }
  if (the_server == nullptr) {
    return nullptr;
  }
  if (!the_server->loaded.load()) {
    LWLockAcquire(&the_server->lock, LW_EXCLUSIVE);
    if (!the_server->loaded.load()) {
      load(the_server);
    }
    LWLockRelease(&the_server->lock);
  }
  before_shmem_exit(count_at_exit, 0);
  prepared = true;
  return the_server;
}

// The shared state, or an error that says how to have one.
ServerState *need_server(const char *function) {
  PreventCommandDuringRecovery(function);
  ServerState *server = find_server();
  if (server == nullptr) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("%s requires uuidx to be loaded via \"shared_preload_libraries\"", function),
            errdetail("Before PostgreSQL 17, memory that all sessions share must be asked for when "
                      "the server starts."),
            errhint("Add uuidx to \"shared_preload_libraries\" and restart the server."));
  }
  return server;
}

bool is_below_reserve(Position position, Position mark) noexcept {
  return position > mark || mark - position < kMarkReserve;
}

// Looks at the clock, with the lock held.
ClockReport look_at_server_clock(ServerState *server, Position position) {
  const ClockReport report = look_at_clock(&server->watch, position);
  server->behind.store(server->watch.behind, std::memory_order_relaxed);
  return report;
}

// Raises the mark before a value at a position leaves, or when half of its lead is used up.
void ensure_mark(ServerState *server, Position position) {
  if (position > server->mark.load(std::memory_order_acquire)) {
    LWLockAcquire(&server->lock, LW_EXCLUSIVE);
  } else if (!LWLockConditionalAcquire(&server->lock, LW_EXCLUSIVE)) {
    return;  // somebody is about it, and there is time
  }
  ClockReport report;
  if (is_below_reserve(position, server->mark.load(std::memory_order_acquire))) {
    const Position mark = position < kMaxPosition - kMarkStep ? position + kMarkStep : kMaxPosition;
    write_mark_file(mark, ERROR);
    if (server->logged) {
      log_mark(mark);
    }
    server->mark.store(mark, std::memory_order_release);
    report = look_at_server_clock(server, position);
  }
  LWLockRelease(&server->lock);
  report_clock(report, "this server");
}

// Looks at a clock that does not fit the position, unless somebody does.
void look(ServerState *server, Position position) {
  if (LWLockConditionalAcquire(&server->lock, LW_EXCLUSIVE)) {
    const ClockReport report = look_at_server_clock(server, position);
    LWLockRelease(&server->lock);
    report_clock(report, "this server");
  }
}

}  // namespace

void prepare_server_position() {
  previous_request_hook = shmem_request_hook;
  shmem_request_hook = request_shared_memory;
  previous_startup_hook = shmem_startup_hook;
  shmem_startup_hook = start_shared_memory;
  register_wal_record();
}

Status take_server_position(Position *position) {
  ServerState *server = need_server("uuid_v7_cluster()");
  const ClockReading now = read_clock();
  Position clock = 0;
  Position last = 0;
  if (!position_from_clock(now, &clock) || !take_position(&server->last, clock, &last, position))
      [[unlikely]] {
    return Status::clock_out_of_range;
  }
  if (clock_is_suspect(last, clock) || server->behind.load(std::memory_order_relaxed))
      [[unlikely]] {
    look(server, *position);
  }
  if (is_below_reserve(*position, server->mark.load(std::memory_order_acquire))) [[unlikely]] {
    ensure_mark(server, *position);
  }
  if (++uncounted == kCountBlock) [[unlikely]] {
    count_made();
  }
  return Status::ok;
}

void advance_server_position(Position to) {
  ServerState *server = need_server("uuid_v7_advance()");
  raise_position(&server->last, to);
  if (to > server->mark.load(std::memory_order_acquire)) {
    ensure_mark(server, to);
  }
}

void redo_mark(Position mark) {
  // In recovery nobody else raises it.
  if (mark > the_server->mark.load()) {
    write_mark_file(mark, ERROR);
    the_server->mark.store(mark);
  }
  raise_position(&the_server->last, mark);
}

bool report_server_position(ServerPositionReport *report) {
  ServerState *server = find_server();
  if (server == nullptr) {
    return false;
  }
  LWLockAcquire(&server->lock, LW_SHARED);
  report->last = server->last.load();
  report->mark = server->mark.load();
  report->made = server->made.load() + uncounted;
  report->watch = server->watch;
  report->since = server->since;
  report->logged = server->logged;
  LWLockRelease(&server->lock);
  return true;
}

}  // namespace uuidx
