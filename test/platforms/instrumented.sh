#!/usr/bin/env bash
# Runs tests in a PostgreSQL that reports faults of memory and arithmetic:
# test/platforms/instrumented.sh sanitize|valgrind|assert [TEST ...]
#   sanitize  the library under AddressSanitizer and UndefinedBehaviorSanitizer, in an unmodified server
#   valgrind  an unmodified server under valgrind
#   assert    a server built with assertions and checks of palloc's chunks, from Debian's source package. It is kept in
#             UUIDX_CACHE (/var/tmp/uuidx-servers), where other scripts can use it, too; to renew it, remove its folder
# A TEST is the number of a TAP test or the name of an SQL test. By default, sanitize and assert run the SQL tests and
# those TAP tests that reach the most code, sanitize also the unit tests; valgrind runs the SQL tests. PG_CONFIG selects
# the PostgreSQL, or its version.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/platforms/assert_server.sh"
source "$tree/test/shell/private.sh"

sanitizers=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Starts every server of the private PostgreSQL, except within initdb, with a prefix in bash's syntax. With exec -a
# "$0", the server takes the wrapper for its program, and `pg_ctl restart` starts the wrapper again.
wrap_servers() {
  mv "$bindir/postgres" "$bindir/postgres.real"
  # shellcheck disable=SC2016  # expanded when a server starts
  printf '#!/bin/bash\ncase $1 in -V | -C | --*) exec -a "$0" "%s" "$@" ;; esac\n%s "%s" "$@"\n' \
    "$bindir/postgres.real" "$1" "$bindir/postgres.real" >"$bindir/postgres"
  chmod 755 "$bindir/postgres"
}

# Creates the functions of faults.c. Arguments: options of the compiler.
create_faults() {
  local name
  as_server_user gcc "$@" -shared -fPIC -g -O1 -I"$("$PG_CONFIG" --includedir-server)" \
    -o "$scratch/faults.so" "$scratch/src/test/platforms/faults.c"
  for name in heap_overflow stack_overflow signed_overflow not_initialized palloc_overflow; do
    echo "CREATE FUNCTION $name(int) RETURNS int STRICT LANGUAGE C AS '$scratch/faults', '$name';"
  done | quietly "$bindir/psql" -Xq -v ON_ERROR_STOP=1
}

# Calls a faulty function and checks that it is reported. Arguments: function, pattern in the report.
sees() {
  "$bindir/psql" -Xqc "SELECT $1(8)" >"$reports/client" 2>&1 || true
  check "a fault is reported: $1" grep -qsPz "$2" "$reports"/*
  find "$reports" -type f -size +0 -delete
  # The end of one backend ends them all.
  timeout 60 bash -c "until '$bindir/pg_isready' -q; do sleep 0.1; done"
}

# Checks that nothing was reported. Argument: after which tests.
no_report() {
  check "$1: nothing is reported" prints_nothing "print_$kind"
  find "$reports" -type f -size +0 -exec mv -t "$reports.old" {} +
}

# Prints the path of one of gcc's libraries.
runtime() { readlink -f "$(g++ -print-file-name="$1")"; }

# Makes servers run with the sanitizers' runtimes preloaded, before what a test preloads. A report goes to a file and
# ends the process.
start_sanitize() {
  as_server_user gcc -shared -fPIC -O2 -Wall -Wextra -DREPORTS="\"$reports/report\"" \
    -o "$scratch/sanitizers.so" "$scratch/src/test/platforms/sanitizers.c" -ldl
  wrap_servers "ASAN_OPTIONS=log_path=$reports/report:abort_on_error=1:detect_leaks=0:detect_stack_use_after_return=1 \
LD_PRELOAD=\"$(runtime libasan.so) $scratch/sanitizers.so $(runtime libubsan.so) \$LD_PRELOAD\" exec -a \"\$0\""
  start_server
  create_faults "${sanitizers[@]}"
  sees heap_overflow 'AddressSanitizer: heap-buffer-overflow'
  sees stack_overflow 'AddressSanitizer: stack-buffer-overflow'
  sees signed_overflow 'runtime error: signed integer overflow'
}

# Prints the sanitizers' reports.
print_sanitize() { find "$reports" -type f -exec head -n 40 {} +; }

# Makes servers run under valgrind.
start_valgrind() {
  wrap_servers "exec valgrind --quiet --log-file=$reports/%p --num-callers=30 \
--error-limit=no --suppressions=$scratch/src/test/platforms/valgrind.supp"
  start_server
  create_faults
  sees heap_overflow 'Invalid write of size 1\n[^\n]* heap_overflow '
  sees not_initialized 'depends on uninitialised value[^\n]*\n[^\n]* not_initialized '
}

# Prints valgrind's reports with a function of uuidx in the stack.
print_valgrind() {
  cat "$reports"/* | sed -E 's/^==[0-9]+== ?//' |
    awk -v RS= -v ORS='\n\n' '/uuidx_[a-z]|uuidx::|_PG_init|\/uuidx\.so\)/'
}

# Starts a server with assertions, which reports to its log.
start_assert() {
  start_server
  create_faults
  check 'assertions are on' test "$("$bindir/psql" -XAtqc 'SHOW debug_assertions')" = on
  # Reported to the client only, so that the log has no report.
  PGOPTIONS='-c log_min_messages=fatal' sees palloc_overflow 'detected write past chunk end'
}

# Prints what servers have logged of faults in themselves or their memory.
print_assert() {
  grep -rhE --include='*.log' 'TRAP:|problem in alloc|detected write past|(reference|refcount|file) leak' \
    "$scratch/server.log" "$scratch/src" || true
}

# Builds and runs the unit tests. Not optimized, as that takes longer than it saves.
unit_tests() {
  step unit as_server_user env ASAN_OPTIONS=detect_stack_use_after_return=1 \
    make -s -j"$(nproc)" -C "$scratch/src/test/unit" check CXXFLAGS="-g -O0 ${sanitizers[*]}"
}

kind=${1-}
case $kind in
  sanitize)
    packages=(libgtest-dev)
    tap=(009 012 021)
    # Not with the server's flags, with which signed numbers may overflow.
    flags=(CXX="g++ ${sanitizers[*]}" CXXFLAGS='-g -O1 -fno-strict-aliasing')
    ;;
  valgrind)
    packages=(valgrind)
    tap=()
    flags=()
    ;;
  assert)
    packages=(bison bzip2 flex valgrind)
    # Not those that set the clock back by weeks: PostgreSQL's checkpointer asserts that this never happens.
    tap=(001 002 003 009 012 022 026 027 030 031)
    flags=()
    ;;
  *) die "unknown kind '$kind'; usage: test/platforms/instrumented.sh sanitize|valgrind|assert [TEST ...]" ;;
esac
shift
regress=
(($# == 0)) || sort_tests "$@"

need_postgresql g++ make libssl-dev libipc-run-perl perl python3 "${packages[@]}"
if [[ $kind == assert ]]; then use_assert_server; fi
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
reports=$scratch/reports
as_server_user mkdir "$reports" "$reports.old"

if [[ $kind == sanitize && $# == 0 ]]; then unit_tests; fi
use_private_postgresql
make_there -j"$(nproc)" WERROR=-Werror "${flags[@]}" all
install_extension
"start_$kind"
if [[ $# == 0 || -n $regress ]]; then
  sql_tests
  no_report sql
fi
if ((${#tap[@]} > 0)); then
  tap_tests "${tap[@]}"
  no_report tap
fi
finish
