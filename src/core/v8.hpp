// Version 8: the maker's own 122 bits (RFC 9562 §5.8), among them digests newer than SHA-1 (B.2).
#pragma once

#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV8 = 8;

// A version 8 UUID of 16 octets of the maker's; version and variant replace 6 of the bits.
constexpr Uuid v8_from_custom(Uuid custom) noexcept {
  return stamp(custom, kV8);
}

}  // namespace uuidx
