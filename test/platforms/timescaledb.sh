#!/usr/bin/env bash
# Builds and installs uuidx and checks columnstore, policies and continuous aggregates of TimescaleDB on a hypertable
# by uuid_v7(): test/platforms/timescaledb.sh
# PG_CONFIG selects the PostgreSQL; nothing is tested unless TimescaleDB is installed in it with the parts under the
# Timescale License, which Debian's package lacks. test/t/015_timescaledb.pl tests the others.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/sql.sh"

# Conditions on rows a minute, and how many batches of the columnstore have their rows.
conditions=(
  "1 id >= timestamptz '2026-01-05 10:00Z' AND id < timestamptz '2026-01-05 11:00Z'"
  "1 id <@ tstzrange('2026-01-05 10:00Z', '2026-01-05 11:00Z')"
)

# Prints the rows by which two tables differ, in all or by a condition. Arguments: condition.
differences() {
  sql <<<"SELECT count(*) FROM (SELECT id, n FROM event WHERE ${1-true}) AS e
    FULL JOIN (SELECT id, n FROM plain WHERE ${1-true}) AS p USING (id, n) WHERE e.* IS NULL OR p.* IS NULL"
}

# Prints the number of batches of 1,000 rows that a query decompresses. Arguments: condition.
batches_read() {
  sql <<<"EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) SELECT n FROM event WHERE $1" |
    sed -nE 's/.*Scan .*on _hyper_[0-9_]+_chunk_compressed .*actual rows=([0-9]+).*/\1/p' |
    awk '{ sum += $1 } END { print sum + 0 }'
}

# A hypertable by the key, with a row a minute for ten days and rows of now, and the same rows in a plain table.
make_tables() {
  sql >/dev/null <<'SQL'
CREATE EXTENSION timescaledb;
CREATE EXTENSION uuidx;
CREATE TABLE plain (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
INSERT INTO plain
SELECT uuid_v7_at('2026-01-01Z'::timestamptz + i * interval '1 minute'), i FROM generate_series(0, 14399) AS i;
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
SELECT create_hypertable('event', by_range('id', interval '1 day'));
INSERT INTO event SELECT * FROM plain;
INSERT INTO event (n) SELECT generate_series(30000, 30099);
INSERT INTO plain SELECT * FROM event WHERE n >= 30000;
ANALYZE plain;
SQL
}

# The columnstore, by a policy that is run by hand.
test_columnstore() {
  local line
  sql >/dev/null <<'SQL'
ALTER TABLE event SET (timescaledb.enable_columnstore, timescaledb.orderby = 'id');
CALL add_columnstore_policy('event', after => interval '1 day');
SELECT alter_job(job_id, scheduled => false) FROM timescaledb_information.jobs WHERE hypertable_name = 'event';
SELECT format('CALL run_job(%s)', job_id) FROM timescaledb_information.jobs WHERE hypertable_name = 'event' \gexec
ANALYZE event;
SQL
  check "the columnstore policy converts old chunks only" prints '10|1' <<'SQL'
SELECT count(*) FILTER (WHERE is_compressed), count(*) FILTER (WHERE NOT is_compressed)
FROM timescaledb_information.chunks WHERE hypertable_name = 'event';
SQL
  check "columnstore and new chunk together have the same rows" equals 0 "$(differences)"
  for line in "${conditions[@]}"; do
    check "the rows are the same, ${line#* }" equals 0 "$(differences "${line#* }")"
    check "only batches of the time are decompressed, ${line#* }" equals "${line%% *}" "$(batches_read "${line#* }")"
  done
}

# Continuous aggregates, by TimescaleDB's own functions of the key.
test_aggregates() {
  local grouped="SELECT count(*) FROM (SELECT day, rows, total FROM daily) AS d
    FULL JOIN (SELECT date_trunc('day', uuid_extract_time(id)) AS day, count(*) AS rows, sum(n) AS total
      FROM plain GROUP BY 1) AS p
    USING (day, rows, total) WHERE d.* IS NULL OR p.* IS NULL"
  check "a continuous aggregate by uuid_extract_time() is refused" fails_with 'time bucket' <<'SQL'
CREATE MATERIALIZED VIEW refused WITH (timescaledb.continuous) AS
SELECT time_bucket('1 day', uuid_extract_time(id)) AS day, count(*) FROM event GROUP BY 1;
SQL
  # Some versions cannot sort by it in the columnstore.
  sql >/dev/null 2>&1 <<<"SELECT time_bucket('1 day', id) FROM event ORDER BY 1 LIMIT 1" ||
    sql <<<'ALTER DATABASE postgres SET timescaledb.enable_optimizations = off'
  sql >/dev/null <<'SQL'
CREATE MATERIALIZED VIEW daily WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT time_bucket('1 day', id) AS day, count(*) AS rows, sum(n) AS total FROM event GROUP BY 1;
SQL
  check "a continuous aggregate by time_bucket(…, id) has the right sums" prints 0 <<<"$grouped"
  sql <<'SQL'
WITH late AS (INSERT INTO event SELECT uuid_v7_at('2026-01-02 12:34:56Z', i), i
    FROM generate_series(40000, 40009) AS i RETURNING *)
INSERT INTO plain SELECT * FROM late;
SQL
  check "a continuous aggregate lacks late rows before a refresh" prints 2 <<<"$grouped"
  sql >/dev/null <<'SQL'
SELECT add_continuous_aggregate_policy('daily', start_offset => NULL, end_offset => interval '1 day',
    schedule_interval => interval '1 day');
SELECT format('CALL run_job(%s)', job_id) FROM timescaledb_information.jobs
WHERE proc_name = 'policy_refresh_continuous_aggregate' \gexec
SQL
  check "its policy refreshes a continuous aggregate" prints 0 <<<"$grouped"
}

# Retention, last.
test_retention() {
  check "the retention policy drops old chunks" prints 1 <<'SQL'
\o /dev/null
SELECT add_retention_policy('event', interval '3 days');
SELECT format('CALL run_job(%s)', job_id) FROM timescaledb_information.jobs WHERE proc_name = 'policy_retention' \gexec
\o
SELECT count(*) FROM show_chunks('event');
SQL
}

need_postgresql g++ make libssl-dev
compgen -G "$("$PG_CONFIG" --pkglibdir)/timescaledb-tsl-*.so" >/dev/null ||
  skip_all "TimescaleDB under the Timescale License is not installed for $PG_CONFIG"
install_tree
server_options="-c shared_preload_libraries=timescaledb,uuidx -c timescaledb.telemetry_level=off -c timezone=UTC"
start_server
make_tables
test_columnstore
test_aggregates
test_retention
finish
