// Version 4: 122 random bits (RFC 9562 §5.4).
#pragma once

#include <cstdint>

#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV4 = 4;

// A version 4 UUID of two words of random bits; 6 of the 128 give way to version and variant.
constexpr Uuid v4_from_random(std::uint64_t random_hi, std::uint64_t random_lo) noexcept {
  return stamp({random_hi, random_lo}, kV4);
}

}  // namespace uuidx
