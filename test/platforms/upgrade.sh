#!/usr/bin/env bash
# Upgrades a cluster that uses everything of uuidx from version to version by pg_upgrade, and checks after each step
# that nothing has changed and everything works: test/platforms/upgrade.sh [VERSION VERSION ...], as root
# The versions are by default 15 17 18 19, each in the chroot of on-server.sh, with a temporary layer above it.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/chroot.sh"
source "$tree/test/shell/sql.sh"

chroots=${UUIDX_CHROOTS:-/var/tmp/uuidx-chroots}
database="ids of all"

# Runs a command in the root of a version, as the server's user, without the caller's environment.
in_root() {
  # Without the warnings about values far ahead of the clock.
  env -i PATH="/usr/lib/postgresql/$1/bin:/usr/sbin:/usr/bin:/sbin:/bin" LANG=C.UTF-8 \
    PGHOST=/upgrade PGUSER=postgres PGOPTIONS='-c client_min_messages=error' LD_LIBRARY_PATH=/upgrade/libs \
    chroot "$scratch/root/$1" runuser -u postgres -- "${@:2}"
}

# Creates the root of a version: its chroot, with a layer in memory above it for everything written, the kernel's file
# systems, and the folder that all roots share.
make_root() {
  local version=$1 root=$scratch/root/$1
  mkdir -p "$root" "$scratch/upper/$version" "$scratch/work/$version"
  mount -t overlay overlay "$root" \
    -o "lowerdir=$chroots/pg$version,upperdir=$scratch/upper/$version,workdir=$scratch/work/$version"
  mount_into "$root"
  mkdir -p "$root/upgrade" "$root/upgrade-src"
  mount --bind "$scratch/shared" "$root/upgrade"
  copy_tree "$root/upgrade-src"
}

# Builds and installs the extension in the root of a version.
build() {
  local make=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 chroot "$scratch/root/$1"
    make -s -C /upgrade-src PG_CONFIG="/usr/lib/postgresql/$1/bin/pg_config")
  quietly "${make[@]}" -j"$(nproc)" all
  quietly "${make[@]}" install
}

# Makes the programs of one version run in the root of a newer one, with those libraries of the old root that the new
# one lacks. Debian has a folder for each version of the server.
bring() {
  local old=$1 new=$2 dir name path missing
  for dir in lib share; do
    mkdir -p "$scratch/root/$new/usr/$dir/postgresql/$old"
    mount --bind "$scratch/root/$old/usr/$dir/postgresql/$old" "$scratch/root/$new/usr/$dir/postgresql/$old"
  done
  rm -rf "$scratch/shared/libs"
  mkdir "$scratch/shared/libs"
  # Repeated, as these libraries may need others.
  while
    # Bitcode and unused languages may lack theirs.
    missing=$(in_root "$new" bash -c "ldd /usr/lib/postgresql/$old/bin/* \
      /usr/lib/postgresql/$old/lib/{uuidx,plpgsql,dict_snowball}.so" 2>/dev/null |
      sed -nE 's/^[[:space:]]+(\S+) => not found$/\1/p' | sort -u)
    [[ -n $missing ]]
  do
    for name in $missing; do
      path=$(chroot "$scratch/root/$old" ldconfig -p | sed -nE "s#^\s+$name \(.*x86-64.*\) => ##p" | head -n 1)
      path=${path:-$(chroot "$scratch/root/$old" ldconfig -p | sed -nE "s#^\s+$name .* => ##p" | head -n 1)}
      [[ -n $path && ! -e $scratch/shared/libs/$name ]] || die "PostgreSQL $old lacks $name in the root of $new"
      cp -L "$scratch/root/$old$path" "$scratch/shared/libs/$name"
    done
  done
}

# Creates an empty cluster of a version in the shared folder. The library is preloaded except on 18, so that both ways
# are tested.
init() {
  local version=$1 data=$scratch/shared/$2
  # Checksums are on by default from 18 on, and both clusters must have the same.
  quietly in_root "$version" initdb -D "/upgrade/$2" -A trust -U postgres --no-sync --encoding=UTF8 \
    --locale=C --data-checksums
  {
    printf '%s\n' "unix_socket_directories = '/upgrade'" "listen_addresses = ''" 'fsync = off' 'jit = off' \
      'autovacuum = off' "timezone = 'UTC'" "uuidx.max_clock_lead = '10 d'"
    if ((version != 18)); then echo "shared_preload_libraries = 'uuidx'"; fi
  } >>"$data/postgresql.conf"
}

