#!/usr/bin/env bash
# Builds and installs uuidx and tests what users rely on: test/run.sh [--all | NUMBER ...]
#   --all   runs every test
#   NUMBER  of the TAP tests only those with this number or pattern of it; all others
# PG_CONFIG selects the PostgreSQL; on Debian, installs what is missing. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# What the TAP tests prove, by their numbers. A star precedes what is tested without --all.
promises='
* 001 002: values are unique and strictly increasing in a session
  019: values are strictly increasing across all sessions
* 020: order survives kill -9 and restart
* 021: order survives failover and restore
  022 031 037 039 047 048: the mark survives damage, full disks, replication and another synchronous standby
* 010 011: no clock breaks the order
* 012: a failing random source is an error, and no bits repeat
  013 026 033: random bits are good and leave no trace
* 003: preloaded sessions and parallel workers share nothing
  027 028 030: edge cases, cancels and lack of memory leave a working session
* 006: names are hashed as other implementations do
  024: text forms agree with other implementations
* 041: pitfalls of time conditions are as documented
  017 018 036 040 042 049: plans, row estimates and locks are as documented
* 005: dump and restore keep every object
  032 038 044 045: upgrades, other versions and other directories work
* 009 035: privileges are as documented
  007 008 014 015 016 023: other extensions, foreign servers and nodes work together
  025 050: the recipes of the pages work
* 034: the examples of the documentation work
  043 046: plain SQL gives the same results
'

# Prints the promises that the given tests keep, and the counts of their checks.
summarize() {
  local name numbers number
  say "the core's algorithms (unit tests): $(checks_of "$scratch/unit.log")"
  say "every function and operator (SQL tests): $(checks_of "$scratch/sql.log")"
  say "plans with and without an index on time (random queries): $(checks_of "$scratch/planner.log")"
  while IFS=: read -r numbers name; do
    : >"$scratch/promise"
    for number in ${numbers#\*}; do results_of "$number" >>"$scratch/promise"; done
    if [[ -s $scratch/promise ]]; then say "${name# }: $(checks_of "$scratch/promise")"; fi
  done < <(grep . <<<"$promises")
}

# Prints how many checks of a log passed and failed.
checks_of() {
  local good bad
  read -r good bad _ < <(result_lines "$1")
  printf '%d checks' "$good"
  ((bad == 0)) || printf ', %d FAILED' "$bad"
}

# Prints the results of a TAP test; one that ended too early has a failure. Argument: number.
results_of() {
  awk -v file="test/t/$1_" '/^# test\/t\// { on = index($2, file) == 1; next }
    index($0, file) == 1 && /Wstat/ { early = 1 }
    on { failed = failed || /^not ok/; print }
    END { if (early && !failed) print "not ok" }' "$scratch/tap.log"
}

# Prints the numbers of the tests without --all.
short_tests() { sed -nE 's/^\*([^:]*):.*/\1/p' <<<"$promises" | xargs; }

# True if every TAP test is named by one promise.
each_has_a_promise() {
  diff <(cd "$tree/test/t" && printf '%s\n' [0-9]*.pl | cut -c 1-3) \
    <(cut -d: -f 1 <<<"$promises" | grep -oE '[0-9]+' | sort)
}

# Prints the symbols in nm's list that match. Arguments: option of nm, options of grep.
symbols() {
  local list
  list=$(nm -D "$1" "$scratch/src/uuidx.so")
  [[ -n $list ]] || die "nm lists no symbol"
  grep -E "${@:2}" <<<"$list" || true
}

# Prints the libraries that uuidx needs, except the C library and OpenSSL's, which every server with SSL has.
other_libraries() {
  readelf -d "$scratch/src/uuidx.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(libcrypto\.so\.3|libc\.so\.6|ld-linux-.*)$' || true
}

# Checks that the library needs nothing of a compiler's runtime, and exports only its SQL functions.
check_library() {
  check 'needs only libc and libcrypto' prints_nothing other_libraries
  check 'refers to nothing of the C++ runtime' prints_nothing symbols --undefined-only '_Z|__cxa|__gxx'
  check 'exports its SQL functions only' prints_nothing symbols --defined-only \
    -v ' (uuidx_|pg_finfo_uuidx_|Pg_magic_func$|_PG_init$)'
}

short=
statements=500
case ${1-} in
  '')
    short=yes statements=150
    export UUIDX_CRASHES=${UUIDX_CRASHES-3}
    # shellcheck disable=SC2046  # numbers
    set -- $(short_tests)
    say "Builds, installs and tests uuidx; one to three minutes on two idle processors." \
      "--all adds four minutes or more:" \
      "damaged files, full disks, lack of memory, cancels, replication, row estimates, migration, other extensions."
    ;;
  --all)
    set -- '*'
    say "Builds and installs uuidx and runs every test; five to ten minutes on two idle processors."
    ;;
  -*) die "unknown option $1; usage: test/run.sh [--all | NUMBER ...]" ;;
  *) say "Builds and installs uuidx and runs its tests, of the TAP tests: $*" ;;
esac

say "== What is needed"
need_postgresql g++ make binutils libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch

say "== Core"
step unit with_progress files_compiled \
  as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit" check WERROR=-Werror

say "== Build and install"
with_progress files_compiled make_there -j"$(nproc)" WERROR=-Werror all 3>&1
install_extension
check_library
if [[ -z $short ]]; then
  check 'every TAP test belongs to a promise' each_has_a_promise
  step build as_server_user bash "$scratch/src/test/lint/build.sh"
fi

say "== SQL"
start_server
sql_tests
PSQL=$bindir/psql step planner show_tests python3 -Bu "$scratch/src/test/planner/pairs.py" --statements "$statements"

say "== Sessions, restarts, faults"
tap_tests "$@"

say "== Documentation"
step docs bash "$scratch/src/test/docs/check_docs.sh"

say "== Summary"
summarize
finish
