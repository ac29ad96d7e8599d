// Versions 3 and 5, and version 8 with a newer digest: a name within a namespace (RFC 9562 §5.3,
// §5.5, B.2). The caller computes the digest.
#pragma once

#include <optional>
#include <string_view>

#include "ascii.hpp"
#include "uuid.hpp"

namespace uuidx {

inline constexpr unsigned kV3 = 3;
inline constexpr unsigned kV5 = 5;

// The octets of a digest that a UUID can hold; a shorter digest is an error (B.2).
inline constexpr int kMinDigestOctets = kUuidOctets;

struct Namespace {
  std::string_view name;
  Uuid id;
};

// The namespace IDs of RFC 9562 §6.6, table 3.
inline constexpr std::uint64_t kNamespaceLo = 0x80b400c04fd430c8;
inline constexpr Namespace kNamespaces[] = {
    {"dns", {0x6ba7b8109dad11d1, kNamespaceLo}},
    {"url", {0x6ba7b8119dad11d1, kNamespaceLo}},
    {"oid", {0x6ba7b8129dad11d1, kNamespaceLo}},
    {"x500", {0x6ba7b8149dad11d1, kNamespaceLo}},
};

// Returns a namespace ID by its name, ignoring the case of ASCII letters; none if there is no such
// name.
constexpr std::optional<Uuid> namespace_by_name(std::string_view name) noexcept {
  for (const Namespace &known : kNamespaces) {
    if (equal_ignoring_case(name, known.name)) {
      return known.id;
    }
  }
  return std::nullopt;
}

}  // namespace uuidx
