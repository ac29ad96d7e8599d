// What a function of the core can return. The core never raises an error: its caller turns a status
// into one.
#pragma once

namespace uuidx {

enum class [[nodiscard]] Status{
    ok,
    clock_out_of_range,  // the clock reads a time that the version's timestamp cannot hold
    time_out_of_range,   // the caller asked for a time that the version's timestamp cannot hold
};

}  // namespace uuidx
