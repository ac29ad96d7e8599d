#!/usr/bin/env bash
# Runs queries of sqlsmith, a generator that knows nothing of uuidx, on tables with time columns, and compares what they
# do with uuidx.enable_time_columns on and off: test/platforms/sqlsmith.sh [--queries N] [--seed N]
# Errors must be the same, and nothing may crash; the rows of up to a quarter must be the same, too. Left out is what
# differs if it runs again, and errors of values (class 22), which depend on the order of evaluation. PG_CONFIG selects
# the PostgreSQL. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
# shellcheck source=test/shell/private.sh
source "$tree/test/shell/private.sh"

queries=2000 seed=1
while (($# > 0)); do
  case $1 in
    --queries) queries=$2 ;;
    --seed) seed=$2 ;;
    *) die "unknown option $1" ;;
  esac
  shift 2
done

# Prints the SQL of the tables: with stored and virtual columns, partitions, inheritance and views.
tables() {
  cat <<'SQL'
CREATE EXTENSION uuidx;
CREATE TABLE plain (n int PRIMARY KEY, name text, t timestamptz, u timestamp);
INSERT INTO plain SELECT n, md5(n::text), t, t FROM generate_series(0, 60) n, to_timestamp(1767225600 + n * 40000) t;
CREATE TABLE stored (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), ref uuid, n int,
  created_at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED,
  written_at timestamp GENERATED ALWAYS AS (uuid_extract_v7_time(ref) AT TIME ZONE 'UTC') STORED);
CREATE TABLE parted (LIKE stored INCLUDING ALL) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2026-01-15Z'));
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (uuid_v7_min('2026-01-15Z')) TO (MAXVALUE);
CREATE TABLE parent (id uuid CHECK (uuid_is_v7(id)), n int);
CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent);
INSERT INTO stored (id, ref, n) SELECT uuid_v7_at(t), nullif(uuid_v7_at(u), uuid_v7_min(u)), n FROM plain;
INSERT INTO parted (id, ref, n) SELECT id, ref, n FROM stored;
INSERT INTO child SELECT id, n FROM stored;
CREATE VIEW viewed AS SELECT n, uuid_extract_v7_time(id) AS at, uuid_extract_v7_time(id)::date AS day FROM parent;
CREATE VIEW united AS SELECT n, uuid_extract_v7_time(id)::timestamptz(6) AS at, lower(id::text) AS name FROM parted
  UNION ALL SELECT n, t, upper(name) FROM plain;
SELECT current_setting('server_version_num')::int >= 180000 AS virtual \gset
\if :virtual
  ALTER TABLE parent ADD made_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL;
\endif
VACUUM ANALYZE;
CREATE ROLE smith LOGIN;
GRANT ALL ON ALL TABLES IN SCHEMA public TO smith;
SQL
}

# Prints the commands for a hundred queries from a number on, with time columns on or off. Each prints its number and a
# hash of its rows, if these are compared, and then its number and SQLSTATE. Arguments: first number, on or off.
commands() {
  awk -v RS=';\n' -v first="$1" -v mode="$2" 'NR >= first && NR < first + 100 {
    query = "\\o /dev/null\n" $0
    if (NR % 4 == 0 && /^ *(select|with)/ && !/ limit | for /)
      query = "SELECT " NR ", count(*), sum(hashtext(q::text)) FROM (" $0 ") AS q"
    printf "BEGIN\\; SET LOCAL uuidx.enable_time_columns = %s;\n%s;\n\\o\n\\echo %d :SQLSTATE\nROLLBACK;\n",
      mode, query, NR }' "$scratch/queries"
}

# Runs queries in chunks, as a crash ends a session. Arguments: on or off, file of results.
run_queries() {
  local first
  for ((first = 1; first <= queries; first += 100)); do
    commands "$first" "$1" >"$scratch/chunk"
    "$bindir/psql" -XAtq -d smith -U smith -f "$scratch/chunk" 2>/dev/null || say crash
    timeout 60 bash -c "until '$bindir/pg_isready' -q; do sleep 0.2; done"
  done >"$2"
}

need_postgresql g++ make libssl-dev sqlsmith
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
use_private_postgresql
make_there -j"$(nproc)" all
install_extension
server_options='-c session_preload_libraries=uuidx -c statement_timeout=2s -c jit=off'
start_server
"$bindir/createdb" smith
tables | quietly "$bindir/psql" -Xq -d smith -v ON_ERROR_STOP=1
sqlsmith --dry-run --max-queries="$queries" --seed="$seed" --exclude-catalog \
  --target="host=$PGHOST port=$PGPORT dbname=smith user=smith" >"$scratch/queries" 2>/dev/null
for run in on off again; do run_queries "${run/again/off}" "$scratch/$run"; done
comm -12 <(sort "$scratch/off") <(sort "$scratch/again") >"$scratch/same"
# Also those that take too long.
grep -hE ' (22...|57014)$' "$scratch/on" "$scratch/off" >"$scratch/left_out" || true
differences() {
  comm -23 "$scratch/same" <(sort "$scratch/on") |
    awk -F'[ |]' 'NR == FNR { out[$1]; next } !($1 in out)' "$scratch/left_out" -
}
say "$(grep -c ' 00000$' "$scratch/same") queries, $(grep -c '|' "$scratch/same") of them with rows to compare, and" \
  "$(grep -cvE '\||00000$' "$scratch/same") errors"
check 'the same with time columns' prints_nothing differences
check 'no crash' test -z "$(grep -h crash "$scratch/on" "$scratch/off")"
finish
