#!/usr/bin/env bash
# Builds uuidx with gcc's AddressSanitizer and UndefinedBehaviorSanitizer, and runs with it the unit
# tests, the SQL tests and those TAP tests that reach most code, or those that the arguments
# name: test/servers/sanitize.sh [NUMBER ...]
# The server is that of PG_CONFIG, unmodified, with the runtimes preloaded. What overflows a chunk of
# palloc's within its block is not seen; test/servers/assert_server.sh sees that. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/servers/watched.sh
source "$(dirname "${BASH_SOURCE[0]}")/watched.sh"

(($# > 0)) || set -- 009 012 013 022 024
sanitizers=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Builds the library. Not with the flags of the server, by which a signed number may overflow.
build() {
  make_there -j"$(nproc)" CXX="g++ ${sanitizers[*]}" CXXFLAGS='-g -O1 -fno-strict-aliasing' WERROR=-Werror all
}

# Prints the path of a runtime.
runtime() { readlink -f "$(g++ -print-file-name="$1")"; }

# Makes servers run with the runtimes preloaded, before what a test preloads. A report goes to a file
# and ends the process.
preload_runtimes() {
  local options=log_path=$reports/report:abort_on_error=1:detect_leaks=0:detect_stack_use_after_return=1
  as_server_user mkdir "$reports"
  as_server_user gcc -shared -fPIC -O2 -Wall -Wextra -DREPORTS="\"$reports/report\"" \
    -o "$scratch/preloaded.so" "$scratch/src/test/servers/preloaded.c" -ldl
  start_servers_by "ASAN_OPTIONS=$options \
LD_PRELOAD=\"$(runtime libasan.so) $scratch/preloaded.so $(runtime libubsan.so) \$LD_PRELOAD\" exec -a \"\$0\""
}

# Calls a function with a planted fault; fails where no report names it. Arguments: function, report.
sees() {
  local status=0
  "$bindir/psql" -Xqc "SELECT $1(8)" >"$scratch/$1.log" 2>&1 || true
  grep -qsE "$2" "$reports"/* || status=1
  rm -f "$reports"/*
  count "$status" "a planted fault is reported: $1"
  # The end of one backend ends them all.
  timeout 60 bash -c "until '$bindir/pg_isready' -q; do sleep 0.1; done"
}

# Fails where there are reports, and shows some. Argument: after which tests.
no_report() {
  local found status=0
  found=$(find "$reports" -type f)
  if [[ -n $found ]]; then
    status=1
    head -n 5 <<<"$found" | xargs head -n 40
    mv "$reports" "$reports.$1"
    as_server_user mkdir "$reports"
  fi
  count "$status" "$1: nothing is reported"
}

need_postgresql g++ make libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
reports=$scratch/reports

# Not optimized, as that takes longer than it saves.
step unit as_server_user env ASAN_OPTIONS=detect_stack_use_after_return=1 \
  make -s -j"$(nproc)" -C "$scratch/src/test/unit" check CXXFLAGS="-g -O0 ${sanitizers[*]}"

make_private
build
install_extension
preload_runtimes
start_server
plant_faults gcc "${sanitizers[@]}"
sees heap_overflow 'AddressSanitizer: heap-buffer-overflow'
sees stack_overflow 'AddressSanitizer: stack-buffer-overflow'
sees signed_overflow 'runtime error: signed integer overflow'
sql_tests
no_report sql
tap_tests "$@"
no_report tap
finish
