// SQL functions of the server clock, the statistics of the version 7 generators, and the version of
// the library.
#include "core/v7.hpp"
#include "pg/backend.hpp"
#include "pg/server/server_clock.hpp"
#include "pg/compat.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/tuplestore.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns an interval of some microseconds.
Datum make_interval(std::int64_t microseconds) {
  auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
  interval->time = microseconds;
  return IntervalPGetDatum(interval);
}

// Returns the tick of a version 7 UUID, which another generator may have made. Raises an error for
// another version, and if its time is too far ahead of the clock: such a value would push the
// server years ahead. One that the server has reached already, as its own keys have after the clock
// was set back, does not.
UnixTicks checked_unix_ticks(Uuid id) {
  if (!is_v7(id)) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("cannot advance to a UUID that is not of version 7"));
  }
  const UnixTicks ticks = unix_ticks_of(id);
  const ClockReading now = read_clock();
  const std::int64_t lead = static_cast<std::int64_t>(ticks >> kMillisShift) -
                            (now.seconds * 1'000 + now.nanoseconds / kNanosPerMilli);
  if (lead > max_clock_lead && ticks > last_server_ticks()) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("cannot advance to a UUID that is too far ahead of the clock"),
            errdetail("Its time is %lld ms ahead, and uuidx.max_clock_lead allows %d ms.",
                      static_cast<long long>(lead), max_clock_lead),
            errhint("Set the server's clock, or let a superuser raise uuidx.max_clock_lead."));
  }
  return ticks;
}

// The columns of uuid_generator_state().
enum Column {
  kScope,
  kLastTime,
  kClockLead,
  kGenerated,
  kClockSetBacks,
  kMaxSetBack,
  kPoolRefills,
  kHighWaterMark,
  kPersistence,
  kSince,
  kColumns
};

struct Row {
  Datum values[kColumns] = {};
  bool nulls[kColumns] = {};

  void set(Column column, Datum value) {
    values[column] = value;
    nulls[column] = false;
  }
};

// Returns a row in which every column except the scope is NULL.
Row row_of(const char *scope) {
  Row row;
  for (bool &null : row.nulls) {
    null = true;
  }
  row.set(kScope, CStringGetTextDatum(scope));
  return row;
}

// Sets the columns that both scopes have.
void set_common(Row *row, UnixTicks last, std::uint64_t generated, const ClockWatch &watch,
                TimestampTz since) {
  UnixTicks clock = 0;
  if (last > 0) {
    row->set(kLastTime, make_time(micros_from_unix_ticks(last)));
    if (unix_ticks_from_clock(read_clock(), &clock)) {
      row->set(kClockLead,
               make_interval(micros_from_unix_ticks(last) - micros_from_unix_ticks(clock)));
    }
  }
  row->set(kGenerated, Int64GetDatum(static_cast<int64>(generated)));
  row->set(kClockSetBacks, Int64GetDatum(static_cast<int64>(watch.set_backs)));
  row->set(kMaxSetBack, make_interval(watch.max_set_back / 1'000));
  row->set(kSince, TimestampTzGetDatum(since));
}

Row session_row() {
  const BackendState *state = backend_state();
  Row row = row_of("session");
  set_common(&row, state->v7_last, state->v7_generated, state->v7_watch, state->since);
  row.set(kPoolRefills, Int64GetDatum(static_cast<int64>(state->refills)));
  row.set(kPersistence, CStringGetTextDatum("session memory"));
  return row;
}

Row server_row() {
  Row row = row_of("server");
  ServerMemory *server = read_server_clock();
  if (server == nullptr) {
    return row;
  }
  LWLockAcquire(&server->watch_lock, LW_SHARED);
  const ClockWatch watch = server->watch;
  LWLockRelease(&server->watch_lock);
  // Read one by one, and so possibly from different moments. Any order would do: nothing but these
  // statistics are made of them. Before the first mark of this run, the clock stands at that of the
  // file.
  const UnixTicks last = server->last.load();
  const UnixTicks published = server->mark.load();
  const UnixTicks mark = published > 0 ? published : last;
  set_common(&row, last, server->generated.load(), watch, server->since);
  if (mark > 0) {
    row.set(kHighWaterMark, make_time(micros_from_unix_ticks(mark)));
  }
  row.set(kPersistence, CStringGetTextDatum(server->logged ? "file and WAL" : "file"));
  return row;
}

}  // namespace

// uuid_v7_server()
UUIDX_FUNCTION(uuidx_v7_server) {
  const std::uint64_t random = draw_random(backend_state());
  return make_uuid(v7_from_unix_ticks(take_server_ticks(), random));
}

// uuid_v7_advance(uuid)
UUIDX_FUNCTION(uuidx_v7_advance) {
  const UnixTicks ticks = checked_unix_ticks(get_uuid(PG_GETARG_DATUM(0)));
  advance_server_clock(ticks);
  BackendState *state = backend_state();
  if (state->v7_last < ticks) {
    state->v7_last = ticks;
  }
  return PG_GETARG_DATUM(0);
}

// uuid_generator_state()
UUIDX_FUNCTION(uuidx_generator_state) {
  begin_rows(fcinfo);
  auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  for (Row row : {session_row(), server_row()}) {
    tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
  }
  return Datum{0};
}

// uuidx_version()
UUIDX_FUNCTION(uuidx_version) {
  PG_RETURN_TEXT_P(cstring_to_text(UUIDX_VERSION));
}

}  // namespace uuidx
