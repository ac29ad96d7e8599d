#include "convert.hpp"

#include <algorithm>

#include "gregorian.hpp"
#include "v4.hpp"
#include "v7.hpp"

namespace uuidx {

namespace {

constexpr std::uint64_t kGregorianTicksPerMilli = 10'000;  // Gregorian ticks

// Returns the rand_a of a Gregorian tick within its millisecond, 0 to 9,999: the fraction rounded
// down (§6.2 method 3), except that it is before the step of the next microsecond, as which it
// would be read. Both grow with the ticks, so order is kept.
constexpr std::uint64_t rand_a_from_ticks(std::uint64_t ticks) noexcept {
  const auto micros = static_cast<std::int64_t>(ticks / kGregorianTicksPerMicro);
  return std::min((ticks << 12) / kGregorianTicksPerMilli, rand_a_from_micros(micros + 1) - 1);
}

// Returns the MAC of the 74 random bits of a version 7 UUID, or of its version 4: UUIDv47 takes
// them as 10 octets, without version and variant.
std::uint64_t v47_mac(Uuid id, SipKey key) noexcept {
  unsigned char message[10];
  message[0] = static_cast<unsigned char>(id.hi >> 8 & 0x0F);
  message[1] = static_cast<unsigned char>(id.hi);
  store_be64(message + 2, id.lo & ~kVariantMask);
  return siphash_2_4(key, message, sizeof message);
}

// Returns the UUID with its time XORed with the MAC, and another version.
Uuid v47_turn(Uuid id, SipKey key, unsigned version) noexcept {
  return stamp({id.hi ^ v47_mac(id, key) << kMillisShift, id.lo}, version);
}

}  // namespace

std::optional<Uuid> v1_to_v6(Uuid id) noexcept {
  if (version_of(id) != kV1) {
    return std::nullopt;
  }
  return stamp({v6_time_fields(v1_ticks(id.hi)), id.lo}, kV6);
}

std::optional<Uuid> v6_to_v1(Uuid id) noexcept {
  if (version_of(id) != kV6) {
    return std::nullopt;
  }
  return stamp({v1_time_fields(v6_ticks(id.hi)), id.lo}, kV1);
}

std::optional<Uuid> v6_to_v7(Uuid id, std::uint64_t digest) noexcept {
  const GregorianTicks ticks = v6_ticks(id.hi);
  if (ticks < static_cast<GregorianTicks>(kGregorianTicksAtUnixEpoch)) {
    return std::nullopt;
  }
  const std::uint64_t since_epoch = ticks - static_cast<GregorianTicks>(kGregorianTicksAtUnixEpoch);
  const std::uint64_t rand_a = rand_a_from_ticks(since_epoch % kGregorianTicksPerMilli);
  return stamp({since_epoch / kGregorianTicksPerMilli << kMillisShift | rand_a, digest}, kV7);
}

Uuid swap_guid(Uuid id) noexcept {
  const std::uint64_t data1 = __builtin_bswap32(static_cast<std::uint32_t>(id.hi >> 32));
  const std::uint64_t data2 = __builtin_bswap16(static_cast<std::uint16_t>(id.hi >> 16));
  const std::uint64_t data3 = __builtin_bswap16(static_cast<std::uint16_t>(id.hi));
  return {data1 << 32 | data2 << 16 | data3, id.lo};
}

Uuid v47_mask(Uuid v7, SipKey key) noexcept {
  return v47_turn(v7, key, kV4);
}

Uuid v47_unmask(Uuid v4, SipKey key) noexcept {
  return v47_turn(v4, key, kV7);
}

}  // namespace uuidx
