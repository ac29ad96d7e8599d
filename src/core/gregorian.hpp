// Versions 1 and 6: Gregorian 100 ns timestamp, clock sequence, node (RFC 9562 §5.1, §5.6). The
// node is random with the multicast bit set, never a MAC address (§6.10, §8).
#pragma once

#include <cstdint>
#include <optional>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

inline constexpr int kNodeWidth = 48;
inline constexpr int kClockSeqWidth = 14;
// The least significant bit of the node's first octet: no network card's address has it set.
inline constexpr std::uint64_t kMulticastBit = std::uint64_t{1} << 40;

// True for versions 1 and 6.
constexpr bool is_gregorian(Uuid id) noexcept {
  return version_of(id) == kV1 || version_of(id) == kV6;
}

// Returns the version 1 UUID of a timestamp of 60 bits and octets 8 to 15, in which the variant is
// replaced: time_low, time_mid, time_high, the least significant part of the timestamp first.
constexpr Uuid v1_from_fields(GregorianTicks ticks, std::uint64_t clock_seq_and_node) noexcept {
  return stamp({ticks << 32 | (ticks >> 16 & 0xFFFF0000) | ticks >> 48, clock_seq_and_node}, kV1);
}

// Returns the version 6 UUID of the same: the most significant part of the timestamp comes first.
constexpr Uuid v6_from_fields(GregorianTicks ticks, std::uint64_t clock_seq_and_node) noexcept {
  return stamp({(ticks << 4 & ~low_bits(16)) | (ticks & low_bits(12)), clock_seq_and_node}, kV6);
}

// Returns the timestamp of octets 0 to 7 of version 1.
constexpr GregorianTicks v1_ticks(std::uint64_t hi) noexcept {
  return (hi & low_bits(12)) << 48 | (hi & 0xFFFF0000) << 16 | hi >> 32;
}

// Returns the timestamp of octets 0 to 7 of version 6.
constexpr GregorianTicks v6_ticks(std::uint64_t hi) noexcept {
  return (hi >> 4 & ~low_bits(12)) | (hi & low_bits(12));
}

// Returns a random clock sequence and node as they lie in octets 8 to 15, 62 bits, with the
// multicast bit set.
constexpr std::uint64_t random_clock_seq_and_node(std::uint64_t random) noexcept {
  return (random & low_bits(62)) | kMulticastBit;
}

// The version 1 generator of one process. All zeros is a generator that has not been seeded yet.
struct V1State {
  bool seeded = false;
  std::uint64_t clock_seq = 0;
  std::uint64_t node = 0;
  std::uint32_t set_backs = 0;    // times that the clock was set back with this node
  GregorianTicks last_clock = 0;  // the last reading of the clock
  GregorianTicks last_ticks = 0;  // the last timestamp issued: ahead of the clock after ties
};

// Sets node and clock sequence from different bits of `random` (§5.1: the initial clock sequence is
// random and not derived from the node), and forgets the last timestamp.
void v1_seed(V1State *state, std::uint64_t random) noexcept;

// Returns the next version 1 UUID; the generator must be seeded. If the clock was set back, the
// clock sequence rises by 1; a second value within one Gregorian tick takes the next one. Once
// every clock sequence has been used, the generator is left unseeded: with the same node, the next
// clock sequence could repeat a value (§6.1). Returns none, and changes nothing, if the clock or
// the next timestamp is out of range.
std::optional<Uuid> v1_next(V1State *state, ClockReading now) noexcept;

// Returns the next version 6 UUID, strictly greater than the one whose timestamp is `*last`, with a
// new clock sequence and node from `random` (§5.6), and advances `*last`. If the clock was set
// back, the timestamp counts up from `*last`. Returns none, and changes nothing, if the clock or
// the next timestamp is out of range.
std::optional<Uuid> v6_next(GregorianTicks *last, ClockReading now, std::uint64_t random) noexcept;

// Return a version 1 or 6 UUID for a given time, with a random clock sequence and node; none if the
// timestamp cannot hold the time.
std::optional<Uuid> v1_at(UnixMicros time, std::uint64_t random) noexcept;
std::optional<Uuid> v6_at(UnixMicros time, std::uint64_t random) noexcept;

// Returns the smallest version 6 UUID whose time, in whole microseconds, is at or after `time`.
// Defined for every time: nil below the version's range, max above it, so that for every version 6
// UUID `id >= v6_min(t)` is the same as `time_of(id) >= t`.
Uuid v6_min(UnixMicros time) noexcept;

// Returns the largest version 6 UUID whose time, in whole microseconds, is at or before `time`.
// Defined for every time in the same way, so that `id <= v6_max(t)` is the same as
// `time_of(id) <= t`.
Uuid v6_max(UnixMicros time) noexcept;

}  // namespace uuidx
