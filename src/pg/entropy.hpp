// The source of random bytes.
#pragma once

#include <cstddef>

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

}  // namespace uuidx
