// Random bytes, and digests of a namespace and a name, with the help of libcrypto.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/uuid.hpp"

namespace uuidx {

// The most bytes that come from the kernel alone; for more, it would have to compute another block.
inline constexpr std::size_t kKernelBytes = 32;

// Fills memory with random bytes that always depend on fresh ones of the kernel: OpenSSL's
// generator, which the server uses, continues with the same bytes in each copy of a virtual
// machine, while the kernel's is seeded anew. Up to kKernelBytes come from the kernel alone. More
// are expanded by AES-256-CTR from a key that is the exclusive or of bytes from the kernel and
// pg_strong_random() and lives no longer than this call. Returns false if one of the three fails;
// the memory must not be used then.
bool fill_random(void *to, std::size_t size) noexcept;

// Return the leftmost 128 bits of the digest of namespace and name, both as bytes (RFC 9562 §5.3,
// §5.5). Raise an error if libcrypto does not offer the digest, as in FIPS mode.
Uuid md5_of_name(Uuid ns, std::string_view name);
Uuid sha1_of_name(Uuid ns, std::string_view name);
Uuid sha256_of_name(Uuid ns, std::string_view name);

// Returns the same for a digest given by its libcrypto name, in any letter case (RFC 9562 B.2).
// Raises an error for a name that libcrypto does not know and for a digest of fewer than 128 bits.
Uuid digest_of_name(const char *algorithm, Uuid ns, std::string_view name);

}  // namespace uuidx
