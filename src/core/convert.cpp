#include "convert.hpp"

#include <algorithm>
#include <bit>

#include "gregorian.hpp"
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

// The four words of the internal state of SipHash-2-4 (Aumasson and Bernstein, 2012).
struct SipState {
  std::uint64_t v0, v1, v2, v3;

  constexpr void round() noexcept {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }

  constexpr void absorb(std::uint64_t word) noexcept {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

// Returns the MAC of the 74 random bits of a version 7 UUID, or of its version 4: UUIDv47 takes
// them as 10 octets, without version and variant. SipHash reads octets as words from the least
// significant one on; the last word ends with the length.
std::uint64_t v47_mac(Uuid id, SipKey key) noexcept {
  SipState state{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d,
                 key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  const std::uint64_t rand_b = id.lo & ~kVariantMask;
  state.absorb(__builtin_bswap64((id.hi & low_bits(12)) << 48 | rand_b >> 16));
  state.absorb(std::uint64_t{10} << 56 | __builtin_bswap16(static_cast<std::uint16_t>(rand_b)));
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) {
    state.round();
  }
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

// Returns the UUID with its time XORed with the MAC, and another version.
Uuid v47_turn(Uuid id, SipKey key, unsigned version) noexcept {
  return stamp({id.hi ^ v47_mac(id, key) << kMillisShift, id.lo}, version);
}

}  // namespace

std::optional<Uuid> v1_to_v6(Uuid id) noexcept {
  return version_of(id) == kV1 ? std::optional{v6_from_fields(v1_ticks(id.hi), id.lo)}
                               : std::nullopt;
}

std::optional<Uuid> v6_to_v1(Uuid id) noexcept {
  return version_of(id) == kV6 ? std::optional{v1_from_fields(v6_ticks(id.hi), id.lo)}
                               : std::nullopt;
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
