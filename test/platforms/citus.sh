#!/usr/bin/env bash
# Builds and installs uuidx and checks what doc/integrations.md says about Citus, on a coordinator and two workers:
# test/platforms/citus.sh
# PG_CONFIG selects the PostgreSQL; nothing is tested if Citus is not installed in it. The nodes listen on sockets only,
# and send no statistics. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
# shellcheck source=test/shell/sql.sh
source "$tree/test/shell/sql.sh"

# The ports of the coordinator and the workers, which Citus numbers as groups 0, 1 and 2.
ports=(5432 5433 5434)

# Prints how many lines of the shards' plans of a query match a pattern. Arguments: query, pattern.
plan_lines() { sql <<<"SET citus.explain_all_tasks = on; EXPLAIN (COSTS off) $1" | grep -c -- "$2"; }

# Prints how many chunk groups a query on columnar tables skips in all.
skipped_groups() {
  sql <<<"SET citus.explain_all_tasks = on; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $1" |
    sed -n 's/.*Columnar Chunk Groups Removed by Filter: //p' |
    awk '{ sum += $1 } END { print sum + 0 }'
}

# Starts the nodes. Their time zone is not that of the sessions.
start_nodes() {
  local port
  server_options="-c shared_preload_libraries=citus,uuidx -c timezone=UTC -c max_connections=200"
  server_options+=" -c citus.enable_statistics_collection=off -c citus.local_hostname=$scratch -c citus.shard_count=4"
  start_server
  for port in "${ports[@]:1}"; do
    uninterrupted initdb -D "$scratch/$port" -A trust -U postgres --no-sync --encoding=UTF8 --locale=C
    uninterrupted pg_ctl -D "$scratch/$port" -l "$scratch/$port.log" -w start \
      -o "-k $scratch -p $port -c listen_addresses= -c fsync=off $server_options"
  done
}

# Creates a database on every node, for which Citus has no command by default, and makes a cluster of them. Arguments:
# database, SQL to run before in the coordinator's.
make_cluster() {
  local port
  for port in "${ports[@]}"; do sql -p "$port" <<<"CREATE DATABASE $1"; done
  sql -d "$1" <<<"${2-}"
  for port in "${ports[@]}"; do sql -p "$port" -d "$1" <<<'CREATE EXTENSION citus'; done
  {
    echo "SELECT citus_set_coordinator_host('$scratch', ${ports[0]});"
    printf "SELECT citus_add_node('$scratch', %d);\n" "${ports[@]:1}"
  } | sql -d "$1" >/dev/null
}

