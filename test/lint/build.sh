#!/usr/bin/env bash
# Tests the makefile, the start of the scripts and their counts, in a copy of the tree that is built:
# test/lint/build.sh
# Run by test/run.sh. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# True if make has nothing to do. Argument: pg_config.
up_to_date() { make -q PG_CONFIG="$1"; }

# True if make would compile every source again. Argument: pg_config.
compiles_all() {
  [[ $(make -n PG_CONFIG="$1" | grep -c -- ' -c ') == $(make -n -B PG_CONFIG="$1" | grep -c -- ' -c ') ]]
}

# True if make stops at once with one line. Argument: target.
stops_at_once() {
  local output
  if output=$(make PG_CONFIG=/nonexistent "$1" 2>&1); then return 1; fi
  [[ $output == *'no server headers found by PG_CONFIG=/nonexistent'* && $output != *$'\n'* ]]
}

# True if compilation without 128-bit numbers, as for a 32-bit machine, fails with a message that says so.
refuses_32_bits() {
  ! "${CXX:-g++}" -std=c++20 -fsyntax-only -U__SIZEOF_INT128__ -x c++ src/core/uuid.hpp 2>"$folder/errors" &&
    grep -q 'error: .*uuidx needs a 64-bit machine' "$folder/errors"
}

# True if a target needs no server.
needs_no_server() { make -n PG_CONFIG=/nonexistent "$1"; }

# True if a script started by another shell restarts in bash, with its arguments, before anything else. Arguments:
# shell, script.
restarts_in_bash() {
  [[ $(PATH=$folder/path "$1" "$2" one 'two three') == "bash: $2,one,two three" ]]
}

# True if all scripts do. Argument: shell.
all_restart_in_bash() {
  local script scripts
  mapfile -t scripts < <(grep -rlI --exclude-dir=.git '^#!/usr/bin/env bash' .)
  ((${#scripts[@]} > 0)) || return
  for script in "${scripts[@]}"; do
    restarts_in_bash "$1" "$script" || { say "$script does not" && return 1; }
  done
}

# True if test/lib counts the results of TAP, GoogleTest and PostgreSQL 15's pg_regress, and nothing else. Arguments:
# lines; passed, failed and skipped tests.
counts_results() {
  diff <(result_lines <(printf '%s\n' "$1")) - <<<"$2"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -a "$tree/." "$folder/tree"
cd "$folder/tree"

# Of a make that may have started this script.
unset MAKEFLAGS MAKELEVEL
check "built files are up to date" up_to_date "$PG_CONFIG"
printf '#!/bin/sh\n"%s" "$@" | sed "s/^PostgreSQL /&9/"\n' "$PG_CONFIG" >"$folder/other_config"
chmod +x "$folder/other_config"
check "another server: everything is compiled" compiles_all "$folder/other_config"
make -s PG_CONFIG="$folder/other_config" .server
check "this server again: everything is compiled" compiles_all "$PG_CONFIG"
check "make clean removes .server" eval "make -s PG_CONFIG='$PG_CONFIG' clean && [[ ! -e .server ]]"
for target in all install installcheck clean; do
  check "make $target reports a missing server" stops_at_once "$target"
done
check "a 32-bit machine is refused" refuses_32_bits
for target in unit dist matrix; do check "make $target needs no server" needs_no_server "$target"; done

mkdir "$folder/path"
# shellcheck disable=SC2016  # expanded by the shell that is started
printf '#!%s\nIFS=,\necho "bash: $*"\n' "$BASH" >"$folder/path/bash"
chmod +x "$folder/path/bash"
ln -s "$BASH" "$folder/sh"
check "scripts started by sh restart in bash" all_restart_in_bash /bin/sh
check "also if sh is bash" all_restart_in_bash "$folder/sh"

check "TAP is counted" counts_results $'1..4\nok 1 - a\nok\nnot ok 3 - b\nok 4 # SKIP c\n# ok\nokay\n' '2 1 1'
check "GoogleTest is counted" counts_results \
  $'[ RUN      ] A.b\n[       OK ] A.b (0 ms)\n[  FAILED  ] A.c (1 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.c' \
  '1 1 0'
check "pg_regress is counted" counts_results \
  $'test a      ... ok          12 ms\ntest b     ... FAILED      3 ms\nok 3         - c      12 ms\nnot ok 4     - d  1 ms' \
  '2 2 0'
finish
