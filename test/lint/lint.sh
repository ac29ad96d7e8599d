#!/usr/bin/env bash
# Checks the sources: clang-format, clang-tidy, cppcheck, shellcheck, the length of lines in tests, and a build with
# clang: test/lint/lint.sh
# Releases of the tools differ, so those of Debian 12 decide. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Runs clang-tidy on one file of the extension or of the unit tests. Its analysis of paths takes most of the time: it
# ends after 20,000 steps in a function of the extension, and the unit tests do without, with the short GoogleTest of
# this folder.
tidy() {
  local checks=
  if [[ $1 == test/* ]]; then checks='--checks=-clang-analyzer-*'; fi
  clang-tidy-14 --quiet ${checks:+"$checks"} "$1" -- -std=c++20 -DUUIDX_VERSION='"0"' -D_GNU_SOURCE -Isrc -Isrc/core \
    -isystem test/lint -I"$("$PG_CONFIG" --includedir-server)" -Xclang -analyzer-config -Xclang max-nodes=20000
}

# Runs clang-tidy on several files at once.
tidy_each() {
  export -f tidy
  # shellcheck disable=SC2016  # expanded by the inner shell
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c 'tidy "$1"' _ {}
}

# Prints the lines of tests with more than 120 columns, except those of pages, data and installation scripts.
long_lines() {
  find sql/*.sql test -name node_modules -prune -o -type f ! -name '*.md' ! -name '*--*.sql' ! -path '*/corpus/*' \
    -print0 | LC_ALL=C.UTF-8 xargs -0 grep -HnIE '^.{121,}' || true
}

# Builds with clang in the scratch folder, without warnings. The server's flags are those of gcc.
build_by_clang() {
  make_there -j"$(nproc)" CXX=clang++-14 WERROR="-Werror -Wno-unknown-warning-option" all
}

need_postgresql g++ make libssl-dev clang-14 clang-format-14 clang-tidy-14 cppcheck shellcheck
make_scratch
cd "$tree"
mapfile -t headers < <(find src -name '*.hpp')
mapfile -t sources < <(find src -name '*.cpp')
check "clang-format" clang-format-14 --dry-run -Werror "${headers[@]}" "${sources[@]}" test/lint/gtest/gtest.h \
  test/unit/*.[ch]pp test/fuzz/*.[ch]pp
check "clang-tidy" tidy_each "${sources[@]}" test/unit/*.cpp
check "cppcheck" cppcheck -q -Isrc --std=c++20 --enable=warning,performance,portability --error-exitcode=1 src
check "shellcheck" shellcheck -x test/*.sh test/*/*.sh packaging/*.sh .ci/run
check "at most 120 columns" prints_nothing long_lines
check "build with clang" build_by_clang
finish
