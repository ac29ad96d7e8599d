#!/usr/bin/env bash
# Builds and installs uuidx and uses it from real clients, as doc/clients.md says: test/clients/run.sh [CLIENT ...]
# Clients come from Debian, and those for Node.js from the registry that npm is configured with. One that cannot be
# had is said to be skipped. PG_CONFIG chooses the PostgreSQL. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# What each client needs of Debian, in the order in which they run.
clients=(psycopg psycopg2 sqlalchemy django asyncpg node jdbc libpq pgbouncer pgbench)
declare -A packages=(
  [psycopg]=python3-psycopg
  [psycopg2]=python3-psycopg2
  [sqlalchemy]='python3-sqlalchemy python3-psycopg2'
  [django]='python3-django python3-psycopg2'
  [asyncpg]=python3-asyncpg
  [node]='nodejs npm'
  [jdbc]='libpostgresql-jdbc-java default-jdk-headless'
  [libpq]='gcc libpq-dev'
  [pgbouncer]='pgbouncer python3-psycopg'
  [pgbench]=''
)
# Not as packages where they are there already: others than Debian's conflict with Debian's npm.
if type node npm >/dev/null 2>&1; then packages[node]=; fi

# Prints the packages of a list that are not installed.
not_installed() {
  local package
  type dpkg-query apt-get >/dev/null 2>&1 || return 0
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s\n' "$package"
  done
}

# Prints the packages of a list that are neither installed nor to be had.
not_to_be_had() {
  local package
  for package in $(not_installed "$@"); do
    [[ $(apt-cache policy "$package") =~ Candidate:\ [0-9] ]] || printf '%s\n' "$package"
  done
}

# Installs the packages of a list that are missing, and starts no service of theirs: PgBouncer is one.
install_without_services() (
  policy=/usr/sbin/policy-rc.d
  if [[ -n $(not_installed "$@") && ! -e $policy ]]; then
    need_root_for "apt-get update && apt-get install $*"
    trap 'as_root rm -f "$policy"' EXIT
    as_root install -m 755 /dev/stdin "$policy" <<<$'#!/bin/sh\nexit 101'
  fi
  install_packages "$@"
)

# Installs what the chosen clients need, as far as it can be had.
install_clients() {
  local package wanted all=()
  mapfile -t wanted < <(for client in "${chosen[@]}"; do printf '%s\n' "${packages[$client]}"; done |
    tr ' ' '\n' | sed '/^$/d' | sort -u)
  if [[ -n $(not_installed "${wanted[@]}") ]]; then
    need_root_for "apt-get update"
    update_lists
  fi
  for package in "${wanted[@]}"; do
    [[ -n $(not_to_be_had "$package") ]] || all+=("$package")
  done
  install_without_services "${all[@]}"
}

# Prints a port of 127.0.0.1 that nobody listens on.
free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Starts the server, for uuid_v7_cluster() with the library preloaded, and for clients that know no sockets of Unix
# on 127.0.0.1, too: there with a password, as any user of the machine can come there.
start_server_with_tcp() {
  local port
  port=$(free_port)
  printf '%s\n' 'local all all trust' 'host all all 127.0.0.1/32 scram-sha-256' >"$scratch/hba.conf"
  server_options="-p $port -c listen_addresses=127.0.0.1 -c hba_file=$scratch/hba.conf"
  server_options+=" -c shared_preload_libraries=uuidx"
  start_server
  export PGPORT=$port PGPASSWORD
  PGPASSWORD=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  "$bindir/psql" -Xq -v ON_ERROR_STOP=1 <<<"SET password_encryption = 'scram-sha-256';
    ALTER ROLE postgres PASSWORD '$PGPASSWORD';"
}

# Runs a client's program in a database of its own.
use() {
  local missing
  # shellcheck disable=SC2086  # a list
  missing=$(not_to_be_had ${packages[$1]} | xargs)
  if [[ -n $missing ]]; then
    echo "ok # skip: this Debian has no $missing"
    return
  fi
  export PGDATABASE=use_$1
  "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -d postgres -c "CREATE DATABASE $PGDATABASE" &&
    "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION uuidx' -f "$tree/test/clients/given.sql" &&
    "use_$1"
}

