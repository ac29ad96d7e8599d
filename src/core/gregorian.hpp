// Versions 1 and 6: Gregorian 100 ns timestamp, clock sequence, node (RFC 9562 §5.1, §5.6). The
// node is random with the multicast bit set, never a MAC address (§6.10, §8).
#pragma once

#include <cstdint>

#include "status.hpp"
#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV1 = 1;
inline constexpr unsigned kV6 = 6;

inline constexpr int kNodeWidth = 48;
inline constexpr int kClockSeqWidth = 14;
// The least significant bit of the node's first octet: no network card has an address with it.
inline constexpr std::uint64_t kMulticastBit = std::uint64_t{1} << 40;

// The version 1 layout: time_low, time_mid, time_high, from the low end of the timestamp up.
constexpr std::uint64_t v1_time_fields(GregorianTicks ticks) noexcept {
  return ticks << 32 | (ticks >> 16 & 0xFFFF0000) | ticks >> 48;
}

// The version 6 layout: the same 60 bits, the most significant first.
constexpr std::uint64_t v6_time_fields(GregorianTicks ticks) noexcept {
  return (ticks << 4 & ~low_bits(16)) | (ticks & low_bits(12));
}

// The timestamp of a version 1 layout.
constexpr GregorianTicks v1_ticks(std::uint64_t hi) noexcept {
  return (hi & low_bits(12)) << 48 | (hi & 0xFFFF0000) << 16 | hi >> 32;
}

// The timestamp of a version 6 layout.
constexpr GregorianTicks v6_ticks(std::uint64_t hi) noexcept {
  return (hi >> 4 & ~low_bits(12)) | (hi & low_bits(12));
}

// Clock sequence and node as they lie in octets 8 to 15, 62 bits, taken from random bits.
constexpr std::uint64_t random_clock_seq_and_node(std::uint64_t random) noexcept {
  return (random & low_bits(62)) | kMulticastBit;
}

// The version 1 generator of one process. All zeros is a generator that was not seeded yet.
struct V1State {
  bool seeded = false;
  std::uint64_t clock_seq = 0;
  std::uint64_t node = 0;
  std::uint32_t set_backs = 0;    // of the clock, with this node
  GregorianTicks last_clock = 0;  // what the clock said
  GregorianTicks last_ticks = 0;  // what was issued: ahead of the clock after ties
};

// Gives the generator its node and clock sequence from unrelated random bits (§5.1: the initial
// clock sequence is random and not derived from the node).
void v1_seed(V1State *state, std::uint64_t random) noexcept;

// The next version 1 UUID of a seeded generator. A clock set back raises the clock sequence by 1; a
// second value within one tick takes the next tick. When every clock sequence has been used, the
// generator is left unseeded: with the same node the next one could repeat a value (§6.1).
Status v1_next(V1State *state, ClockReading now, Uuid *id) noexcept;

// The next version 6 UUID: strictly greater than the one that left `last`, clock sequence and node
// fresh from `random` (§5.6). A clock set back makes the timestamp count on.
Status v6_next(GregorianTicks *last, ClockReading now, std::uint64_t random, Uuid *id) noexcept;

// A version 1 or 6 UUID for a given time, with random clock sequence and node and no state. Out of
// range: time_out_of_range.
Status v1_at(UnixMicros time, std::uint64_t random, Uuid *id) noexcept;
Status v6_at(UnixMicros time, std::uint64_t random, Uuid *id) noexcept;

// The smallest version 6 UUID whose time, in whole microseconds, is not before `time`. Total: nil
// below the version's range, max above it.
Uuid v6_min(UnixMicros time) noexcept;

// The largest version 6 UUID whose time, in whole microseconds, is not after `time`. Total
// likewise.
Uuid v6_max(UnixMicros time) noexcept;

}  // namespace uuidx
