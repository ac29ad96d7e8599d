// What a step of the core can answer. The core never raises: its caller turns a status into an
// error.
#pragma once

namespace uuidx {

enum class [[nodiscard]] Status{
    ok,
    entropy_failed,      // the entropy source gave nothing; no value was made
    clock_out_of_range,  // the clock reads a time that the version's timestamp cannot hold
    time_out_of_range,   // the caller asked for a time that the version's timestamp cannot hold
};

}  // namespace uuidx
