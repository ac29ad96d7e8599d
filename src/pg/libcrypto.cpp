#include "pg/libcrypto.hpp"

#include <cstring>

#include <sys/random.h>
#include <unistd.h>

#if !__has_include(<openssl/evp.h>)
#error "uuidx needs the headers of OpenSSL 3: on Debian libssl-dev, on Red Hat openssl-devel"
#endif
#include <openssl/evp.h>
#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "uuidx needs OpenSSL 3 or later"
#endif
#include <openssl/err.h>

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

// A digest that is fetched once in a backend and used again for every name: fetching it and making
// a context cost several times as much as digesting a short name.
struct Digest {
  EVP_MD *algorithm = nullptr;
  EVP_MD_CTX *context = nullptr;
  // For SHAKE and the like, which have no default output length in newer releases of OpenSSL.
  bool extendable = false;
};

constinit Digest md5;
constinit Digest sha1;
constinit Digest sha256;

// The digest that digest_of_name() used last; most queries name only one.
constinit Digest named;
constinit char named_as[64] = "";

// Frees what a digest holds.
void release(Digest *digest) noexcept {
  EVP_MD_CTX_free(digest->context);
  EVP_MD_free(digest->algorithm);
  *digest = {};
}

// Empties libcrypto's error queue, which other users of libcrypto in this thread read. Raises an
// error if memory was exhausted: that does not mean that the digest is unavailable.
void clear_errors(bool no_memory) {
  while (const auto error = ERR_get_error()) {
    no_memory = no_memory || ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
  }
  if (no_memory) {
    ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
            errdetail("OpenSSL could not allocate memory for a digest."));
  }
}

// Fetches a digest; returns false if libcrypto does not offer it.
bool fetch(Digest *digest, const char *name) {
  digest->algorithm = EVP_MD_fetch(nullptr, name, nullptr);
  digest->context = EVP_MD_CTX_new();
  if (digest->algorithm != nullptr && digest->context != nullptr) {
    digest->extendable = (EVP_MD_get_flags(digest->algorithm) & EVP_MD_FLAG_XOF) != 0;
    return true;
  }
  const bool no_context = digest->context == nullptr;
  release(digest);
  clear_errors(no_context);
  return false;
}

// Computes the digest of namespace and name; its leftmost 128 bits go to `out`. Returns false on
// failure.
bool digest_name(const Digest &digest, Uuid ns, std::string_view name, Uuid *out) {
  unsigned char prefix[kUuidOctets];
  unsigned char result[EVP_MAX_MD_SIZE];
  to_octets(ns, prefix);
  const bool begun = EVP_DigestInit_ex2(digest.context, digest.algorithm, nullptr) == 1;
  const bool done = begun && EVP_DigestUpdate(digest.context, prefix, sizeof prefix) == 1 &&
                    EVP_DigestUpdate(digest.context, name.data(), name.size()) == 1 &&
                    (digest.extendable ? EVP_DigestFinalXOF(digest.context, result, kUuidOctets)
                                       : EVP_DigestFinal_ex(digest.context, result, nullptr)) == 1;
  if (done) {
    *out = from_octets(result);
  } else {
    clear_errors(!begun);  // initialization allocates memory, and can fail only for that
  }
  return done;
}

// Returns the digest of namespace and name, fetching the algorithm on first use, or raises an error
// if it is not available.
Uuid digest_or_raise(Digest *digest, const char *algorithm, Uuid ns, std::string_view name) {
  Uuid out;
  if ((digest->algorithm == nullptr && !fetch(digest, algorithm)) ||
      !digest_name(*digest, ns, name, &out)) [[unlikely]] {
    ereport(
        ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
        errmsg("digest \"%s\" is not available", algorithm),
        errdetail("OpenSSL does not offer it, for example because it runs in FIPS mode."),
        // If SHA-256 is missing as well, no other name would help.
        digest == &sha256
            ? 0
            : errhint("Use uuid_v8_hash() with a digest that OpenSSL offers, such as \"sha256\"."));
  }
  return out;
}

// Makes `named` the digest with this name, or raises an error.
void fetch_named(const char *algorithm) {
  release(&named);
  named_as[0] = '\0';
  if (std::strlen(algorithm) >= sizeof named_as || !fetch(&named, algorithm)) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("unrecognized digest algorithm: \"%s\"", algorithm),
            errhint("Use \"sha224\", \"sha256\", \"sha384\", \"sha512\", or another digest of at "
                    "least 128 bits that OpenSSL offers."));
  }
  const int size = EVP_MD_get_size(named.algorithm);
  if (!named.extendable && size < kUuidOctets) {
    release(&named);
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("digest algorithm \"%s\" is too short for a UUID", algorithm),
            errdetail("It gives %d bits; at least 128 are needed.", size * BITS_PER_BYTE));
  }
  strlcpy(named_as, algorithm, sizeof named_as);
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

Uuid md5_of_name(Uuid ns, std::string_view name) {
  return digest_or_raise(&md5, "MD5", ns, name);
}

Uuid sha1_of_name(Uuid ns, std::string_view name) {
  return digest_or_raise(&sha1, "SHA1", ns, name);
}

Uuid sha256_of_name(Uuid ns, std::string_view name) {
  return digest_or_raise(&sha256, "SHA256", ns, name);
}

Uuid digest_of_name(const char *algorithm, Uuid ns, std::string_view name) {
  if (named.algorithm == nullptr || std::strcmp(named_as, algorithm) != 0) {
    fetch_named(algorithm);
  }
  return digest_or_raise(&named, algorithm, ns, name);
}

}  // namespace uuidx
