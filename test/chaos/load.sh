#!/usr/bin/env bash
# Lets sessions insert, query, be canceled and reconnect on a temporary server: test/chaos/load.sh [--soak MINUTES]
# MINUTES is 1 by default. The sessions' memory must not grow, and the server's log must have no error.
# PG_CONFIG selects the PostgreSQL. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

psql() { "$bindir/psql" -XAtq "$@"; }

# Repeats statements in one session until the end of the soak test. Arguments: name, statements.
stay() {
  local line
  coproc client { PGAPPNAME=$1 psql 2>"$scratch/$1.log"; }
  while ((SECONDS < end)); do
    printf '%s\n\\echo the end of a round\n' "$2" >&"${client[1]}"
    # A pipe would buffer many rounds, which would run on after the end.
    while [[ ${line-} != 'the end of a round' ]]; do
      read -r line <&"${client[0]}" || return
      [[ $line != 'used '* ]] || say "$1 $SECONDS ${line#* }" >>"$scratch/contexts"
    done
    line=
  done
}

# Connects for a few values, repeatedly.
reconnect() {
  local count=0
  while ((SECONDS < end)); do
    psql -c 'INSERT INTO event SELECT id, 2 FROM unnest(ARRAY[uuid_v7(), uuid_v4(), uuid_v1()]) AS id' \
      -c "SELECT count(*) FROM event WHERE id >= now() - interval '1 second'" >/dev/null || break
    count=$((count + 1))
  done
  say "$count" >"$scratch/connections"
}

# Records the private memory of each lasting session, in kB, every second.
watch_memory() {
  local name pid
  while ((SECONDS < end)); do
    # Sessions have no name before the first statement.
    while IFS='|' read -r name pid; do
      awk -v name="$name.$pid" -v time="$SECONDS" '/^RssAnon:/ { print name, time, $2 }' "/proc/$pid/status" || true
    done < <(psql -c "SELECT application_name, pid FROM pg_stat_activity
      WHERE application_name ~ '^stay' AND backend_type = 'client backend'") \
      >>"$scratch/memory"
    sleep 1
  done
}

# Prints by how much a session's memory grows: the least growth from one eighth of the time to the next in the last
# half, by the minimum of each, as a running statement needs some. A leak shows in all of them; a step, such as a first
# large statement makes, in one. Arguments: file, session, start, duration.
slope() {
  awk -v name="$2" -v begin="$3" -v span="$4" '
    $1 == name {
      part = int(($2 - begin) * 8 / span)
      if (!(part in least) || $3 < least[part]) least[part] = $3
    }
    END {
      for (part = 5; part < 8; part++) {
        if (!(part in least) || !(part - 1 in least)) { print "unknown"; exit }
        growth = least[part] - least[part - 1]
        if (part == 5 || growth < slope) slope = growth
      }
      print slope
    }' "$1"
}

# Checks that a session's memory does not grow. Arguments: what is measured, limit, arguments of slope.
check_slope() {
  local slope
  slope=$(slope "${@:3}")
  check "$4: $1 grow by at most $2 in an eighth of the time: $slope" test "${slope/unknown/$(($2 + 1))}" -le "$2"
}

# Prints unexpected log lines. A parallel worker is terminated when its query is canceled, and one that starts only
# then finds no shared memory. A canceled statement leaves its transaction aborted for the following ones. A session
# may end after it was selected for a cancel.
faults_in_log() {
  local worker='terminating background worker "parallel worker" due to administrator command'
  worker+='|could not (map dynamic shared memory segment|attach to dynamic shared area)'
  grep -E '(ERROR|FATAL|PANIC|WARNING):|terminated by|crash' "$scratch/server.log" |
    grep -vE "canceling statement due to (user request|statement timeout)|current transaction is aborted|$worker" |
    grep -vE 'WARNING:  PID [0-9]+ is not a PostgreSQL (backend|server) process$' || true
}

# Runs sessions that reconnect, last, and are canceled, for the given minutes.
soak() {
  local began=$SECONDS name names connections cancelled all=() job
  end=$((began + soak_minutes * 60))
  psql -c 'CREATE TABLE event (id uuid PRIMARY KEY, kind int)'
  stay stay_1 "$(<"$scratch/src/test/chaos/load_round.sql")" &
  all+=($!)
  stay stay_2 "$(<"$scratch/src/test/chaos/load_round.sql")" &
  all+=($!)
  # Interrupted while generating values, in a transaction that writes them and in one that does not.
  stay stay_3 "SELECT set_config('statement_timeout', (1 + random() * 50)::int::text, false);
    SELECT count(uuid_v7()), count(uuid_v4()), count(uuid_v7_server()) FROM generate_series(1, 100000000);
    INSERT INTO event SELECT uuid_v7(), 3 FROM generate_series(1, 100000000);" &
  all+=($!)
  stay cancel "SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE application_name IN ('stay_1', 'stay_2') AND state = 'active' ORDER BY random() LIMIT 1;
    SELECT pg_sleep(random() * 0.2);" &
  all+=($!)
  reconnect &
  all+=($!)
  watch_memory &
  all+=($!)
  for job in "${all[@]}"; do wait "$job" || true; done

  names=$(cut -d' ' -f1 "$scratch/memory" | sort -u)
  check "three sessions stayed connected: $(xargs <<<"$names")" test "$(wc -l <<<"$names")" = 3
  # To the byte, but only what PostgreSQL counts; a leak of libcrypto shows in the other one.
  for name in stay_1 stay_2; do
    check_slope 'bytes in memory contexts' 256 "$scratch/contexts" "$name" "$began" $((end - began))
  done
  for name in $names; do
    check_slope 'kB of private memory' 64 "$scratch/memory" "$name" "$began" $((end - began))
  done
  connections=$(<"$scratch/connections")
  check "$connections other sessions came and went" test "$connections" -gt $((soak_minutes * 60))
  cancelled=$(grep -c 'ERROR:  canceling statement' "$scratch/server.log") || true
  check "$cancelled statements were canceled" test "$cancelled" -gt $((soak_minutes * 60))
  check "values were generated to the end" \
    test "$(psql -c "SELECT max(uuid_extract_time(id)) > now() - interval '10 seconds' FROM event WHERE kind = 7")" = t
  check "nothing else in the log" prints_nothing faults_in_log
}

soak_minutes=1
if (($# > 0)); then
  [[ $1 == --soak && ${2-} =~ ^[1-9][0-9]{0,4}$ && $# -eq 2 ]] || die "usage: test/chaos/load.sh [--soak MINUTES]"
  soak_minutes=$2
fi

need_postgresql g++ make libssl-dev
make_scratch
make_there -j"$(nproc)" all
install_extension
server_options="-c shared_preload_libraries=uuidx"
start_server
psql -c 'CREATE EXTENSION uuidx'
say "using $("$PG_CONFIG" --version), $PG_CONFIG"

soak
finish
