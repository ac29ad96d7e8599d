#include "pg/entropy.hpp"

#include <cstring>

#include <sys/random.h>
#include <unistd.h>

#include "pg/libcrypto.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Fills memory with at most 256 random bytes of the kernel: a request of that size is neither cut
// short nor interrupted.
bool kernel_random(void *to, std::size_t size) noexcept {
#ifdef __linux__
  // Not getentropy(), which newer C libraries may serve without a system call.
  return getrandom(to, size, 0) == static_cast<ssize_t>(size);
#else
  return getentropy(to, size) == 0;
#endif
}

// Turns zeros into the key stream of AES-256-CTR; returns false on failure.
bool encrypt(const unsigned char *key, unsigned char *zeros, int size) noexcept {
  constexpr unsigned char kCounter[16] = {};  // from 0, as no key is used twice
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0;
  const bool done = context != nullptr &&
                    EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key, kCounter) == 1 &&
                    EVP_EncryptUpdate(context, zeros, &written, zeros, size) == 1 &&
                    written == size;
  EVP_CIPHER_CTX_free(context);  // erases the key
  if (!done) {
    ERR_clear_error();  // others in this thread read libcrypto's queue
  }
  return done;
}

}  // namespace

bool fill_random(void *to, std::size_t size) noexcept {
  if (size <= kKernelBytes) {
    return kernel_random(to, size);
  }
  unsigned char key[32];
  unsigned char other[sizeof key];
  bool done = kernel_random(key, sizeof key) && pg_strong_random(other, sizeof other);
  if (done) {
    for (std::size_t at = 0; at < sizeof key; ++at) {
      key[at] ^= other[at];
    }
    std::memset(to, 0, size);
    done = encrypt(key, static_cast<unsigned char *>(to), static_cast<int>(size));
  }
  explicit_bzero(key, sizeof key);
  explicit_bzero(other, sizeof other);
  return done;
}

}  // namespace uuidx
