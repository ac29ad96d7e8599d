#!/usr/bin/env bash
# Builds and installs uuidx and tests what users rely on: test/run.sh [--verbose] [--all | NUMBER ...]
#   --verbose  says why tests were skipped
#   --all      runs every test
#   NUMBER     only SQL tests, random queries and the TAP tests with this number or pattern of it
# PG_CONFIG selects the PostgreSQL; on Debian, installs what is missing.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/lib.sh"

# Prints what was tested, and the counts of its checks: of TAP tests, the first lines.
summarize() {
  local file name
  [[ -z $whole ]] || say "The core's algorithms (unit tests): $(checks_of "$scratch/unit.log")"
  say "Every function and operator (SQL tests): $(checks_of "$scratch/sql.log")"
  say "Plans with and without an index on time (random queries): $(checks_of "$scratch/planner.log")"
  [[ -n $short ]] || say "Pages read by queries of applications: $(checks_of "$scratch/parity.log")"
  for file in "$scratch"/tap/test/t/*.pl; do
    name=${file##*/}
    results_of "$name" >"$scratch/results"
    say "${name%%_*} $(promise_of "$tree/test/t/$name"): $(checks_of "$scratch/results")"
  done
}

# Prints what a TAP test proves.
promise_of() { sed -nE '1s/^# (.*)\.$/\1/p' "$1"; }

# Prints the TAP tests whose first line does not say what they prove.
without_promise() {
  local file
  for file in "$tree"/test/t/*.pl; do [[ -n $(promise_of "$file") ]] || say "$file"; done
}

# Prints how many checks of a log passed and failed.
checks_of() {
  local good bad
  read -r good bad _ < <(result_lines "$1")
  printf '%d checks' "$good"
  ((bad == 0)) || printf ', %d FAILED' "$bad"
}

# Prints the results of a TAP test; one that ended too early has a failure. Argument: name of its file.
results_of() {
  awk -v file="test/t/$1" '/^# test\/t\// { on = $2 == file; next }
    $1 == file && /Wstat/ { early = 1 }
    on { failed = failed || /^not ok/; print }
    END { if (early && !failed) print "not ok" }' "$scratch/tap.log"
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
whole=yes
statements=500
brief='; --verbose says why'
if [[ ${1-} == --verbose ]]; then
  unset brief
  shift
fi
case ${1-} in
  '')
    short=yes statements=150
    # shellcheck disable=SC2086  # numbers
    set -- $short_tests
    say "Builds, installs and tests uuidx; one to three minutes on two idle processors." \
      "--all adds four minutes or more:" \
      "damaged files, full disks, lack of memory, cancels, replication, row estimates, migration, other extensions."
    ;;
  --all)
    set -- '*'
    say "Builds and installs uuidx and runs every test; five to ten minutes on two idle processors."
    ;;
  -*) die "unknown option $1; usage: test/run.sh [--verbose] [--all | NUMBER ...]" ;;
  *)
    whole=
    say "Builds and installs uuidx and runs tests, of the TAP tests: $*"
    ;;
esac

say "== What is needed"
need_postgresql g++ make binutils libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch

if [[ -n $whole ]]; then
  say "== Core"
  step unit with_progress files_compiled \
    as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit" check WERROR=-Werror
fi

say "== Build and install"
with_progress files_compiled make_there -j"$(nproc)" WERROR=-Werror all 3>&1
install_extension
check_library
if [[ -z $short ]]; then
  check 'the first line of every TAP test says what it proves' prints_nothing without_promise
fi
if [[ -n $whole && -z $short ]]; then
  step build as_server_user bash "$scratch/src/test/lint/build.sh"
fi

say "== SQL"
start_server
sql_tests
PSQL=$bindir/psql step planner show_tests python3 -Bu "$scratch/src/test/planner/pairs.py" --statements "$statements"
if [[ -z $short ]]; then PSQL=$bindir/psql step parity python3 -B "$scratch/src/test/planner/parity.py"; fi

say "== Sessions, restarts, faults"
tap_tests "$@"

if [[ -n $whole ]]; then
  say "== Documentation"
  step docs bash "$scratch/src/test/lint/check_docs.sh"
fi

say "== Summary"
summarize
finish
