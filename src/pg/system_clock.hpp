// The system clock.
#pragma once

#include <cstdint>
#include <ctime>

#include "core/timestamp.hpp"

namespace uuidx {

// The system clock in UTC. clock_gettime, as std::chrono would pull in the C++ library.
inline ClockReading read_clock() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec, static_cast<std::uint32_t>(now.tv_nsec)};
}

}  // namespace uuidx
