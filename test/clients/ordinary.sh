#!/usr/bin/env bash
# Uses an ordinary created_at by an ORM: test/clients/ordinary.sh NAME COMMAND ...
# Runs the command with `create`, which creates the table entry by a tool of the ORM, then with `use` while created_at
# has an index, and with each kind of doc/migrate/created_at.sql instead. The program stays as it is. Each time, it must
# print the lines of ordinary.txt. PGHOST, PGPORT and PGUSER lead to the server, whose programs are in bindir; the
# database, whose name begins with PGDATABASE, is new, and loads uuidx by the statistics object of that script.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
set -euo pipefail
name=$1
shift
here=${tree:?}/test/clients

sql() { "${bindir:?}/psql" -XAtq -v ON_ERROR_STOP=1 "$@"; }

# Runs steps of the migration. Arguments: kind, step ...
migrate() {
  local step
  for step in "${@:2}"; do
    sql -v table=entry -v kind="$1" -v step="$step" -f "$tree/doc/migrate/created_at.sql" | sql >/dev/null
  done
}

# Prints the lines of ordinary.txt for a kind and this ORM, which an expression after them can name.
wanted() { awk -F ' +# ' -v this="$1 $name" 'this ~ "^(" $2 ")" { print $1 }' "$here/ordinary.txt"; }

# Compares what the program prints, how it reads the table, and what uuidx_check() finds. Arguments: kind, command ...
try() {
  local printed
  sql -c 'VACUUM ANALYZE entry' -c 'SELECT pg_stat_reset()' >/dev/null
  printed=$("${@:2}" use 2>&1 && sql -f "$here/ordinary.sql") || printed+=' ended early'
  if diff <(wanted "$1") <(grep -v 'Pulling schema' <<<"$printed"); then
    echo "ok - $name, created_at: $1"
  else
    echo "not ok - $name, created_at: $1"
  fi
}

export PGDATABASE=${PGDATABASE:?}_ordinary
"$bindir/createdb" "$PGDATABASE"
sql -c "ALTER DATABASE $PGDATABASE SET TimeZone = 'UTC'" -c 'CREATE EXTENSION uuidx'
"$@" create
# A row every five minutes of 2026, its time up to 0.9 s later than that of its key.
sql -c "INSERT INTO entry (id, created_at, what, n)
  SELECT uuid_v7_at(t), t + n % 10 * interval '0.1 s', 'event ' || n, 0
  FROM generate_series(0, 19999) AS n, LATERAL (SELECT timestamptz '2026-01-01 Z' + n * interval '5 min') AS times (t)"
try index "$@"
migrate near 2 4 5
try near "$@"
migrate near back
migrate equal 2 3 4 5
try equal "$@"
