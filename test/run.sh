#!/usr/bin/env bash
# Builds and installs uuidx and runs all tests, or of the TAP tests only some: test/run.sh [NUMBER ...]
# PG_CONFIG selects the PostgreSQL; on Debian, installs what is missing. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# Prints the symbols in nm's list that match. Arguments: option of nm, options of grep.
symbols() {
  local list
  list=$(nm -D "$1" "$scratch/src/uuidx.so")
  [[ -n $list ]] || die "nm lists no symbol"
  grep -E "${@:2}" <<<"$list" || true
}

# Checks that the library needs nothing of the C++ runtime, and exports only its SQL functions.
check_library() {
  check 'refers to nothing of the C++ runtime' prints_nothing symbols --undefined-only '_Z|__cxa|__gxx'
  check 'exports its SQL functions only' prints_nothing symbols --defined-only \
    -v ' (uuidx_|pg_finfo_uuidx_|Pg_magic_func$|_PG_init$)'
}

say "== What is needed"
need_postgresql g++ make binutils libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch

say "== Core"
step unit as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit" check WERROR=-Werror

say "== Build and install"
make_there -j"$(nproc)" WERROR=-Werror all
install_extension
check_library
step build as_server_user bash "$scratch/src/test/lint/build.sh"

say "== SQL"
start_server
sql_tests
PSQL=$bindir/psql step planner python3 -B "$scratch/src/test/planner/pairs.py"

say "== Sessions, restarts, faults: five minutes or more"
(($# > 0)) || set -- '*'
tap_tests "$@"

say "== Documentation"
step docs bash "$scratch/src/test/docs/check_docs.sh"

finish
