// Where random bytes come from.
#pragma once

#include <cstddef>

// Hidden declarations are reached directly; others through the library's global offset table.
#pragma GCC visibility push(hidden)

namespace uuidx {

// The most bytes that the kernel alone gives; more of them cost it another block.
inline constexpr std::size_t kKernelBytes = 32;

// Fills memory with random bytes, in which fresh ones of the kernel always take part: OpenSSL's
// generator, which the server uses, goes on in each copy of a virtual machine with the same bytes,
// while the kernel's is seeded anew. A few bytes are the kernel's own. More are expanded by
// AES-256-CTR, from a key that is the exclusive or of the kernel's and pg_strong_random's bytes and
// lives no longer than this call. False where one of the three fails, whatever was written.
bool fill_random(void *to, std::size_t size) noexcept;

}  // namespace uuidx

#pragma GCC visibility pop
