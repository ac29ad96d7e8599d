# shellcheck shell=bash
# What the scripts share that run the tests on a server with something watching it: a PostgreSQL of
# their own in the scratch folder. To be sourced by bash.
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# Copies the PostgreSQL of PG_CONFIG into the scratch folder, programs as files and all else as links,
# and makes that the one to use: what is installed there is seen by nobody else, and needs no root. A
# PostgreSQL finds its files by where its programs are.
make_private() {
  local dir own=$scratch/pg
  for dir in --pkglibdir --sharedir --includedir-server; do
    dir=$("$PG_CONFIG" "$dir")
    mkdir -p "$own${dir%/*}"
    cp -rs "$dir" "$own${dir%/*}/"
  done
  mkdir -p "$own$bindir"
  cp "$bindir"/* "$own$bindir/"
  bindir=$own$bindir
  PG_CONFIG=$bindir/pg_config
  rm -f "$("$PG_CONFIG" --pkglibdir)/uuidx.so" "$("$PG_CONFIG" --sharedir)"/extension/uuidx[.-]*
  if ((EUID == 0)); then chown -R --no-dereference "$server_user" "$own"; fi
}

# Makes every server of the private PostgreSQL start by a command, which in the syntax of bash comes before
# the server program and its arguments; not what initdb runs, where nothing of uuidx happens. The program
# takes the script for itself where the command is exec -a "$0": `pg_ctl restart` starts what the server
# took itself for.
start_servers_by() {
  mv "$bindir/postgres" "$bindir/postgres.real"
  # shellcheck disable=SC2016  # expanded when a server starts
  printf '#!/bin/bash\ncase $1 in -V | -C | --*) exec -a "$0" "%s" "$@" ;; esac\n%s "%s" "$@"\n' \
    "$bindir/postgres.real" "$1" "$bindir/postgres.real" >"$bindir/postgres"
  chmod 755 "$bindir/postgres"
}

# Builds the planted faults and makes them functions of the server. Arguments: a compiler and its
# options.
plant_faults() {
  local name
  as_server_user "$@" -shared -fPIC -g -O1 -I"$("$PG_CONFIG" --includedir-server)" \
    -o "$scratch/planted.so" "$scratch/src/test/servers/planted.c"
  for name in heap_overflow stack_overflow signed_overflow not_initialized palloc_overflow; do
    echo "CREATE FUNCTION $name(int) RETURNS int STRICT LANGUAGE C AS '$scratch/planted', '$name';"
  done | quietly "$bindir/psql" -Xq -v ON_ERROR_STOP=1
}
