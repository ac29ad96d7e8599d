// Numbers in network byte order (RFC 9562 §4: the most significant octet first).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace uuidx {

// Returns the number with its octets in network order, whatever the machine's own order is. The
// inverse is the same function.
constexpr std::uint64_t to_big_endian(std::uint64_t value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    return __builtin_bswap64(value);
  }
  return value;
}

// Reads 8 octets as a number; `from` needs no alignment.
inline std::uint64_t load_be64(const unsigned char *from) noexcept {
  std::uint64_t raw = 0;
  std::memcpy(&raw, from, sizeof raw);
  return to_big_endian(raw);
}

// Writes a number as 8 octets; `to` needs no alignment.
inline void store_be64(unsigned char *to, std::uint64_t value) noexcept {
  const std::uint64_t raw = to_big_endian(value);
  std::memcpy(to, &raw, sizeof raw);
}

}  // namespace uuidx
