#!/usr/bin/env bash
# Uses tools on a table keyed by uuid_v7(): test/clients/tools.sh, run by test/clients/run.sh
# psql, logical decoding, pg_repack and pg_squeeze. PGHOST, PGPORT, PGUSER and PGDATABASE lead to the server, whose
# programs are in bindir and which has wal_level = logical.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

stop=${scratch:?}/stop

# Runs statements and prints their values.
sql() { "${bindir:?}/psql" -XAtq -v ON_ERROR_STOP=1 "$@"; }

# Checks that psql shows the default, and a view with the domain that a time range is cast to.
use_psql() {
  sql -c "CREATE VIEW day AS SELECT id FROM event WHERE id <@ tstzrange('2026-01-10Z', '2026-01-11Z')"
  check "psql: \\d shows the default" grep -q '^ id .* uuid_v7()$' <("$bindir/psql" -Xc '\d event')
  check "psql: \\d+ shows the domain" grep -q ' <@ tstzrange(.*)::uuid_time_range;' <("$bindir/psql" -Xc '\d+ day')
  check "psql: \\x shows a key" grep -q '^id | ........-....-7' <("$bindir/psql" -Xxc 'SELECT id FROM day LIMIT 1')
}

# Trusts the other plugins, as newer minor releases ask for.
trust_plugins() {
  sql -o /dev/null <<'SQL'
SELECT 'ALTER SYSTEM SET output_plugin_libraries = test_decoding, wal2json, pg_squeeze'
FROM pg_settings WHERE name = 'output_plugin_libraries' \gexec
SELECT pg_reload_conf();
SQL
  until [[ $(sql -c "SELECT current_setting('output_plugin_libraries', true)") =~ ^$|wal2json ]]; do sleep 0.1; done
}

# Checks that a plugin decodes changes with their keys, and WAL of uuid_v7_server().
decode() {
  local id changes
  if ! sql -o /dev/null -c "SELECT pg_create_logical_replication_slot('$1', '$1')" 2>"$scratch/$1.error"; then
    say "ok - $1 # skip $(head -n 1 "$scratch/$1.error")"
    return
  fi
  id=$(sql -c "INSERT INTO event (what) VALUES ('decoded') RETURNING id")
  sql -c "UPDATE event SET id = uuid_v7_server() WHERE id = '$id'" -c "DELETE FROM event WHERE what = 'decoded'"
  changes=$(sql -c "SELECT data FROM pg_logical_slot_get_changes('$1', NULL, NULL)" \
    -c "SELECT FROM pg_drop_replication_slot('$1')")
  check "$1: INSERT, and UPDATE of a key, have it" test "$(grep -c "$id" <<<"$changes")" = 2
  check "$1: DELETE has the other" test "$(grep -v "$id" <<<"$changes" | grep -cE '[0-9a-f]{8}-[0-9a-f-]{27}')" = 1
}

# Counts the rows of a day until told to stop, one count a line.
read_on() {
  while [[ ! -e $stop ]]; do sql -c 'SELECT count(*) FROM day'; done
}

# Inserts rows until told to stop, and prints their keys.
write_on() {
  while [[ ! -e $stop ]]; do sql -c "INSERT INTO event (what) VALUES ('meanwhile') RETURNING id"; done
}

# Checks that a command rewrites the table while others read and write. Arguments: name, command.
rewrite() {
  local before reader writer status=0
  sql -c "CREATE EXTENSION $1" -c 'DELETE FROM event WHERE n % 2 = 0 AND id NOT IN (TABLE day)'
  before=$(sql -c "SELECT pg_relation_filenode('event')")
  read_on >"$scratch/read" &
  reader=$!
  write_on >"$scratch/written" &
  writer=$!
  for _ in {1..600}; do
    [[ ! -s $scratch/read || ! -s $scratch/written ]] || break
    sleep 0.1
  done
  "${@:2}" >"$scratch/rewrite" 2>&1 || status=$?
  touch "$stop"
  check "$1 succeeds: $(tail -n 1 "$scratch/rewrite")" test "$status" = 0
  status=0
  wait "$reader" || status=$?
  wait "$writer" || status=$?
  rm "$stop"
  check "no reader or writer fails" test "$status" = 0
  check "$1 rewrites the table" test "$before" != "$(sql -c "SELECT pg_relation_filenode('event')")"
  check "meanwhile, the day has its rows" test "$(sort -u "$scratch/read")" = 288
  check "every key is there" cmp "$scratch/written" <(sql -c "SELECT id FROM event WHERE what = 'meanwhile' ORDER BY n")
  check "the index serves the time range" grep -q 'Index Cond' <(sql -c 'SET enable_seqscan = off' \
    -c 'EXPLAIN (COSTS OFF) TABLE day')
  sql -c "DELETE FROM event WHERE what = 'meanwhile'"
}

use_psql
decode test_decoding
trust_plugins
decode wal2json
if [[ -x $bindir/pg_repack ]]; then
  rewrite pg_repack "$bindir/pg_repack" --table=event --no-kill-backend
else
  say "ok - pg_repack # skip not installed"
fi
if [[ $(sql -c 'SHOW shared_preload_libraries') == *pg_squeeze* ]]; then
  rewrite pg_squeeze sql -c "SELECT squeeze.squeeze_table('public', 'event')"
else
  say "ok - pg_squeeze # skip not installed"
fi
