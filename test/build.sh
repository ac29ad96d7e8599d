#!/usr/bin/env bash
# Tests the makefile, in a copy of the tree that is built: test/build.sh, run by test/run.sh
# shellcheck source=test/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Checks that a command succeeds and says how it went; its output only if it failed.
check() {
  local name=$1 status=0 output
  output=$("${@:2}" 2>&1) || status=1
  ((status == 0)) || say "$output"
  count "$status" "$name"
}

# Whether make has nothing to do. Argument: pg_config.
up_to_date() { make -q PG_CONFIG="$1"; }

# Whether make would compile every source again. Argument: pg_config.
compiles_all() {
  [[ $(make -n PG_CONFIG="$1" | grep -c -- ' -c ') == $(make -n -B PG_CONFIG="$1" | grep -c -- ' -c ') ]]
}

# Whether make stops at once and with one line. Argument: target.
stops_at_once() {
  local output
  if output=$(make PG_CONFIG=/nonexistent "$1" 2>&1); then return 1; fi
  [[ $output == *'no server headers found by PG_CONFIG=/nonexistent'* && $output != *$'\n'* ]]
}

# Whether a target works without a server.
needs_no_server() { make -n PG_CONFIG=/nonexistent "$1"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -a "$tree/." "$folder/tree"
cd "$folder/tree"

# Not of one that make may have started this script with.
unset MAKEFLAGS MAKELEVEL
check "what was built is up to date" up_to_date "$PG_CONFIG"
printf '#!/bin/sh\n"%s" "$@" | sed "s/^PostgreSQL /&9/"\n' "$PG_CONFIG" >"$folder/other_config"
chmod +x "$folder/other_config"
check "everything is compiled for another server" compiles_all "$folder/other_config"
make -s PG_CONFIG="$folder/other_config" .server
check "and for this one again" compiles_all "$PG_CONFIG"
check "make clean removes what tells the server" eval "make -s PG_CONFIG='$PG_CONFIG' clean && [[ ! -e .server ]]"
for target in all install installcheck clean; do
  check "make $target says that there is no server" stops_at_once "$target"
done
for target in unit dist matrix; do check "make $target needs none" needs_no_server "$target"; done
((failed == 0))
