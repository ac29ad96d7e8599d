#!/usr/bin/env bash
# Checks a model of uuid_v7_server() with SPIN, exhaustively within its bounds: test/model/run.sh [WORDS]
# The model must keep its claims, and must have a counterexample to one of them if a fix or a condition is taken out.
# WORDS select the runs whose name has them.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

chosen=$*

# Builds and runs a verifier. Arguments: macros of the model.
verify() {
  rm -rf "$scratch/run"
  mkdir "$scratch/run"
  cd "$scratch/run" || return
  cp "$tree/test/model/server_clock.pml" .
  spin "$@" -a server_clock.pml
  gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1900 -o pan pan.c
  ./pan -m100000
}

# Prints the counts of a log: states, seconds and memory.
figures() {
  awk '/states, stored/ { states = $1 } /total actual memory/ { memory = $1 } /elapsed time/ { seconds = $4 }
    END { printf "%d states, %.0f s, %.0f MB", states, seconds, memory }' "$scratch/log"
}

# Prints the length of a counterexample.
steps() { cat "$scratch"/run/*.trail 2>/dev/null | wc -l; }

# Checks that the model has no error. Arguments: name, macros.
sound() {
  local status=0
  [[ $1 == *"$chosen"* ]] || return 0
  (verify "${@:2}") >"$scratch/log" 2>&1 || status=1
  grep -q 'errors: 0$' "$scratch/log" || status=1
  # Every state, or it proves nothing.
  ! grep -qE 'Search not completed|max search depth too small' "$scratch/log" || status=1
  count "$status" "$1: $(figures), $(grep -o 'errors: [0-9]*' "$scratch/log" || echo 'no result')"
  ((status == 0)) || tail -n 40 "$scratch/log"
}

# Checks that a claim has a counterexample. Arguments: name, claim as in the model, macros.
broken() {
  local status=0
  [[ $1 == *"$chosen"* ]] || return 0
  (verify "${@:3}") >"$scratch/log" 2>&1 || status=1
  grep -F 'assertion violated' "$scratch/log" | grep -qF -- "$2" || status=1
  count "$status" "$1: $(figures), counterexample of $(steps) steps"
  ((status == 0)) || tail -n 40 "$scratch/log"
}

# Claims.
durable='ticks<=durable'
order='ticks>witness'

install_packages spin gcc libc6-dev
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sound "preloaded, without faults" -DFAULTS=0 -DDAMAGES=0
sound "preloaded, without uuid_v7_advance()" -DADVANCES=0 -DDAMAGES=0
sound "preloaded, three stops" -DCALLS=2 -DSTOPS=3
sound "not preloaded" -DNOT_PRELOADED
sound "commits begin to wait" -DCHANGES=1 -DSTOPS=1 -DFAULTS=0 -DDAMAGES=0
sound "commits cease to wait and begin again" -DCHANGES=2 -DSTOPS=1 -DFAULTS=0 -DDAMAGES=0 -DADVANCES=0
sound "another standby becomes synchronous" -DSWITCHES=1 -DSTOPS=1 -DFAULTS=0 -DDAMAGES=0

# Fixes that are taken out.
broken "a file that cannot be read is set aside" "$order" -DDEFECT_2 -DCALLS=2 -DSTOPS=1 -DDAMAGES=0
broken "a value is returned before a standby has its mark, as without synchronous replication" "$order" -DDEFECT_4
broken "a mark from the file counts as durable" "$durable" -DPUBLISHED_BY_LOAD -DCALLS=2
broken "a mark from the file counts as logged" "$order" -DPUBLISHED_BY_LOAD -DFAULTS=0
broken "a mark that nobody waited for counts as confirmed" "$order" -DUNAWAITED_CONFIRMED -DCHANGES=1 -DSTOPS=1 \
  -DFAULTS=0 -DDAMAGES=0
broken "a wait that was released counts as confirmed" "$order" -DRELEASED_CONFIRMED -DCHANGES=2 -DSTOPS=1 -DFAULTS=0 \
  -DDAMAGES=0 -DADVANCES=0
broken "the confirmation of a mark counts for ever" "$order" -DCONFIRMED_FOR_EVER -DSWITCHES=1 -DSTOPS=1 -DFAULTS=0 \
  -DDAMAGES=0 -DADVANCES=0

# Steps in another order.
broken "the mark is published before it is logged" "$order" -DPUBLISH_BEFORE_WAL
broken "the mark is logged before the file is written" "$order" -DWAL_BEFORE_FILE

# Conditions that are taken out.
broken "asynchronous: a value that is in no row of the standby" "$order" -DFAILOVER_PROMISED
broken "a canceled wait for a standby" "$order" -DCANCELED
broken "a damaged file, and values far ahead of the clock" "$order" -DDAMAGED_FAR_AHEAD

broken "not preloaded: failover" "$order" -DNOT_PRELOADED -DFAILOVER_PROMISED

finish
