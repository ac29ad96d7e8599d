#!/usr/bin/env bash
# Uses uuidx from JavaScript clients: test/clients/node.sh, run by test/clients/run.sh
# Installs them from npm's configured registry to $scratch, in the versions of node/package.json. PGHOST, PGPORT and
# PGUSER lead to the server, whose programs are in bindir; each client has a database whose name begins with PGDATABASE.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

programs=(pg postgresjs drizzle knex kysely sequelize typeorm mikroorm nodepgmigrate prisma pglite)
folder=${scratch:?}/npm-clients
# Packages run as the user of the scratch folder, not as root.
server_user=$(stat -c %U "$scratch")

# Runs a program in the folder of the packages, with its home there.
in_packages() (
  cd "$folder"
  as_server_user env HOME="$folder" "$@"
)

# Generates Prisma's client. Its command insists on an engine that npm does not have, but does not use it for that.
generate_prisma() {
  in_packages env CHECKPOINT_DISABLE=1 PRISMA_SCHEMA_ENGINE_BINARY=/bin/true \
    node node_modules/prisma/build/index.js generate --no-hints
}

# Installs the packages without running their scripts or reporting, and what they need as of a date, so that the same
# versions come each time. By default, npm waits minutes for an unreachable registry.
install() (
  cd "$folder"
  npm install --before 2026-11-22 --cache "$folder/cache" --no-audit --no-fund --no-package-lock --ignore-scripts \
    --fetch-retries 1 --fetch-retry-mintimeout 1000 --fetch-retry-maxtimeout 3000
)

# Prints the code of npm's error.
reason() { sed -nE '/.* code /{ s///p; q }' "$folder/log"; }

type node npm >/dev/null 2>&1 || { say "ok # skip: no node and npm here" && exit; }
[[ $(printf '%s\n' v20.19 "$(node --version)" | sort -V | head -n 1) == v20.19 ]] ||
  { say "ok # skip: Node.js $(node --version) is older than 20.19" && exit; }
# With the cache in it, so that nothing is left.
mkdir "$folder"
cp "$tree"/test/clients/node/* "$tree/sql/portable/uuidx.sql" "$folder"
install >"$folder/log" 2>&1 || {
  cat "$folder/log"
  say "ok # skip: npm cannot install what test/clients/node/package.json has: $(reason)"
  exit
}
rm -rf "$folder/cache"
if ((EUID == 0)); then chown -R "$server_user" "$folder"; fi
say "Node.js $(in_packages node --version)"

# For ordinary.sh.
export folder server_user
export -f as_server_user in_packages
prefix=${PGDATABASE:?}
# Far from each other and from UTC, so that a time without its zone is never right by chance.
export TZ=Asia/Kathmandu
for program in "${programs[@]}"; do
  export PGDATABASE=${prefix}_$program
  "${bindir:?}/createdb" "$PGDATABASE"
  "$bindir/psql" -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION uuidx' \
    -c "ALTER DATABASE $PGDATABASE SET local_preload_libraries = uuidx" \
    -c "ALTER DATABASE $PGDATABASE SET TimeZone = 'America/St_Johns'" -f "$tree/test/clients/given.sql"
  if [[ $program == prisma ]] && ! generate_prisma >"$folder/log" 2>&1; then
    say "not ok - Prisma generates a client: $(cat "$folder/log")"
  else
    in_packages node "$program.mjs" || say "not ok - $program.mjs ended early"
    [[ ! -f $folder/ordinary_$program.mjs ]] ||
      bash "$tree/test/clients/ordinary.sh" "$program" in_packages node "ordinary_$program.mjs"
  fi
done
