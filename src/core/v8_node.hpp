// Version 8 with a node id (RFC 9562 §5.8, §6.4): the tick as in version 7, then the node that
// generated it, so that two nodes never generate the same value.
//   48 bits  Unix milliseconds                                  custom_a
//   12 bits  fraction of the millisecond                        custom_b
//    4 bits  sequence, 16 bits node, 42 bits random             custom_c
#pragma once

#include <cstdint>
#include <optional>

#include "v7.hpp"

namespace uuidx {

inline constexpr int kV8NodeWidth = 16;
inline constexpr int kV8NodeRandomWidth = kV7RandomWidth - kV8NodeWidth;
inline constexpr std::uint32_t kMaxNode = (1U << kV8NodeWidth) - 1;

// Returns the UUID of a node, 0 to kMaxNode, at a tick; its last 42 bits are the low bits of
// `random`.
constexpr Uuid v8_node_from_unix_ticks(UnixTicks ticks, std::uint32_t node,
                                       std::uint64_t random) noexcept {
  const std::uint64_t low =
      std::uint64_t{node} << kV8NodeRandomWidth | (random & low_bits(kV8NodeRandomWidth));
  return stamp(v7_from_unix_ticks(ticks, low), kV8);
}

// Returns the node of a UUID of this layout; none for another version. A version 8 UUID of another
// layout cannot be told apart, and yields a meaningless node.
constexpr std::optional<std::uint32_t> v8_node_of(Uuid id) noexcept {
  if (version_of(id) != kV8) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(id.lo >> kV8NodeRandomWidth & kMaxNode);
}

// Returns the microsecond of a UUID of this layout, rounded down; none for another version.
constexpr std::optional<UnixMicros> v8_node_time_of(Uuid id) noexcept {
  return version_of(id) == kV8 ? std::optional{micros_from_unix_ticks(unix_ticks_of(id))}
                               : std::nullopt;
}

}  // namespace uuidx
