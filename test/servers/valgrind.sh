#!/usr/bin/env bash
# Runs the SQL tests on a server under valgrind, which sees reads of what nobody has written, and reads
# and writes beside the heap's blocks: test/servers/valgrind.sh [SQL TEST ...]
# The server is that of PG_CONFIG, unmodified; under one that test/servers/assert_server.sh has built, valgrind
# knows palloc's chunks, too. A report fails where uuidx has a part in it. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/servers/watched.sh
source "$(dirname "${BASH_SOURCE[0]}")/watched.sh"

# Prints the reports whose stack matches, or with a second argument of '!' does not.
reports_of() {
  cat "$reports"/* | sed -E 's/^==[0-9]+== ?//' | awk -v RS= -v ORS='\n\n' "$2 /$1/"
}

# Calls a function with a planted fault; fails where no report names it. Arguments: function, report.
sees() {
  local status=0
  "$bindir/psql" -Xqc "SELECT $1(8)" >"$scratch/$1.log" 2>&1 || true
  [[ -n $(reports_of "$2[^\n]*\n[^\n]* $1 " '') ]] || status=1
  count "$status" "a planted fault is reported: $1"
}

# Fails where a report touches uuidx; says how many others there are.
no_report() {
  local found status=0
  found=$(reports_of 'uuidx_[a-z]|uuidx::|_PG_init|\/uuidx\.so\)' '')
  if [[ -n $found ]]; then
    status=1
    head -n 100 <<<"$found"
  fi
  count "$status" "nothing of uuidx is reported"
  found=$(reports_of 'uuidx_[a-z]|uuidx::|_PG_init|\/uuidx\.so\)|planted\.c:' '!')
  if [[ -n $found ]]; then say "reported, and not of uuidx:"$'\n'"$(head -n 40 <<<"$found")"; fi
}

regress=$*
need_postgresql g++ make libssl-dev valgrind
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
reports=$scratch/reports
as_server_user mkdir "$reports"

make_private
make_there -j"$(nproc)" WERROR=-Werror all
install_extension
start_servers_by "exec valgrind --quiet --log-file=$reports/%p --num-callers=30 \
--error-limit=no --suppressions=$scratch/src/test/servers/valgrind.supp"
start_server
plant_faults gcc
sees heap_overflow 'Invalid write of size 1'
sees not_initialized 'depends on uninitialised value'
sql_tests
no_report
finish
