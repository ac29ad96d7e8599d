// SipHash-2-4 (Aumasson and Bernstein, 2012): a 64-bit MAC of a short message.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace uuidx {

// The 128-bit key, as two words read with the least significant octet first.
struct SipKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

// Reads 0 to 8 octets as a number, the least significant first.
constexpr std::uint64_t load_le(const unsigned char *octets, std::size_t count) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= std::uint64_t{octets[i]} << (8 * i);
  }
  return word;
}

// The four words of SipHash's internal state.
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

// Returns the MAC of `size` octets.
constexpr std::uint64_t siphash_2_4(SipKey key, const unsigned char *message,
                                    std::size_t size) noexcept {
  SipState state{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d,
                 key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  std::size_t left = size;
  for (; left >= 8; left -= 8, message += 8) {
    state.absorb(load_le(message, 8));
  }
  state.absorb(load_le(message, left) | static_cast<std::uint64_t>(size) << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) {
    state.round();
  }
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace uuidx
