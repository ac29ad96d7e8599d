#!/usr/bin/env bash
# Tests the makefile and the start of the scripts, in a copy of the tree that is built: test/lint/build.sh
# Run by test/run.sh.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

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

# Whether a script that another shell starts is started again by bash, with its arguments, before anything else.
# Arguments: shell, script.
goes_on_in_bash() {
  [[ $(PATH=$folder/path "$1" "$2" one 'two three') == "bash: $2,one,two three" ]]
}

# The same for all scripts.
all_go_on_in_bash() {
  local script scripts
  mapfile -t scripts < <(grep -rlI --exclude-dir=.git '^#!/usr/bin/env bash' .)
  ((${#scripts[@]} > 0)) || return
  for script in "${scripts[@]}"; do
    goes_on_in_bash "$1" "$script" || { say "$script does not" && return 1; }
  done
}

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

mkdir "$folder/path"
# shellcheck disable=SC2016  # expanded by the shell that is started
printf '#!%s\nIFS=,\necho "bash: $*"\n' "$BASH" >"$folder/path/bash"
chmod +x "$folder/path/bash"
ln -s "$BASH" "$folder/sh"
check "scripts that sh starts go on in bash" all_go_on_in_bash /bin/sh
check "and if sh is bash" all_go_on_in_bash "$folder/sh"
((failed == 0))