# Prints the blocks of SQL in the page's section on Citus, divided by empty comments.
page_blocks() {
  awk '/^## / { here = /^## Citus$/ } here && /^```$/ && inside { inside = 0; print "--" } inside
    here && /^```sql$/ { inside = 1 }' "$tree/doc/integrations.md"
}

# Prints whether a worker has the extension. Arguments: database.
created_on_worker() { sql -p "${ports[1]}" -d "$1" <<<"SELECT extversion FROM pg_extension WHERE extname = 'uuidx'"; }

# An extension that was created before Citus.
test_early() {
  make_cluster early 'CREATE EXTENSION uuidx'
  check "an extension created before Citus is not on the workers" equals '' "$(created_on_worker early)"
  check "without the extension on the workers, a query fails" \
    fails_with 'type "public.uuid_time_range" does not exist' -d early <<'SQL'
CREATE TABLE event (id uuid);
SELECT create_distributed_table('event', 'id');
SELECT count(*) FROM event WHERE id <@ tstzrange('2026-01-01', '2026-01-02');
SQL
  check "CREATE EXTENSION IF NOT EXISTS is sent to the workers" prints '' -d early \
    <<<'CREATE EXTENSION IF NOT EXISTS uuidx'
  check "after IF NOT EXISTS, the workers have the extension" equals 1.0 "$(created_on_worker early)"
  check "versions of the extension are not compared" prints $'t\n0' -d early <<'SQL'
SELECT bool_and(success)
FROM run_command_on_workers($$UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'uuidx'$$);
CREATE EXTENSION IF NOT EXISTS uuidx;
SELECT count(*) FROM event WHERE id >= now();
SQL
  make_cluster early_default 'CREATE EXTENSION uuidx; CREATE TABLE event (id uuid DEFAULT uuid_v7())'
  sql -d early_default >/dev/null <<<"SELECT create_distributed_table('event', 'id')"
  check "a default sends the extension to the workers" equals 1.0 "$(created_on_worker early_default)"
}

# A worker without the extension's files, by the folder that PostgreSQL 18 can look in instead of its own.
test_missing() {
  if ! sql <<<'SHOW extension_control_path' >/dev/null 2>&1; then
    skip "extension missing on a worker" "PostgreSQL 18 can hide it"
    return
  fi
  as_server_user mkdir -p "$scratch/citus_alone/extension"
  as_server_user cp "$("$PG_CONFIG" --sharedir)"/extension/citus* "$scratch/citus_alone/extension"
  sql -p "${ports[1]}" <<<"ALTER SYSTEM SET extension_control_path = '$scratch/citus_alone'"
  sql -p "${ports[1]}" >/dev/null <<<'SELECT pg_reload_conf()'
  make_cluster missing
  check "CREATE EXTENSION fails if a worker lacks the files" \
    fails_with 'extension "uuidx" is not available' -d missing <<<'CREATE EXTENSION uuidx'
}

# The number of each node.
test_node_ids() {
  local shown="SELECT string_agg(result, ' ' ORDER BY nodeid) FROM run_command_on_all_nodes('SHOW uuidx.node_id')"
  sql <<<'ALTER DATABASE cluster SET uuidx.node_id = 7'
  check "ALTER DATABASE gives all nodes one number" prints '7 7 7' <<<"$shown"
  page_blocks | awk -v RS='--\n' '/uuidx.node_id/' | sql >/dev/null
  check "the page's command gives each node its own number" prints '0 1 2' <<<"$shown"
}

# Checks on which nodes a statement computes the default uuid_v8_node(). Arguments: name, nodes, arguments of psql.
made_on() {
  {
    echo 'TRUNCATE target;'
    cat
    printf '\n%s\n' "SELECT DISTINCT uuid_extract_v8_node(id) AS node FROM target ORDER BY node;"
  } >"$scratch/made_on.sql"
  check "$1" prints "$2" "${@:3}" <"$scratch/made_on.sql"
}

# Where defaults are computed.
test_defaults() {
  sql >/dev/null <<'SQL'
CREATE TABLE source (tenant int, n int);
SELECT create_distributed_table('source', 'tenant');
INSERT INTO source SELECT i * 7919 % 50, i FROM generate_series(1, 2000) AS i;
CREATE TABLE target (tenant int, n int, id uuid DEFAULT uuid_v8_node(), ordered uuid DEFAULT uuid_v7_server());
SELECT create_distributed_table('target', 'tenant');
SQL
  made_on "VALUES on the coordinator" 0 \
    <<<'INSERT INTO target (tenant) VALUES (1); INSERT INTO target (tenant) VALUES (2);'
  made_on "several rows of VALUES" 0 <<<'INSERT INTO target (tenant) VALUES (1), (2), (3), (4), (5), (6), (7), (8);'
  made_on "COPY" 0 <<<$'COPY target (tenant) FROM STDIN;\n1\n2\n3\n4\n5\n6\n\\.'
  made_on "SELECT from no table" 0 <<<'INSERT INTO target (tenant) SELECT generate_series(1, 100);'
  made_on "SELECT from a local table" 0 <<'SQL'
CREATE TEMP TABLE here AS SELECT i AS tenant FROM generate_series(1, 100) AS i;
INSERT INTO target (tenant) SELECT tenant FROM here;
SQL
  made_on "VALUES on a worker" 1 -p "${ports[1]}" <<<'INSERT INTO target (tenant) VALUES (1), (2), (3), (4), (5), (6);'
  made_on "SELECT from a distributed table" $'1\n2' <<<'INSERT INTO target (tenant, n) SELECT tenant, n FROM source;'
  check "INSERT SELECT generates each row's id on the worker of its source" prints '2000|2000' <<'SQL'
TRUNCATE target;
INSERT INTO target (tenant, n) SELECT n, tenant FROM source;
CREATE TEMP TABLE got AS SELECT n AS tenant, uuid_extract_v8_node(id) AS node FROM target;
SELECT count(*), count(*) FILTER (WHERE node = groupid)
FROM got JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('source', tenant);
SQL
  check "INSERT with ORDER BY is out of order" prints t <<'SQL'
TRUNCATE target;
INSERT INTO target (tenant, n) SELECT tenant, n FROM source ORDER BY n;
CREATE TEMP TABLE got AS SELECT n, ordered FROM target;
SELECT count(*) > 0 FROM (SELECT ordered < lag(ordered) OVER (ORDER BY n) AS falls FROM got) AS pairs WHERE falls;
SQL
  check "INSERT with ORDER BY and OFFSET 0 in a subquery is in order" prints '2000|0' <<'SQL'
TRUNCATE target;
INSERT INTO target (tenant, n) SELECT tenant, n FROM (SELECT tenant, n FROM source ORDER BY n OFFSET 0) AS sorted;
CREATE TEMP TABLE got AS SELECT n, ordered FROM target;
SELECT count(*), count(*) FILTER (WHERE falls)
FROM (SELECT ordered < lag(ordered) OVER (ORDER BY n) AS falls FROM got) AS pairs;
SQL
}

# Which of uuidx's functions UPDATE takes.
test_limits() {
  local all='SELECT count(*), count(DISTINCT key), bool_and(uuid_is_v7(key)) FROM customer'
  sql >/dev/null <<'SQL'
CREATE TABLE customer (tenant int, n int, at timestamptz, key uuid, PRIMARY KEY (tenant, n));
SELECT create_distributed_table('customer', 'tenant');
INSERT INTO customer SELECT i % 50, i, '2026-01-01Z'::timestamptz + i * interval '1 s'
FROM generate_series(1, 500) AS i;
SQL
  check "UPDATE with a volatile function is refused" \
    fails_with 'functions used in UPDATE queries on distributed tables must not be VOLATILE' \
    <<<'UPDATE customer SET key = uuid_v7_at(at)'
  check "immutable functions back-fill by UPDATE" prints '500|500|t' \
    <<<"UPDATE customer SET key = uuid_v7_at(at, nil_uuid(), n::text); $all"
  check "volatile functions back-fill on the shards" prints $'t\n500|500|t' <<SQL
SELECT bool_and(success) FROM run_command_on_shards('customer', 'UPDATE %s SET key = uuid_v7_at(at, n)'); $all
SQL
}

# Time zones and now(), with a row an hour for three days.
test_times() {
  sql >/dev/null <<'SQL'
CREATE TABLE hourly (id uuid PRIMARY KEY);
SELECT create_distributed_table('hourly', 'id');
INSERT INTO hourly SELECT uuid_v7_at('2026-01-01Z'::timestamptz + i * interval '1 hour')
FROM generate_series(0, 71) AS i;
SQL
  local days="SELECT count(*) FROM hourly GROUP BY date_trunc('day', uuid_extract_time(id)"
  local tokyo="SET timezone = 'Asia/Tokyo'"
  check "the worker's zone applies to a date" prints 48 \
    <<<"$tokyo; SELECT count(*) FROM hourly WHERE id >= date '2026-01-02'"
  check "the session's zone applies to a timestamptz" prints 57 \
    <<<"$tokyo; SELECT count(*) FROM hourly WHERE id >= timestamptz '2026-01-02'"
  check "the session's zone applies to a tstzrange" prints 24 \
    <<<"$tokyo; SELECT count(*) FROM hourly WHERE id <@ tstzrange('2026-01-02', '2026-01-03')"
  check "the worker's zone applies to date_trunc" prints $'24\n24\n24' <<<"$tokyo; $days) ORDER BY min(id)"
  check "date_trunc with a zone is in that zone" prints $'15\n24\n24\n9' \
    <<<"$tokyo; $days, 'Asia/Tokyo') ORDER BY min(id)"
  check "SET LOCAL timezone can be sent to the workers" prints $'15\n24\n24\n9\n57' <<SQL
BEGIN; SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL timezone = 'Asia/Tokyo';
$days) ORDER BY min(id); SELECT count(*) FROM hourly WHERE id >= date '2026-01-02';
SQL
  check "now() is each worker's own" prints 't' <<'SQL'
BEGIN;
SELECT now() AS began \gset
SELECT FROM pg_sleep(0.1);
SELECT bool_and(now() > :'began') FROM hourly;
SQL
}

# Readers after the last transaction, whose numbers differ between the nodes, and after a time.
test_readers() {
  local burn='DO $$ BEGIN FOR i IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$'
  local read='SELECT what FROM ticket WHERE xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid'
  sql >/dev/null <<'SQL'
CREATE TABLE ticket (id uuid DEFAULT uuid_v7(), what text, xid xid8 NOT NULL DEFAULT pg_current_xact_id());
SELECT create_distributed_table('ticket', 'id');
SQL
  sql <<<"$burn"
  check "a reader by xid8 does not see a committed row" prints '' <<<"INSERT INTO ticket (what) VALUES ('first'); $read"
  for port in "${ports[@]:1}"; do sql -p "$port" <<<"$burn; $burn"; done
  check "a reader by xid8 reads past a row that is not committed" prints $'second\nfirst\nsecond' <<SQL
TRUNCATE ticket;
BEGIN; INSERT INTO ticket (what) VALUES ('first');
\! "$bindir/psql" -XAtqc "INSERT INTO ticket (what) VALUES ('second')" -c "$read"
COMMIT;
$read
SQL
}

# Partitions by time, of Citus and of pg_partman.
test_partitions() {
  local today="id <@ tstzrange(date_trunc('day', now()), date_trunc('day', now()) + interval '1 hour')"
  sql >/dev/null <<'SQL'
CREATE TABLE log (tenant int, id uuid NOT NULL DEFAULT uuid_v7(), line text) PARTITION BY RANGE (id);
SELECT create_distributed_table('log', 'tenant');
SQL
  if ! sql -c 'CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman' 2>"$scratch/partman.log"; then
    skip "pg_partman" "pg_partman is not installed"
    return
  fi
  check "pg_partman creates distributed partitions" prints $'t\nt' <<'SQL'
SELECT partman.create_parent('public.log', 'id', '1 day', p_premake := 2,
    p_time_encoder := 'public.uuid_v7_min', p_time_decoder := 'public.uuid_time_decoder');
SELECT count(*) > 4 AND bool_and(inhrelid IN (SELECT logicalrelid FROM pg_dist_partition))
FROM pg_inherits WHERE inhparent = 'log'::regclass;
SQL
  check "rows of today are in one partition" prints '100|1' <<'SQL'
INSERT INTO log (tenant, line) SELECT i, 'line' FROM generate_series(1, 100) AS i;
SELECT count(*), count(DISTINCT name)
FROM (SELECT regexp_replace(tableoid::regclass::text, '_\d+$', '') AS name FROM log) AS t;
SQL
  check "each shard reads one partition" equals 4 "$(plan_lines "SELECT * FROM log WHERE $today" 'Scan.* on log_p')"
}

# Plans on the shards: of the key, of max() and on columnar tables.
test_plans() {
  sql >/dev/null <<'SQL'
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
SELECT create_distributed_table('event', 'id');
INSERT INTO event SELECT uuid_v7_at('2026-01-01Z'::timestamptz + i * interval '1 minute'), i
FROM generate_series(0, 39999) AS i;
VACUUM ANALYZE event;
SQL
  check "a time uses the index of each shard" equals 4 \
    "$(plan_lines "SELECT n FROM event WHERE id >= timestamptz '2026-01-28 10:00Z'" 'Index Cond: (id >= ')"
  check "<@ uses the index of each shard" equals 4 \
    "$(plan_lines "SELECT n FROM event WHERE id <@ tstzrange('2026-01-02Z', '2026-01-02 01:00Z')" \
      'Index Cond: ((id >= ')"
  check "max(id) uses the index of each shard" \
    equals 4 "$(plan_lines 'SELECT max(id) FROM event' 'Index Only Scan Backward')"
}

# Columnar tables: `<@` skips the chunk groups that comparisons skip.
test_columnar() {
  local by table expected
  local -A condition=([comparisons]="id >= timestamptz '2026-01-10 01:00Z' AND id < timestamptz '2026-01-10 06:00Z'"
    ['<@']="id <@ tstzrange('2026-01-10 01:00Z', '2026-01-10 06:00Z')"
    ['<@ multirange']="id <@ '{[2026-01-10 01:00Z,2026-01-10 02:00Z),
      [2026-01-10 03:00Z,2026-01-10 06:00Z)}'::tstzmultirange")
  if ! sql -c 'CREATE EXTENSION citus_columnar' 2>"$scratch/columnar.log"; then
    skip "columnar tables" "citus_columnar is not installed"
    return
  fi
  sql >/dev/null <<'SQL'
CREATE TABLE archive (id uuid, n int) USING columnar;
SELECT alter_columnar_table_set('archive', chunk_group_row_limit => 1000);
INSERT INTO archive SELECT uuid_v7_at('2026-01-01Z'::timestamptz + i * interval '1 minute'), i
FROM generate_series(0, 39999) AS i;
ANALYZE archive;
CREATE TABLE archives (LIKE archive) USING columnar;
SELECT alter_columnar_table_set('archives', chunk_group_row_limit => 1000);
SELECT create_distributed_table('archives', 'n');
INSERT INTO archives SELECT id, n FROM archive;
ANALYZE archives;
SQL
  for table in archive archives; do
    expected=$(skipped_groups "SELECT n FROM $table WHERE ${condition[comparisons]}")
    check "comparisons on $table skip chunk groups" test "$expected" -ge 36
    for by in '<@' '<@ multirange'; do
      check "$by on $table skips the same chunk groups" \
        equals "$expected" "$(skipped_groups "SELECT n FROM $table WHERE ${condition[$by]}")"
    done
  done
}

need_postgresql g++ make libssl-dev
[[ -f $("$PG_CONFIG" --sharedir)/extension/citus.control ]] || skip_all "Citus is not installed for $PG_CONFIG"
make_scratch
make_there -j"$(nproc)" all
install_extension
start_nodes
make_cluster cluster
export PGDATABASE=cluster
sql <<<'CREATE EXTENSION uuidx'
say "using $("$PG_CONFIG" --version), $(sql <<<'SELECT citus_version()')"
check "CREATE EXTENSION is sent to the workers" prints "1.0" -p "${ports[2]}" \
  <<<"SELECT extversion FROM pg_extension WHERE extname = 'uuidx'"
test_node_ids
test_defaults
test_limits
test_times
test_readers
test_partitions
test_plans
test_columnar
test_early
make_cluster page 'CREATE EXTENSION uuidx'
check "the page's statements run" sql -d page < <(page_blocks)
test_missing
finish
