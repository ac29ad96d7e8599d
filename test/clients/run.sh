#!/usr/bin/env bash
# Builds and installs uuidx and uses it from clients as doc/clients.md does: test/clients/run.sh [CLIENT ...]
# Clients come from Debian, those for Node.js from npm's configured registry. Unavailable ones are skipped. PG_CONFIG
# selects the PostgreSQL.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# The clients in their order, and their Debian packages.
clients=(psycopg psycopg2 sqlalchemy django node jdbc libpq ruby php eloquent)
declare -A packages=(
  [psycopg]=python3-psycopg
  [psycopg2]=python3-psycopg2
  [sqlalchemy]='python3-alembic python3-sqlalchemy python3-psycopg2'
  [django]='python3-django python3-psycopg2'
  [node]='nodejs npm'
  [jdbc]='libpostgresql-jdbc-java default-jdk-headless'
  [libpq]='gcc libpq-dev'
  [ruby]='ruby-activerecord ruby-pg'
  [php]='php-cli php-doctrine-orm php-pgsql php-ramsey-uuid'
  [eloquent]='php-cli php-illuminate-database php-pgsql php-ramsey-uuid'
)
# Installed ones may not be Debian's, and would conflict with Debian's npm.
if type node npm >/dev/null 2>&1; then packages[node]=; fi

# Prints the packages of a list that are neither installed nor available.
unavailable() {
  local package
  for package in $(not_installed "$@"); do
    [[ $(apt-cache policy "$package") =~ Candidate:\ [0-9] ]] || printf '%s\n' "$package"
  done
}

# Installs the available packages of the chosen clients.
install_clients() {
  local package wanted all=()
  mapfile -t wanted < <(for client in "${chosen[@]}"; do printf '%s\n' "${packages[$client]}"; done |
    tr -s ' \n' '\n' | sed '/^$/d' | sort -u)
  if [[ -n $(not_installed "${wanted[@]}") ]]; then
    need_root_for "apt-get update"
    update_lists
  fi
  for package in "${wanted[@]}"; do
    [[ -n $(unavailable "$package") ]] || all+=("$package")
  done
  install_packages "${all[@]}"
}

# Prints a free port of 127.0.0.1.
free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Starts the server, without autovacuum, whose transactions can be older than a CHECK. For clients without Unix sockets,
# it is also on 127.0.0.1: there with a password, as any user of the machine can connect.
start_server_with_tcp() {
  local port
  port=$(free_port)
  printf '%s\n' 'local all all trust' 'host all all 127.0.0.1/32 scram-sha-256' >"$scratch/hba.conf"
  server_options="-p $port -c listen_addresses=127.0.0.1 -c hba_file=$scratch/hba.conf"
  server_options+=" -c autovacuum=off"
  start_server
  export PGPORT=$port PGPASSWORD
  PGPASSWORD=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  "$bindir/psql" -Xq -v ON_ERROR_STOP=1 <<<"SET password_encryption = 'scram-sha-256';
    ALTER ROLE postgres PASSWORD '$PGPASSWORD';"
}

# Runs a client's program in a new database.
use() {
  local missing
  # shellcheck disable=SC2086  # a list
  missing=$(unavailable ${packages[$1]} | xargs)
  if [[ -n $missing ]]; then
    echo "ok # skip: this Debian has no $missing"
    return
  fi
  # shellcheck disable=SC2086  # a list
  [[ -z ${packages[$1]} ]] || dpkg-query -W -f='  using ${Package} ${Version}\n' ${packages[$1]} >&3 2>/dev/null || true
  export PGDATABASE=use_$1
  "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -d postgres -c "CREATE DATABASE $PGDATABASE" \
    -c "ALTER DATABASE $PGDATABASE SET local_preload_libraries = uuidx" &&
    "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION uuidx' -f "$tree/test/clients/given.sql" &&
    "use_$1"
}

# Runs a program with Debian's Python, which has Debian's packages.
python() {
  /usr/bin/python3 -B "$tree/test/clients/$1" "${@:2}"
}

# Runs a program on a table with an ordinary created_at. Arguments: the ORM, command
ordinary() { bash "$tree/test/clients/ordinary.sh" "$@"; }

use_psycopg() { python use_psycopg.py; }
use_psycopg2() { python use_psycopg2.py; }
use_sqlalchemy() { python use_sqlalchemy.py && ordinary sqlalchemy python ordinary_sqlalchemy.py; }
use_django() { python use_django.py && ordinary django python ordinary_django.py; }
use_node() { bash "$tree/test/clients/node.sh"; }

# Java compiles a program of one file by itself.
use_jdbc() { make_event && java -cp /usr/share/java/postgresql.jar "$tree/test/clients/UseJdbc.java"; }

use_libpq() {
  gcc -Wall -Wextra -Werror -I"$("$PG_CONFIG" --includedir)" -o "$scratch/use_libpq" \
    "$tree/test/clients/use_libpq.c" -L"$("$PG_CONFIG" --libdir)" -lpq && make_event && "$scratch/use_libpq"
}

# Creates the table of the programs below.
make_event() { "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -f "$tree/test/clients/event.sql"; }

use_ruby() {
  make_event && /usr/bin/ruby "$tree/test/clients/use_ruby.rb" &&
    ordinary rails /usr/bin/ruby "$tree/test/clients/ordinary_ruby.rb"
}
use_php() { make_event && /usr/bin/php "$tree/test/clients/use_php.php"; }
use_eloquent() { make_event && /usr/bin/php "$tree/test/clients/use_eloquent.php"; }

chosen=("$@")
(($# > 0)) || chosen=("${clients[@]}")
for client in "${chosen[@]}"; do
  [[ " ${clients[*]} " == *" $client "* ]] || die "unknown client '$client'; there are: ${clients[*]}"
done

need_postgresql g++ make libssl-dev python3
install_clients
make_scratch
make_there -j"$(nproc)" all
install_extension
start_server_with_tcp
export tree scratch bindir
export -f python  # for ordinary.sh
say "using $("$PG_CONFIG" --version), $PG_CONFIG"

step documentation python regions.py
for client in "${chosen[@]}"; do step "$client" use "$client"; done
finish
