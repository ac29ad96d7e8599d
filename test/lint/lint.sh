#!/usr/bin/env bash
# Checks the sources: clang-format, clang-tidy with clang's warnings, cppcheck, shellcheck and the length of lines in
# tests: test/lint/lint.sh. Releases of the tools differ: those of Debian 12 decide.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Runs clang-tidy on one file, with the warnings of the makefile. Its analysis of paths takes most of the time: it ends
# after 20,000 steps in a function.
tidy() {
  clang-tidy-14 --quiet "$1" -- -std=c++20 -Wall -Wextra -Wshadow -Wconversion -DUUIDX_VERSION='"0"' -D_GNU_SOURCE \
    -Isrc -I"$("$PG_CONFIG" --includedir-server)" -Xclang -analyzer-config -Xclang max-nodes=20000
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

need_postgresql clang-format-14 clang-tidy-14 cppcheck shellcheck
cd "$tree"
mapfile -t headers < <(find src -name '*.hpp')
mapfile -t sources < <(find src -name '*.cpp')
check "clang-format" clang-format-14 --dry-run -Werror "${headers[@]}" "${sources[@]}" \
  test/unit/*.[ch]pp test/fuzz/*.[ch]pp
check "clang-tidy" tidy_each "${sources[@]}"
check "cppcheck" cppcheck -q -Isrc --std=c++20 --enable=warning,performance,portability --error-exitcode=1 src
check "shellcheck" shellcheck -x test/*.sh test/*/*.sh packaging/*.sh .ci/run
check "at most 120 columns" prints_nothing long_lines
finish
