// The 128-bit value: octets, order, version and variant, nil and max.
#pragma once

// Text formats calculate with 128 bits, which compilers offer on 64-bit machines only. On many
// others the clock ends in 2038, too.
#ifndef __SIZEOF_INT128__
#error "uuidx needs a 64-bit machine (a compiler with __int128)"
#endif

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>

namespace uuidx {

// A UUID as two numbers in network order, so that they compare as the octets do.
struct Uuid {
  std::uint64_t hi = 0;  // octets 0 to 7
  std::uint64_t lo = 0;  // octets 8 to 15

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a null pointer.
  friend constexpr auto operator<=>(const Uuid &, const Uuid &) noexcept = default;
};

inline constexpr int kUuidOctets = 16;

inline constexpr Uuid kNil{0, 0};                                  // RFC 9562 §5.9
inline constexpr Uuid kMax{~std::uint64_t{0}, ~std::uint64_t{0}};  // RFC 9562 §5.10

// The places of the two fixed fields: `ver` in bits 48 to 51, `var` in bits 64 and 65 (§4.1, §4.2).
inline constexpr int kVersionShift = 12;
inline constexpr int kVariantShift = 62;
inline constexpr std::uint64_t kVersionMask = std::uint64_t{0xF} << kVersionShift;
inline constexpr std::uint64_t kVariantMask = std::uint64_t{0b11} << kVariantShift;
inline constexpr std::uint64_t kRfcVariant = std::uint64_t{0b10} << kVariantShift;

// Returns a number whose `width` lowest bits are set; 0 <= width < 64.
constexpr std::uint64_t low_bits(int width) noexcept {
  return (std::uint64_t{1} << width) - 1;
}

// The versions that uuidx makes: Gregorian time, a name and MD5, random bits, a name and SHA-1,
// reordered Gregorian time, Unix time, custom data (RFC 9562 §5).
inline constexpr unsigned kV1 = 1;
inline constexpr unsigned kV3 = 3;
inline constexpr unsigned kV4 = 4;
inline constexpr unsigned kV5 = 5;
inline constexpr unsigned kV6 = 6;
inline constexpr unsigned kV7 = 7;
inline constexpr unsigned kV8 = 8;

// Returns the UUID with its version, 0 to 15, and the RFC variant set; the other 122 bits stay
// (RFC 9562 §4.1, §4.2).
constexpr Uuid stamp(Uuid id, unsigned version) noexcept {
  const std::uint64_t ver = std::uint64_t{version} << kVersionShift;
  return {(id.hi & ~kVersionMask) | ver, (id.lo & ~kVariantMask) | kRfcVariant};
}

// The variants of RFC 9562 §4.1, table 1.
enum class Variant { ncs, rfc9562, microsoft, future };

// Returns the variant, which is in the one to three most significant bits of octet 8.
constexpr Variant variant_of(Uuid id) noexcept {
  if (id.lo >> 63 == 0) {
    return Variant::ncs;
  }
  if (id.lo >> 62 == 0b10) {
    return Variant::rfc9562;
  }
  return id.lo >> 61 == 0b110 ? Variant::microsoft : Variant::future;
}

// Returns the version, 0 to 15; none outside the RFC variant, as the bits mean something else there
// (§4.2).
constexpr std::optional<unsigned> version_of(Uuid id) noexcept {
  if (variant_of(id) != Variant::rfc9562) {
    return std::nullopt;
  }
  return static_cast<unsigned>(id.hi >> kVersionShift & 0xF);
}

// Returns the next UUID in order; none after max.
constexpr std::optional<Uuid> successor(Uuid id) noexcept {
  if (id == kMax) {
    return std::nullopt;
  }
  const std::uint64_t lo = id.lo + 1;
  return Uuid{id.hi + (lo == 0 ? 1 : 0), lo};
}

// Returns the previous UUID in order; none before nil.
constexpr std::optional<Uuid> predecessor(Uuid id) noexcept {
  if (id == kNil) {
    return std::nullopt;
  }
  return Uuid{id.hi - (id.lo == 0 ? 1 : 0), id.lo - 1};
}

// A UUID range: all UUIDs between its bounds `lowest` and `highest`, both included; empty if
// `lowest` is above `highest`.
struct UuidRange {
  Uuid lowest = kNil;
  Uuid highest = kMax;

  [[nodiscard]] constexpr bool empty() const noexcept { return lowest > highest; }
  [[nodiscard]] constexpr bool contains(Uuid id) const noexcept {
    return lowest <= id && id <= highest;
  }
};

inline constexpr UuidRange kEmptyRange{kMax, kNil};

// Returns the UUIDs that two ranges share.
constexpr UuidRange intersection(UuidRange a, UuidRange b) noexcept {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

// Returns a number with its octets in network order (§4: the most significant first), whatever the
// machine's own order is. The inverse is the same function.
constexpr std::uint64_t to_big_endian(std::uint64_t value) noexcept {
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

// Reads 16 octets in network order; they need no alignment.
inline Uuid from_octets(const unsigned char *octets) noexcept {
  std::uint64_t raw[2] = {};
  std::memcpy(raw, octets, sizeof raw);
  return {to_big_endian(raw[0]), to_big_endian(raw[1])};
}

// Writes 16 octets in network order; they need no alignment.
inline void to_octets(Uuid id, unsigned char *octets) noexcept {
  const std::uint64_t raw[2] = {to_big_endian(id.hi), to_big_endian(id.lo)};
  std::memcpy(octets, raw, sizeof raw);
}

}  // namespace uuidx
