// Version 4: 122 random bits (RFC 9562 §5.4).
#pragma once

#include <cstdint>

#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV4 = 4;

// Returns a version 4 UUID of two random words; version and variant replace 6 of the 128 bits.
constexpr Uuid v4_from_random(std::uint64_t random_hi, std::uint64_t random_lo) noexcept {
  return stamp({random_hi, random_lo}, kV4);
}

}  // namespace uuidx