# Start and stop the cluster of a version.
start() {
  quietly in_root "$1" pg_ctl -D "/upgrade/$1" -l "/upgrade/$1.log" -w start
  running=$1
}
stop() {
  quietly in_root "$1" pg_ctl -D "/upgrade/$1" -w -m fast stop
  running=
}

# Gives the shared folder to the server's user in the root of a version, whose number differs from root to root.
hand_over() {
  chown -R "$(chroot "$scratch/root/$1" id -u postgres)" "$scratch/shared"
}

# Runs SQL in the running server, and prints its output, errors, and whether it failed.
sql() {
  in_root "$running" psql -XAtq -v ON_ERROR_STOP=1 -d "$database" -c "$1" 2>&1 || echo failed
}

# Runs a file of test/platforms/upgrade in the running server.
run_file() {
  local file=/upgrade-src/test/platforms/upgrade/$1.sql
  in_root "$running" psql -XAtq -v ON_ERROR_STOP=1 -d "$database" -f "$file" 2>&1 || echo failed
}

# Checks a result in the running server. Arguments: name, result, expected one.
expect() { check "$running: $1" equals "$3" "$2"; }

# Prints the members of the extensions, their privileges, defaults by core's names, and settings in the catalogs.
members() {
  # Names with their schema, as core may have the same.
  sql "SET search_path = pg_catalog;
    SELECT pg_describe_object(classid, objid, objsubid) COLLATE \"C\" FROM pg_depend
    WHERE deptype = 'e' AND refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'uuidx%')
      -- From 17 on the arrays of its domains count by themselves.
      AND pg_describe_object(classid, objid, objsubid) NOT LIKE 'type %[]'
    ORDER BY 1;
    SELECT extname, extversion FROM pg_extension ORDER BY 1;
    SELECT oid::regprocedure, proacl FROM pg_proc WHERE proname = 'uuid_v7_advance';
    SELECT parname, paracl FROM pg_parameter_acl;
    SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute
      ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'public.core_name'::regclass ORDER BY 1;
    SELECT datname, setconfig FROM pg_db_role_setting JOIN pg_database AS d ON d.oid = setdatabase"
}

# Prints functions, operators, aggregates and domains of the extensions that no object of the cluster uses. Planner
# support functions cannot be called.
unused() {
  sql "WITH member AS (
      SELECT classid, objid FROM pg_depend
      WHERE deptype = 'e' AND refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'uuidx%'))
    SELECT pg_describe_object(classid, objid, 0) FROM member AS m
    WHERE pg_describe_object(classid, objid, 0) !~ '^(type .*\[\]|.*\(internal)'
      AND NOT EXISTS (SELECT FROM pg_depend AS d
        WHERE d.refclassid = m.classid AND d.refobjid = m.objid AND d.deptype = 'n')"
}

# Checks that a time condition uses an index and prunes partitions.
check_plan() {
  local id="'[0-9a-f-]+'::uuid"
  local condition="\(+\(?id\)?(::uuid)? >= $id\) AND \(+id\)?(::uuid)? <=? $id\)"
  expect 'a day by a time column reads the index of its partition' "$(sql "EXPLAIN (COSTS OFF) SELECT id FROM april
    WHERE created_at >= '2024-04-10 UTC' AND created_at < '2024-04-11 UTC'" | tr '\n' ' ' |
    sed -E "s/^(Index|Bitmap).* log_2024_2_pkey .*Index Cond: $condition.*/ok/")" ok
}

# Checks that indexes have the values that the new library computes.
check_indexes() {
  expect 'results with indexes are the same as without' "$(sql "SET enable_seqscan = off;
    SELECT count(*) FROM event WHERE uuid_extract_time(id) < '2024-06-01 UTC';
    SET enable_hashjoin = off; SET enable_mergejoin = off;
    SELECT count(*) FROM event AS e JOIN event AS f ON uuid_encode(e.id, 'ulid') = uuid_encode(f.id, 'ulid');
    SELECT count(*) FROM mixed WHERE uuid_extract_version(id) = 8;
    SET enable_indexscan = off; SET enable_indexonlyscan = off;
    SELECT count(*) FROM event WHERE id <@ tstzrange '[2024-06-10 UTC,2024-06-11 UTC)'")" \
    "$(sql "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
    SELECT count(*) FROM event WHERE uuid_extract_time(id) < '2024-06-01 UTC';
    SELECT count(*) FROM event;
    SELECT count(*) FROM mixed WHERE uuid_extract_version(id) = 8;
    SELECT count(*) FROM event WHERE id <@ tstzrange '[2024-06-10 UTC,2024-06-11 UTC)'")"
}

