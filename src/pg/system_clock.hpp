// The system clock.
#pragma once

#include <cstdint>
#include <ctime>

#include "core/timestamp.hpp"

namespace uuidx {

// Reads the system clock, in UTC. By clock_gettime(), as std::chrono would need the C++ library.
inline ClockReading read_clock() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec, static_cast<std::uint32_t>(now.tv_nsec)};
}

}  // namespace uuidx
