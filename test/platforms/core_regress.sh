#!/usr/bin/env bash
# Runs PostgreSQL's own regression tests without uuidx and with it, preloaded and created, and compares the results,
# which may differ only in lists of functions and types: test/platforms/core_regress.sh [TEST ...]
#   TEST  runs only this test of PostgreSQL, such as join, after test_setup; by default, all in their order
# The server has assertions (assert_server.sh). PG_CONFIG selects its version.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/platforms/assert_server.sh"
source "$tree/test/shell/private.sh"

# Runs the tests on a new server; the results are in a folder of the scratch folder. Arguments: folder, options of
# pg_regress.
run_tests() {
  local name=$1
  start_server
  as_server_user mkdir "$scratch/$name"
  # Fails if a result is not the expected one, as it is without Debian's options of the build.
  (cd "$scratch/$name" && as_server_user "$regress/pg_regress" --inputdir="$regress" --outputdir="$scratch/$name" \
    --dlpath="$regress" --bindir="$bindir" --host="$PGHOST" --port="$PGPORT" --user=postgres --max-connections=4 \
    "${@:2}" "${tests[@]}") >"$scratch/$name.log" 2>&1 || true
  as_server_user "$bindir/pg_ctl" -D "$scratch/data" -m fast -w stop >/dev/null
  mv "$scratch/data" "$scratch/$name.data"
}

# Prints how a result differs, except in what uuidx adds to a list, and the lines around.
differences() {
  diff <(results_of without "$1") <(results_of with "$1")
}

# Prints a result without lines that name uuidx's objects, counts of rows, and the width of headings.
results_of() {
  sed -E '/uuid/d; /^\([0-9]+ rows?\)$/d; s/^-[-+]*$/-/; s/ +/ /g' "$scratch/$1/results/$2.out"
}

# Prints what the servers have logged of faults.
faults() {
  grep -hE 'TRAP:|terminated by signal|problem in alloc|detected write past|(reference|refcount|file) leak' \
    "$scratch/server.log" || true
}

need_postgresql g++ make libssl-dev bison bzip2 flex perl valgrind
use_assert_server
regress=${bindir%/bin}/regress
tests=("$@")
(($# > 0)) && tests=(test_setup "$@") || tests=(--schedule="$regress/parallel_schedule")
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
use_private_postgresql
make_there -j"$(nproc)" all
install_extension

run_tests without
server_options='-c shared_preload_libraries=uuidx'
run_tests with --load-extension=uuidx
for result in "$scratch"/without/results/*.out; do
  name=$(basename "$result" .out)
  # These list functions and types, or show the uuid type's own. All else must be the same to the letter.
  case $name in
    opr_sanity | type_sanity | uuid) check "$name" prints_nothing differences "$name" ;;
    *) check "$name" diff "$result" "$scratch/with/results/$name.out" ;;
  esac
done
check 'no fault of the server' prints_nothing faults
finish
