// The headers of libcrypto, of which the first may be missing where PostgreSQL's are not.
#pragma once

#if !__has_include(<openssl/evp.h>)
#error "uuidx needs the headers of OpenSSL 3: on Debian libssl-dev, on Red Hat openssl-devel"
#endif
#include <openssl/evp.h>
#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "uuidx needs OpenSSL 3 or later"
#endif
#include <openssl/err.h>
