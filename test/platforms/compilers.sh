#!/usr/bin/env bash
# Builds the library with many compilers, warnings as errors: test/platforms/compilers.sh [COMPILER ...]
# A COMPILER is the name of a Debian package, such as g++-11 or clang-19. By default, all from g++ 11 and clang 14 on
# that apt can install, which takes up to 500 MB each. A chroot has other ones, for example:
# sudo bash test/platforms/on-server.sh 17 bash test/platforms/compilers.sh
# The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Prints the compilers that apt can install.
available() {
  apt-cache pkgnames | grep -E '^(g\+\+-(1[1-9]|[2-9][0-9])|clang-(1[4-9]|[2-9][0-9]))$' | sort -V
}

# Builds the library and checks its symbols. Argument: compiler's package.
build_by() {
  local compiler=${1/#clang-/clang++-} flags=-Werror
  # The server's flags are those of gcc.
  if [[ $1 == clang* ]]; then flags+=' -Wno-unknown-warning-option'; fi
  "$compiler" --version | head -n 1
  make_there clean && make_there -j"$(nproc)" CXX="$compiler" WERROR="$flags" all &&
    ! nm -D --undefined-only "$scratch/src/uuidx.so" | grep -E '_Z|__cxa|__gxx'
}

# Checks one compiler. Argument: its package.
check_compiler() {
  local began=$SECONDS
  install_packages "$1"
  check "$1 builds the library" build_by "$1"
  say "# $("${1/#clang-/clang++-}" -dumpfullversion -dumpversion), $((SECONDS - began)) s"
}

need_postgresql make libssl-dev binutils
if (($# == 0)); then
  type apt-cache >/dev/null 2>&1 || skip_all "no apt here; name the installed compilers"
  update_lists
  mapfile -t packages < <(available)
  set -- "${packages[@]}"
fi
make_scratch
for package in "$@"; do check_compiler "$package"; done
finish
