#!/usr/bin/env bash
# Builds uuidx for musl, the C library of Alpine Linux: test/servers/musl.sh
# Debian has musl, but no C++ library, OpenSSL or PostgreSQL for it. uuidx needs only headers of the first, for which
# gcc's own serve, so the core is run. The library is compiled with musl's headers and linked, and all functions that it
# needs must be in musl, libcrypto or the server; it is not loaded. PG_CONFIG selects the PostgreSQL. The last line has
# the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# Compiles all sources of the library.
compile() {
  make_there -j"$(nproc)" CXX="${compiler[*]}" WERROR=-Werror "${objects[@]}"
}

# Links them by musl's compiler, which needs to know no C++.
link_library() {
  as_server_user musl-gcc -shared -nostartfiles -o uuidx.so "${objects[@]}"
}

# Prints the functions and variables that the library needs and that are nowhere.
missing_symbols() {
  comm -23 <(nm -D --undefined-only "$scratch/src/uuidx.so" | awk '{ print $NF }' | sort) \
    <({
      nm -D --defined-only "$bindir/postgres" "$(g++ -print-file-name=libcrypto.so)"
      nm --defined-only "/usr/lib/$(uname -m)-linux-musl/libc.a" 2>/dev/null
    } | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
}

# Links the core with a program that uses it, and runs it.
core_works() {
  as_server_user "${compiler[@]}" -std=c++20 -O2 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -Isrc \
    -c -o musl.o test/servers/musl.cpp &&
    as_server_user musl-gcc -static -o musl musl.o src/core/*.o &&
    [[ $(as_server_user ./musl) == ok ]]
}

need_postgresql g++ make libssl-dev binutils musl-tools
make_scratch
cd "$scratch/src"
objects=(src/*/*.cpp src/*/*/*.cpp)
objects=("${objects[@]/%.cpp/.o}")
# Of the machine's headers only OpenSSL's, as glibc's would hide what musl lacks.
machine=$(g++ -dumpmachine)
as_server_user mkdir -p headers/openssl
as_server_user cp /usr/include/openssl/* "/usr/include/$machine/openssl/"* headers/openssl
# gcc's C++ headers were configured for glibc.
printf '#%s\n' 'define __GLIBC_PREREQ(major, minor) 0' 'define __locale_t locale_t' 'include <bits/c++config.h>' \
  'undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT' | as_server_user tee headers/glibc.h >/dev/null
compiler=(g++ -nostdinc -nostdinc++ -include "$scratch/src/headers/glibc.h")
for folder in "/usr/include/c++/$(g++ -dumpversion)" "/usr/include/$machine/c++/$(g++ -dumpversion)" \
  "/usr/include/$(uname -m)-linux-musl" "$(g++ -print-file-name=include)" "$scratch/src/headers"; do
  compiler+=(-isystem "$folder")
done

check "the library is compiled" compile
check "and linked" link_library
check "musl, libcrypto and the server have all that it needs" prints_nothing missing_symbols
check "the core works" core_works
finish
