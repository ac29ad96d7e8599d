#!/usr/bin/env bash
# Builds and installs uuidx and demonstrates it on a temporary server: test/demo.sh
# At a terminal, it then offers a psql prompt. PG_CONFIG selects the PostgreSQL; on Debian, installs what is missing.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/lib.sh"
(($# == 0)) || die "unknown option $1; usage: test/demo.sh"

say "== 1. What is needed"
need_postgresql g++ make libssl-dev
say "using $("$PG_CONFIG" --version), $PG_CONFIG"

say "== 2. Build and install, within a minute or two"
make_scratch
with_progress files_compiled make_there -j"$(nproc)" 3>&1 >/dev/null
install_extension
say "installed in $("$PG_CONFIG" --pkglibdir) and $("$PG_CONFIG" --sharedir)/extension"

say "== 3. A server for this demonstration, on a socket in $scratch"
start_server

say "== 4. A table with version 7 keys"
"$bindir/psql" -X -q -v ON_ERROR_STOP=1 --echo-all -P pager=off -f "$tree/test/demo.sql"

if [[ -t 0 && -t 1 ]]; then
  say "== 5. Your turn: table event is still there. Leave with \\q"
  # Cancels a statement, not this script.
  trap : INT
  "$bindir/psql" -X || true
fi
say "== Done. This server and its files go away now; uuidx stays installed."
say "In your own database: CREATE EXTENSION uuidx;"
# need_postgresql installs Debian's packages without the server that they would create.
if type pg_createcluster >/dev/null 2>&1 && ! compgen -G '/etc/postgresql/*/*' >/dev/null; then
  version=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
  say "This machine has no database server yet. To create one, as root:" \
    "pg_createcluster --locale C.UTF-8 $version main --start && su - postgres -c psql"
fi
