#include "backend.hpp"

#include "clock_report.hpp"
#include "v8.hpp"

namespace uuidx {

constinit BackendState the_backend_state;

namespace {

// The times that a version can hold, for an error's detail.
const char *range_of(unsigned version) noexcept {
  return version == kV7 || version == kV8 ? "1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC"
                                          : "1582-10-15 00:00:00 to 5236-03-31 21:21:00.684697 UTC";
}

}  // namespace

void adopt_backend_state() noexcept {
  BackendState *state = &the_backend_state;
  state->pool.drop();
  state->v7_last = 0;
  state->v6_last = 0;
  state->v8_last = 0;
  state->v1 = {};
  state->v7_made = 0;
  state->refills = 0;
  state->v7_watch = {};
  state->since = GetCurrentTimestamp();
  state->owner = MyProcPid;
}

bool refill_random(void *to, std::size_t size) {
  ++the_backend_state.refills;
  return pg_strong_random(to, size);
}

void look_at_v7_clock(BackendState *state) {
  report_clock(look_at_clock(&state->v7_watch, state->v7_last), "this session");
}

void raise_error(Status status, unsigned version) {
  switch (status) {
    case Status::entropy_failed:
      ereport(ERROR, errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values"),
              errdetail("The server's cryptographic random source failed; no UUID was made."),
              errhint("Check the random source of OpenSSL and of the operating system."));
      break;
    case Status::clock_out_of_range:
      ereport(ERROR, errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
              errmsg("system clock is out of range for UUID version %u", version),
              errdetail("UUID version %u holds times from %s.", version, range_of(version)),
              errhint("Set the server's clock."));
      break;
    case Status::time_out_of_range:
      ereport(ERROR, errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
              errmsg("timestamp out of range for UUID version %u", version),
              errdetail("UUID version %u holds times from %s.", version, range_of(version)));
      break;
    case Status::ok:
      break;
  }
  elog(ERROR, "unexpected status %d", static_cast<int>(status));
  pg_unreachable();
}

}  // namespace uuidx
