#!/usr/bin/env bash
# Builds and installs uuidx and checks what doc/integrations.md says about Citus, on a coordinator and two workers:
# test/platforms/citus.sh
# PG_CONFIG selects the PostgreSQL; nothing is tested if it has no Citus. The nodes listen on sockets, and call nobody.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/sql.sh"

# The ports of the coordinator and the workers, which Citus numbers as groups 0, 1 and 2.
ports=(5432 5433 5434)

# Prints how many lines of the shards' plans of a query match a pattern. Arguments: query, pattern.
plan_lines() { sql <<<"SET citus.explain_all_tasks = on; EXPLAIN (COSTS off) $1" | grep -c -- "$2"; }

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
    fails_with 'function public.uuid_is_v7(uuid) does not exist' -d early <<'SQL'
CREATE TABLE event (id uuid);
SELECT create_distributed_table('event', 'id');
SELECT count(*) FROM event WHERE id <@ tstzrange('2026-01-01', '2026-01-02');
SQL
  sql -d early <<<'CREATE EXTENSION IF NOT EXISTS uuidx'
  check "after IF NOT EXISTS, the workers have the extension" equals 1.0 "$(created_on_worker early)"
}

# The number of each node.
test_node_ids() {
  page_blocks | awk -v RS='--\n' '/uuidx.node_id/' | sql >/dev/null
  check "the page's command gives each node its own number" prints '0 1 2' <<'SQL'
SELECT string_agg(result, ' ' ORDER BY nodeid) FROM run_command_on_all_nodes('SHOW uuidx.node_id');
SQL
}

# Where defaults are computed.
test_defaults() {
  local values='TRUNCATE target; INSERT INTO target (tenant) VALUES (1), (2), (3), (4), (5), (6);
    SELECT DISTINCT uuid_extract_v8_node(id) FROM target'
  sql >/dev/null <<'SQL'
CREATE TABLE source (tenant int, n int);
SELECT create_distributed_table('source', 'tenant');
INSERT INTO source SELECT i * 7919 % 50, i FROM generate_series(1, 2000) AS i;
CREATE TABLE target (tenant int, n int, id uuid DEFAULT uuid_v8_node());
SELECT create_distributed_table('target', 'tenant');
SQL
  check "the coordinator computes the defaults of VALUES" prints 0 <<<"$values"
  check "a worker computes the defaults of VALUES that are sent to it" prints 1 -p "${ports[1]}" <<<"$values"
  check "INSERT SELECT generates each row's id on the worker of its source" prints '2000|2000' <<'SQL'
TRUNCATE target;
INSERT INTO target (tenant, n) SELECT n, tenant FROM source;
CREATE TEMP TABLE got AS SELECT n AS tenant, uuid_extract_v8_node(id) AS node FROM target;
SELECT count(*), count(*) FILTER (WHERE node = groupid)
FROM got JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('source', tenant);
SQL
}

# UPDATE with a function of uuidx that is volatile.
test_update() {
  sql >/dev/null <<'SQL'
CREATE TABLE customer (tenant int, at timestamptz, key uuid);
SELECT create_distributed_table('customer', 'tenant');
SQL
  check "UPDATE with a volatile function is refused" \
    fails_with 'functions used in UPDATE queries on distributed tables must not be VOLATILE' \
    <<<'UPDATE customer SET key = uuid_v7_at(at)'
}

# Time zones and now(), with a row an hour for three days.
test_times() {
  sql >/dev/null <<'SQL'
CREATE TABLE hourly (id uuid PRIMARY KEY);
SELECT create_distributed_table('hourly', 'id');
INSERT INTO hourly SELECT uuid_v7_at('2026-01-01Z'::timestamptz + i * interval '1 hour')
FROM generate_series(0, 71) AS i;
SQL
  local tokyo="SET timezone = 'Asia/Tokyo'"
  check "the worker's zone applies to a date" prints 48 \
    <<<"$tokyo; SELECT count(*) FROM hourly WHERE id >= date '2026-01-02'"
  check "the session's zone applies to a timestamptz" prints 57 \
    <<<"$tokyo; SELECT count(*) FROM hourly WHERE id >= timestamptz '2026-01-02'"
  check "the session's zone applies to a tstzrange" prints 24 \
    <<<"$tokyo; SELECT count(*) FROM hourly WHERE id <@ tstzrange('2026-01-02', '2026-01-03')"
  check "date_trunc with a zone is in that zone" prints $'15\n24\n24\n9' <<'SQL'
SELECT count(*) FROM hourly GROUP BY date_trunc('day', uuid_extract_time(id), 'Asia/Tokyo') ORDER BY min(id);
SQL
  check "now() is each worker's own" prints 't' <<'SQL'
BEGIN;
SELECT now() AS began \gset
SELECT FROM pg_sleep(0.1);
SELECT bool_and(now() > :'began') FROM hourly;
SQL
}

# Plans on the shards: of the key and of max().
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
  check "the last id uses the index of each shard" \
    equals 4 "$(plan_lines 'SELECT id FROM event ORDER BY id DESC LIMIT 1' 'Index Only Scan Backward')"
}

need_postgresql g++ make libssl-dev
[[ -f $("$PG_CONFIG" --sharedir)/extension/citus.control ]] || skip_all "Citus is not installed for $PG_CONFIG"
install_tree
start_nodes
make_cluster cluster
export PGDATABASE=cluster
sql <<<'CREATE EXTENSION uuidx'
say "using $("$PG_CONFIG" --version), $(sql <<<'SELECT citus_version()')"
check "CREATE EXTENSION is sent to the workers" prints "1.0" -p "${ports[2]}" \
  <<<"SELECT extversion FROM pg_extension WHERE extname = 'uuidx'"
test_node_ids
test_defaults
test_update
test_times
test_plans
test_early
make_cluster page 'CREATE EXTENSION uuidx'
check "the page's statements run" sql -d page < <(page_blocks)
finish