# Checks that the functions return what they have returned on the old version.
check_stored() {
  expect 'the refreshed materialized view is unchanged' "$(sql 'CREATE TEMP TABLE was AS TABLE face;
    REFRESH MATERIALIZED VIEW face;
    SELECT count(*) FROM (TABLE was EXCEPT ALL TABLE face) AS s')" 0
}

# Checks the names that are core's from 18 on: what was made with those of uuidx_compat calls them, until it is
# changed to core's.
check_core_names() {
  expect 'core names: new rows have the right versions' "$(sql "SELECT DISTINCT public.uuid_extract_version(id),
      public.uuid_extract_version(due), public.uuid_extract_version(token), made_at = uuid_extract_time(old)
    FROM core_name WHERE server = $running")" '7|7|4|t'
  ((running >= 18)) || return 0
  expect 'core names: uuidx_compat can be dropped' "$(sql "BEGIN;
    ALTER TABLE core_name ALTER id SET DEFAULT uuidv7(), ALTER due SET DEFAULT uuidv7('1 day'),
      ALTER token SET DEFAULT uuidv4(), ALTER made_at SET EXPRESSION AS (uuid_extract_timestamp(old));
    DROP EXTENSION uuidx_compat;
    INSERT INTO core_name DEFAULT VALUES RETURNING made_at = uuid_extract_time(old);
    ROLLBACK")" t
}

# Checks that every generator works, and that ordered ones continue above the old servers' values.
check_work() {
  local before
  before=$(sql 'SELECT max(v7), max(v6) FROM made')
  expect 'rows get their defaults' "$(run_file add)" ''
  expect 'all generators give their versions' "$(sql "SELECT DISTINCT
        string_agg(coalesce(uuid_extract_version(value::uuid)::text, '-'), ' ' ORDER BY ordinality)
      FROM made,
      LATERAL (SELECT value, ordinality FROM json_each_text(row_to_json(made)) WITH ORDINALITY
        WHERE key NOT IN ('n', 'server', 'v7_time')) AS s GROUP BY n")" \
    '1 3 3 4 5 5 6 7 7 7 1 6 7 7 7 8 8 8 8 8 - -'
  expect 'later values are greater' \
    "$(sql "SELECT bool_and(v7 > '${before%|*}' AND v6 > '${before#*|}') FROM made WHERE server = $running")" t
  expect 'views of the current state can be read' "$(sql 'SELECT count(*) FROM present.state, present.release;
    SELECT count(*) IS NOT NULL FROM present.problem')" $'2\nt'
}

# Checks the order of uuid_v7_server(): pg_upgrade does not keep the mark, and the documented call advances it to the
# greatest value, which is ahead of the clock.
check_order() {
  local greatest=$1 first second
  first=$(sql 'SELECT uuid_v7_server()')
  expect 'order: the mark is not kept' "$([[ $first < $greatest ]] && echo below)" below
  expect 'order: the documented call advances to the greatest value' "$(sql 'SELECT go_on()')" "$greatest"
  first=$(sql 'SELECT uuid_v7_server()')
  expect 'order: values continue above the greatest value' "$([[ $first > $greatest ]] && echo above)" above
  stop "$running"
  start "$new"
  second=$(sql 'INSERT INTO ticket DEFAULT VALUES RETURNING id')
  expect 'order: values continue in order after a restart' "$([[ $second > $first ]] && echo above)" above
}

# Prepares the running cluster for an upgrade: adds rows of this version and moves the mark further ahead of the clock.
# Records what the upgrade must keep.
prepare() {
  expect 'rows are added' "$(run_file add)" ''
  sql "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '1 hour' * $running));
    INSERT INTO ticket SELECT uuid_v7_server() FROM generate_series(1, 100)" >/dev/null
  sql 'VACUUM ANALYZE' >/dev/null
  greatest=$(sql 'SELECT max(id) FROM ticket')
  all_members=$(members)
  all_rows=$(run_file rows)
}

