#!/usr/bin/env bash
# Compiles what has changed, and runs the unit tests, the SQL tests, fast TAP tests and a short comparison of pages in a
# copy of PostgreSQL, without installing anything: test/check.sh [TEST ...]
#   TEST  runs only this: an SQL test by its name, such as prefix, or a TAP test by its number, such as 057
# PG_CONFIG selects the PostgreSQL; on Debian, installs what is missing.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/lib.sh"
source "$tree/test/shell/private.sh"

all=
sort_tests "$@"
if (($# == 0)); then
  all=yes
  # shellcheck disable=SC2206  # numbers
  tap=($short_tests)
  say "Tests the tree as it is; a minute or two on two idle processors, less after a small change"
fi
need_postgresql g++ make libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
brief=
# Of a make that may have started this script.
unset MAKEFLAGS MAKELEVEL

if [[ -n $all ]]; then
  say "== Core"
  step unit with_progress files_compiled make -s -C "$tree/test/unit" check
fi

say "== Build"
with_progress files_compiled make -s -j"$(nproc)" -C "$tree" PG_CONFIG="$PG_CONFIG" all 3>&1
use_private_postgresql
cp "$tree/uuidx.so" "$("$PG_CONFIG" --pkglibdir)"
cp "$tree"/uuidx*.control "$tree"/sql/uuidx*--*.sql "$("$PG_CONFIG" --sharedir)/extension"

if [[ -n $all$regress ]]; then
  say "== SQL"
  start_server
  sql_tests
fi
if [[ -n $all ]]; then PSQL=$bindir/psql step parity python3 -B "$tree/test/planner/parity.py" --short; fi

if ((${#tap[@]} > 0)); then
  say "== Sessions, restarts, faults"
  tap_tests "${tap[@]}"
fi

finish
