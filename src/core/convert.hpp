// Conversion from one version to another, and to other layouts of the same bits.
#pragma once

#include <cstdint>
#include <optional>

#include "uuid.hpp"

namespace uuidx {

// Convert version 1 to version 6, and back, by reordering the 60 bits of the timestamp; the rest
// stays, so nothing is lost. Return none for another version.
std::optional<Uuid> v1_to_v6(Uuid id) noexcept;
std::optional<Uuid> v6_to_v1(Uuid id) noexcept;

// Returns a version 7 UUID with the time of a version 6 UUID and the low 62 bits of `digest`; none
// if the time is before 1970. rand_a holds the fraction of the millisecond (RFC 9562 §6.2 method
// 3), from which the microsecond can be read back exactly. The version must be 6.
std::optional<Uuid> v6_to_v7(Uuid id, std::uint64_t digest) noexcept;

// Converts between network order and the order of a Microsoft GUID by reversing the octets of each
// of the first three fields. Applying it twice returns the argument.
Uuid swap_guid(Uuid id) noexcept;

// The 128-bit key of SipHash, as two words read from 16 octets with the least significant one
// first.
struct SipKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

// Returns a version 7 UUID as a version 4 UUID, by the published scheme UUIDv47: the SipHash
// of the random bits masks the timestamp. The version must be 7.
Uuid v47_mask(Uuid v7, SipKey key) noexcept;

// Returns the version 7 UUID that v47_mask turned into `v4`. A wrong key is no error: it gives
// another time.
Uuid v47_unmask(Uuid v4, SipKey key) noexcept;

}  // namespace uuidx