# Runs pg_upgrade from one cluster, which is down, to another. Arguments: versions, and their folders.
upgrade() {
  mkdir -p "$scratch/shared/run"
  hand_over "$2"
  in_root "$2" env --chdir=/upgrade/run pg_upgrade --old-bindir="/usr/lib/postgresql/$1/bin" \
    --new-bindir="/usr/lib/postgresql/$2/bin" --old-datadir="/upgrade/$3" --new-datadir="/upgrade/$4" \
    --socketdir=/upgrade/run --jobs="$(nproc)" --username=postgres >"$scratch/shared/upgrade.log" 2>&1
}

# True if pg_upgrade between two versions fails without uuidx, too: with one empty table.
fails_without() {
  local old=$1 new=$2
  hand_over "$old"
  init "$old" plain_old
  sed -i /uuidx/d "$scratch/shared/plain_old/postgresql.conf"
  in_root "$old" postgres --single -D /upgrade/plain_old postgres <<<'CREATE TABLE t (a int, b text)' >/dev/null
  hand_over "$new"
  init "$new" plain_new
  sed -i /uuidx/d "$scratch/shared/plain_new/postgresql.conf"
  ! upgrade "$old" "$new" plain_old plain_new
}

# Creates the cluster of the first version.
begin() {
  hand_over "$1"
  init "$1" "$1"
  start "$1"
  quietly in_root "$1" createdb "$database"
  expect 'objects are created' "$(run_file make)" ''
  expect 'every member of the extension is used' "$(unused)" ''
  prepare
  # Otherwise, the other checks would prove nothing.
  ((failed == 0)) || die "the cluster to upgrade could not be created"
  expect 'every table has rows' "$(grep -cE '\|0\|' <<<"$all_rows" || true)" 0
}

# Upgrades the cluster to the next version, and checks it there.
carry() {
  local old=$1 log
  new=$2
  bring "$old" "$new"
  stop "$old"
  hand_over "$new"
  init "$new" "$new"
  say "== pg_upgrade from $old to $new"
  if ! upgrade "$old" "$new" "$old" "$new"; then
    log=$(cat "$scratch/shared/upgrade.log"; find "$scratch/shared/$new/pg_upgrade_output.d" -name '*.log' -print0 |
      xargs -0 grep -hE 'ERROR|FATAL|error:' | sort -u | head -n 20)
    say "$log"
    running=$new
    if fails_without "$old" "$new"; then
      skip "$new: pg_upgrade" \
        "without uuidx it fails, too: $(in_root "$old" postgres --version) to $(in_root "$new" postgres --version)"
    else
      expect 'pg_upgrade succeeds' 'failed' 'done'
    fi
    rm -rf "${scratch:?}/shared/$new" "$scratch/shared/$old"
    begin "$new"
    return
  fi
  start "$new"
  expect 'pg_upgrade succeeds' 'done' 'done'
  expect 'members, privileges and settings are the same' "$(members)" "$all_members"
  expect 'the rows are the same' "$(run_file rows)" "$all_rows"
  # From 18 on, pg_upgrade keeps the statistics.
  if ((new < 18)); then sql 'ANALYZE' >/dev/null; fi
  check_plan
  check_indexes
  check_stored
  check_order "$greatest"
  check_work
  check_core_names
  prepare
  rm -rf "${scratch:?}/shared/$old"
}

versions=("$@")
if (($# == 0)); then versions=(15 17 18 19); fi
((${#versions[@]} > 1)) || die "usage: test/platforms/upgrade.sh [VERSION VERSION ...]"
isolate "$@"
for version in "${versions[@]}"; do
  # Existing ones are only read, so another run may be using them.
  [[ -d $chroots/pg$version ]] || bash "$tree/test/platforms/on-server.sh" "$version" true
done

running=
new=
mount -t tmpfs -o mode=755 tmpfs "$scratch"
mkdir "$scratch/shared" "$scratch/shared/libs"
say "== Build and install"
for version in "${versions[@]}"; do
  make_root "$version"
  build "$version"
  say "$(in_root "$version" postgres --version)"
done
begin "${versions[0]}"
for ((i = 1; i < ${#versions[@]}; i++)); do carry "${versions[i - 1]}" "${versions[i]}"; done
stop "$running"
# Results have been shown; the folder is removed.
keep_scratch=
finish