# Runs a program in Python: Debian's, which has Debian's packages.
python() {
  /usr/bin/python3 -B "$tree/test/clients/$1"
}

use_psycopg() { python use_psycopg.py; }
use_psycopg2() { python use_psycopg2.py; }
use_sqlalchemy() { python use_sqlalchemy.py; }
use_django() { python use_django.py; }
use_asyncpg() { python use_asyncpg.py; }
use_node() { bash "$tree/test/clients/node.sh"; }

# As a program of one file, which Java compiles itself.
use_jdbc() { java -cp /usr/share/java/postgresql.jar "$tree/test/clients/UseJdbc.java"; }

use_libpq() {
  gcc -Wall -Wextra -Werror -I"$("$PG_CONFIG" --includedir)" -o "$scratch/use_libpq" \
    "$tree/test/clients/use_libpq.c" -L"$("$PG_CONFIG" --libdir)" -lpq && "$scratch/use_libpq"
}

# Through a PgBouncer on a socket of its own, whose three server sessions take turns.
use_pgbouncer() (
  folder=$scratch/pgbouncer
  # By itself it would be root, which it refuses.
  as_server_user mkdir "$folder" && as_server_user tee "$folder/pgbouncer.ini" >/dev/null <<INI
[databases]
* = host=$PGHOST port=$PGPORT user=$PGUSER

[pgbouncer]
listen_addr =
listen_port = $PGPORT
unix_socket_dir = $folder
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_round_robin = 1
pidfile = $folder/pid
logfile = $folder/log
INI
  as_server_user /usr/sbin/pgbouncer -q -d "$folder/pgbouncer.ini" || exit
  export PGHOST=$folder
  for _ in {1..100}; do
    "$bindir/psql" -Xqc '' 2>/dev/null && break
    sleep 0.1
  done
  python use_pgbouncer.py
)

# Ends the PgBouncer, if one runs.
stop_pgbouncer() {
  local pid=$scratch/pgbouncer/pid
  [[ ! -f $pid ]] || as_server_user kill "$(<"$pid")" || true
}

# Sends the script by each protocol, and says how that went.
use_pgbench() {
  local mode was
  for mode in simple extended prepared; do
    "$bindir/psql" -Xq -c 'DROP TABLE IF EXISTS event' -c 'CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(),
      client int, what text NOT NULL, n bigserial)' -c "CALL fill('event')"
    "$bindir/pgbench" -n -c 8 -j 2 -t 500 -M "$mode" -f "$tree/test/clients/pgbench.sql" || return
    was=$("$bindir/psql" -XAtq <<'SQL'
SELECT concat_ws(', ', count(*) || ' rows', count(DISTINCT id) || ' keys', count(DISTINCT client) || ' clients',
  count(*) FILTER (WHERE id < before) || ' out of order',
  count(*) FILTER (WHERE uuid_extract_version(id) <> 7) || ' not of version 7')
FROM (SELECT *, lag(id) OVER (PARTITION BY client ORDER BY n) AS before FROM event WHERE client IS NOT NULL) AS event;
SQL
    )
    if [[ $was == '4000 rows, 4000 keys, 8 clients, 0 out of order, 0 not of version 7' ]]; then
      say "ok - $mode: $was"
    else
      say "not ok - $mode: $was"
    fi
  done
}

chosen=("$@")
(($# > 0)) || chosen=("${clients[@]}")
for client in "${chosen[@]}"; do
  [[ " ${clients[*]} " == *" $client "* ]] || die "unknown client '$client'; there are: ${clients[*]}"
done

need_postgresql g++ make libssl-dev python3
install_clients
make_scratch
trap 'stop_pgbouncer; clean_up' EXIT
make_there -j"$(nproc)" all
install_extension
start_server_with_tcp
export tree scratch bindir
say "using $("$PG_CONFIG" --version), $PG_CONFIG"

step documentation '^ok' '^not ok' python regions.py
for client in "${chosen[@]}"; do step "$client" '^ok' '^not ok' use "$client"; done
finish
