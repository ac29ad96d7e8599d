#!/usr/bin/env bash
# Builds the library with compilers, warnings as errors: test/platforms/compilers.sh COMPILER ...
# A COMPILER is the name of a Debian package, such as g++-11 or clang-19. A chroot has other ones, for example:
# sudo bash test/platforms/on-server.sh 17 bash test/platforms/compilers.sh clang-19
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Builds the library and checks its symbols. Argument: compiler's package.
build_by() {
  local compiler=${1/#clang-/clang++-} flags=-Werror
  # The server's flags are those of gcc.
  if [[ $1 == clang* ]]; then flags+=' -Wno-unknown-warning-option'; fi
  "$compiler" --version | head -n 1
  make_there clean && make_there -j"$(nproc)" CXX="$compiler" WERROR="$flags" all &&
    ! nm -D --undefined-only "$scratch/src/uuidx.so" | grep -E '_Z|__cxa|__gxx'
}

need_postgresql make libssl-dev binutils
install_packages "$@"
make_scratch
for package in "$@"; do check "$package builds the library" build_by "$package"; done
finish
