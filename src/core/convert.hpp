// From one version to another, and to other layouts of the same bits.
#pragma once

#include <cstdint>
#include <optional>

#include "siphash.hpp"
#include "status.hpp"
#include "uuid.hpp"

namespace uuidx {

// Version 1 as version 6, and back: the 60 bits of time in the other order, the rest as it is, so
// that nothing is lost. None for another version.
std::optional<Uuid> v1_to_v6(Uuid id) noexcept;
std::optional<Uuid> v6_to_v1(Uuid id) noexcept;

// Version 7 of the time of a version 6, with the part of the millisecond in rand_a (RFC 9562 §6.2
// method 3), of which the microsecond comes back exactly, and the low 62 bits of `digest`. A time
// before 1970: time_out_of_range. The version must be 6.
Status v6_to_v7(Uuid id, std::uint64_t digest, Uuid *v7) noexcept;

// Between network order and the order of a Microsoft GUID: the octets of each of the first three
// fields reversed. It undoes itself.
Uuid swap_guid(Uuid id) noexcept;

// A version 7 UUID shown as a version 4, by the published scheme UUIDv47: its time is hidden by a
// MAC of its random bits. The version must be 7.
Uuid v47_mask(Uuid v7, SipKey key) noexcept;

// The version 7 UUID that is shown as a version 4. Another key gives another time, and no error.
Uuid v47_unmask(Uuid v4, SipKey key) noexcept;

}  // namespace uuidx
