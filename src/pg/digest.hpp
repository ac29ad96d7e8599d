// Digests of a namespace and a name, computed by libcrypto.
#pragma once

#include <cstddef>

#include "core/uuid.hpp"

namespace uuidx {

// A name in its canonical form, as bytes.
struct Name {
  const void *octets;
  std::size_t size;
};

// Return the leftmost 128 bits of the digest of namespace and name (RFC 9562 §5.3, §5.5). Raise an
// error if libcrypto does not offer the digest, as in FIPS mode.
Uuid md5_of_name(Uuid ns, Name name);
Uuid sha1_of_name(Uuid ns, Name name);
Uuid sha256_of_name(Uuid ns, Name name);

// Returns the same for a digest given by its libcrypto name, in any letter case (RFC 9562 B.2).
// Raises an error for a name that libcrypto does not know and for a digest of fewer than 128 bits.
Uuid digest_of_name(const char *algorithm, Uuid ns, Name name);

}  // namespace uuidx
