// Versions 3 and 5, and version 8 with a newer digest: a name within a namespace (RFC 9562 §5.3,
// §5.5, B.2). The digest is the caller's.
#pragma once

#include <optional>
#include <string_view>

#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV3 = 3;
inline constexpr unsigned kV5 = 5;

// The octets of a digest that a UUID can hold; a shorter digest is refused (B.2).
inline constexpr int kMinDigestOctets = kUuidOctets;

// The namespace IDs of RFC 9562 §6.6 by name: dns, url, oid, x500, in any case of ASCII letters.
std::optional<Uuid> namespace_by_name(std::string_view name) noexcept;

}  // namespace uuidx
