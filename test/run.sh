#!/usr/bin/env bash
# Builds uuidx, installs it and runs every test: test/run.sh
# PG_CONFIG chooses the PostgreSQL; on Debian what is missing is installed. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# Says whether nm's list of symbols has none that matches. Arguments: name, option of nm, options of grep.
check_symbols() {
  local symbols found
  symbols=$(nm -D "$2" "$scratch/src/uuidx.so")
  found=$(grep -E "${@:3}" <<<"$symbols") || true
  if [[ -n $symbols && -z $found ]]; then
    say "ok - $1"
  else
    say "not ok - $1: $found"
  fi
}

# The library must need nothing of the C++ runtime, and show only its SQL functions.
check_library() {
  check_symbols 'refers to nothing of the C++ runtime' --undefined-only '_Z|__cxa|__gxx'
  check_symbols 'exports its SQL functions only' --defined-only \
    -v ' (uuidx_|pg_finfo_uuidx_|Pg_magic_func$|_PG_init$)'
}

say "== What is needed"
need_postgresql g++ make binutils libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch

say "== Core"
step unit '^\[ +OK' '^\[ +FAILED .*\(' as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit" check WERROR=-Werror

say "== Build and install"
make_there -j"$(nproc)" WERROR=-Werror all
install_extension
step symbols '^ok' '^not ok' check_library
step build '^ok' '^not ok' as_server_user bash "$scratch/src/test/lint/build.sh"

say "== SQL"
start_server
# 15 prints a line of dots for a test, later versions speak TAP.
step sql '^(ok |test .*\.\.\. ok )' '^(not ok |test .*\.\.\. FAILED )' make_there installcheck
if [[ -f $scratch/src/regression.diffs ]]; then cat "$scratch/src/regression.diffs"; fi

say "== Sessions, restarts, faults: five minutes or more"
tap_tests '*'

say "== Documentation"
step docs '^ok' '^not ok' bash "$scratch/src/test/docs/check_docs.sh"

finish
