// Version 8: 122 bits of custom data (RFC 9562 §5.8), such as a digest newer than SHA-1 (B.2).
#pragma once

#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV8 = 8;

// Returns a version 8 UUID of 16 octets of custom data; version and variant replace 6 of the bits.
constexpr Uuid v8_from_custom(Uuid custom) noexcept {
  return stamp(custom, kV8);
}

}  // namespace uuidx
