// SQL functions of the server's position, and what the generators have done so far.
#include "backend.hpp"
#include "cluster_clock.hpp"
#include "fields.hpp"
#include "settings.hpp"
#include "v7.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

Datum make_interval(std::int64_t microseconds) {
  auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
  interval->time = microseconds;
  return IntervalPGetDatum(interval);
}

// The position of a version 7 UUID of any maker that later values may start from: an error for
// another version, and where its time is too far ahead of the clock.
Position checked_position(Uuid id) {
  if (version_of(id) != kV7) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("cannot advance to a UUID that is not of version 7"));
  }
  const Position position = position_of(id);
  const ClockReading now = read_clock();
  const std::int64_t lead = static_cast<std::int64_t>(position >> kMillisShift) -
                            (now.seconds * 1'000 + now.nanoseconds / kNanosPerMilli);
  if (lead > max_clock_lead) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("cannot advance to a UUID that lies too far ahead of the clock"),
            errdetail("Its time is %lld ms ahead, and uuidx.max_clock_lead allows %d ms.",
                      static_cast<long long>(lead), max_clock_lead),
            errhint("Set the server's clock, or let a superuser raise uuidx.max_clock_lead."));
  }
  return position;
}

// The columns of uuid_generator_state().
enum Column {
  kScope,
  kLastTime,
  kClockLead,
  kGenerated,
  kClockSetBack,
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

// A row in which all but the scope is NULL.
Row row_of(const char *scope) {
  Row row;
  for (bool &null : row.nulls) {
    null = true;
  }
  row.set(kScope, CStringGetTextDatum(scope));
  return row;
}

// What both scopes have.
void set_common(Row *row, Position last, std::uint64_t made, const ClockWatch &watch,
                TimestampTz since) {
  Position clock = 0;
  if (last > 0) {
    row->set(kLastTime, make_time(micros_from_position(last)));
    if (position_from_clock(read_clock(), &clock)) {
      row->set(kClockLead, make_interval(micros_from_position(last) - micros_from_position(clock)));
    }
  }
  row->set(kGenerated, Int64GetDatum(static_cast<int64>(made)));
  row->set(kClockSetBack, Int64GetDatum(static_cast<int64>(watch.set_backs)));
  row->set(kMaxSetBack, make_interval(watch.max_set_back / 1'000));
  row->set(kSince, TimestampTzGetDatum(since));
}

Row backend_row() {
  const BackendState *state = backend_state();
  Row row = row_of("backend");
  set_common(&row, state->v7_last, state->v7_made, state->v7_watch, state->since);
  row.set(kPoolRefills, Int64GetDatum(static_cast<int64>(state->refills)));
  row.set(kPersistence, CStringGetTextDatum("session memory"));
  return row;
}

Row server_row() {
  ClusterClockReport report;
  Row row = row_of("server");
  if (!report_cluster_clock(&report)) {
    return row;
  }
  set_common(&row, report.last, report.made, report.watch, report.since);
  if (report.mark > 0) {
    row.set(kHighWaterMark, make_time(micros_from_position(report.mark)));
  }
  row.set(kPersistence, CStringGetTextDatum(report.logged ? "file and WAL" : "file"));
  return row;
}

}  // namespace

// uuid_v7_cluster()
UUIDX_FUNCTION(uuidx_v7_cluster) {
  std::uint64_t random = 0;
  Position position = 0;
  Status status = draw_random(backend_state(), &random);
  if (status == Status::ok) [[likely]] {
    status = take_cluster_position(&position);
  }
  if (status != Status::ok) [[unlikely]] {
    raise_error(status, kV7);
  }
  return make_uuid(v7_from_position(position, random));
}

// uuid_v7_advance(uuid)
UUIDX_FUNCTION(uuidx_v7_advance) {
  const Position position = checked_position(get_uuid(PG_GETARG_DATUM(0)));
  advance_cluster_clock(position);
  BackendState *state = backend_state();
  if (state->v7_last < position) {
    state->v7_last = position;
  }
  return PG_GETARG_DATUM(0);
}

// uuid_generator_state()
UUIDX_FUNCTION(uuidx_generator_state) {
  begin_rows(fcinfo);
  auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  for (Row row : {backend_row(), server_row()}) {
    tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
  }
  return Datum{0};
}

}  // namespace uuidx
