#!/usr/bin/env bash
# Counts the instructions of one call of each generator, by valgrind's callgrind in a single-user server:
# test/bench/instructions.sh
# Unlike times, they are the same in every run on one machine, so that two builds can be compared exactly. Includes
# the C library, the server's palloc and libcrypto; valgrind has no vDSO, so reading the clock is a system call there,
# of few instructions.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

calls=20000

# The symbols and calls of the counted functions.
functions=(
  "uuidx_v7 uuid_v7()" "uuidx_v4 uuid_v4()" "uuidx_v1 uuid_v1()" "uuidx_v6 uuid_v6()"
  "uuidx_v7_at uuid_v7_at(now())" "uuidx_v5_text uuid_v5(ns,'name-'||i)" "uuidx_v3_text uuid_v3(ns,'name-'||i)"
  "uuidx_v7_min uuid_v7_min(now()+i*interval'1s')" "uuidx_extract_time uuid_extract_time(id)"
)

# Prints the instructions of a call: the symbol's own, and with everything it calls. Collection is on only within the
# function.
instructions_of() {
  local symbol=$1 call=$2 out=$scratch/callgrind.$1
  as_server_user valgrind --tool=callgrind --callgrind-out-file="$out" --collect-atstart=no \
    --toggle-collect="$symbol" "$bindir/postgres" --single -D "$scratch/data" -c "max_parallel_workers_per_gather=0" \
    postgres >/dev/null 2>"$scratch/valgrind.log" <<EOF
SELECT count($call) FROM (SELECT i, id, ns FROM made LIMIT $calls) AS m
EOF
  as_server_user callgrind_annotate --threshold=100 "$out" >"$scratch/own"
  # Inlined functions are listed by their file, without the library.
  awk -v calls="$calls" '
    { gsub(",", "") }
    /PROGRAM TOTALS/ { all = $1 }
    /src\/[a-z0-9_]+\.[ch]pp:|:uuidx_|uuidx\.so/ { own += $1 }
    END {
      if (all == 0) exit 1
      printf "%8.1f  %8.1f", own / calls, all / calls
    }' "$scratch/own" || die "nothing was counted for $symbol"
}

prepare valgrind
start_server
"$bindir/psql" -XqAt >/dev/null <<EOF
CREATE EXTENSION uuidx;
CREATE TABLE made AS
SELECT i, uuid_v7() AS id, uuid_namespace('dns') AS ns FROM generate_series(1, $calls) AS i;
EOF
"$PG_CONFIG" --version
quietly as_server_user "$bindir/pg_ctl" -D "$scratch/data" -m fast stop
say "    own   with all  instructions a call, of $calls"
for function in "${functions[@]}"; do
  read -r symbol call <<<"$function"
  say "$(instructions_of "$symbol" "$call")  ${call%%(*}()"
done
