# shellcheck shell=bash
# What the scripts of this folder share: finding and installing what they need, building a copy of
# the tree, and a throw-away server. To be sourced by bash.
set -euo pipefail

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Says what happens.
say() { printf '%s\n' "$*"; }

# Says what is wrong and ends the script.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# Runs a command as root: directly or by sudo.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif type sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    die "this needs root and there is no sudo; as root, run: $*"
  fi
}

# Runs a command as a user that may run a server: PostgreSQL refuses root.
as_server_user() {
  if ((EUID == 0)); then
    runuser -u "$server_user" -- "$@"
  else
    "$@"
  fi
}

# Runs a command quietly; its output is shown only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "failed: $*"
  fi
  rm -f "$log"
}

# Installs the Debian packages of a list that are missing.
install_packages() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  say "installing ${missing[*]}"
  quietly as_root apt-get update -q
  # A server package would make and start a server of its own; the scripts need none.
  local no_cluster=/etc/postgresql-common/createcluster.d/uuidx.conf
  as_root mkdir -p "${no_cluster%/*}"
  as_root sh -c "echo 'create_main_cluster = false' >$no_cluster"
  quietly as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
  as_root rm "$no_cluster"
}

# Prints the newest PostgreSQL of Debian's layout that has a file, such as bin/postgres.
newest_with() {
  local found
  found=$(compgen -G "/usr/lib/postgresql/*/$1" | sort -V | tail -n 1) || true
  printf '%s' "${found%/"$1"}"
}

# Sets PG_CONFIG, unless the caller has, and installs a server and its headers where there are none.
need_postgresql() {
  local base
  if [[ -z ${PG_CONFIG-} ]]; then
    base=$(newest_with bin/postgres)
    if [[ -z $base ]]; then
      type apt-get >/dev/null 2>&1 ||
        die "no PostgreSQL found: install one with its server headers and set PG_CONFIG"
      quietly as_root apt-get update -q
      base=/usr/lib/postgresql/$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p')
    fi
    PG_CONFIG=$base/bin/pg_config
    install_packages "postgresql-${base##*/}" "postgresql-server-dev-${base##*/}"
  fi
  type "$PG_CONFIG" >/dev/null 2>&1 || die "PG_CONFIG is $PG_CONFIG, which is not a program"
  bindir=$("$PG_CONFIG" --bindir)
  [[ -f $("$PG_CONFIG" --pgxs) ]] ||
    die "$PG_CONFIG has no server headers; on Debian, install postgresql-server-dev-NN"
  [[ -x $bindir/postgres ]] || die "$PG_CONFIG has no server in $bindir"
  export PG_CONFIG
}

# Installs compilers and libraries by apt where there is one; elsewhere the build will say what it
# lacks.
need_packages() {
  if type apt-get >/dev/null 2>&1; then install_packages "$@"; fi
}

# Makes a folder that goes away at the end, together with the server in it.
make_scratch() {
  server_user=postgres
  id "$server_user" >/dev/null 2>&1 || server_user=nobody
  scratch=$(mktemp -d /tmp/uuidx.XXXXXX)
  trap clean_up EXIT
  mkdir "$scratch/src"
  tar -C "$tree" --exclude=./.git --exclude='*.o' --exclude='*.so' --exclude='*.d' --exclude=./tmp_check -cf - . |
    tar -C "$scratch/src" -xf -
  if ((EUID == 0)); then chown -R "$server_user" "$scratch"; fi
  # The user of the server may not be allowed to be where the script was started.
  cd /
}

# Stops the server if it runs and removes the scratch folder; keeps it where keep_scratch is set.
clean_up() {
  if [[ -f $scratch/data/postmaster.pid ]]; then
    as_server_user "$bindir/pg_ctl" -D "$scratch/data" -m fast -w stop >/dev/null || true
  fi
  if [[ -n ${keep_scratch-} ]]; then
    say "logs and results are kept in $scratch"
  else
    rm -rf "$scratch"
  fi
}

# Runs make in the copy of the tree, as the user that owns it.
make_there() {
  as_server_user make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" "$@"
}

# Installs what make_there has built; as root only where the server's folders need it.
install_extension() {
  local install=(make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" install)
  if [[ -w $("$PG_CONFIG" --pkglibdir) ]]; then
    "${install[@]}" >/dev/null
  else
    as_root "${install[@]}" >/dev/null
  fi
}

# Starts a server in the scratch folder, which listens on a socket there and nowhere else, and points
# libpq at it. server_options may hold further options of the server.
start_server() {
  export PGHOST=$scratch PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  unset PGOPTIONS PGSERVICE PGPASSFILE
  quietly as_server_user "$bindir/initdb" -D "$scratch/data" -A trust -U postgres --no-sync \
    --encoding=UTF8 --locale=C
  quietly as_server_user "$bindir/pg_ctl" -D "$scratch/data" -l "$scratch/server.log" -w start \
    -o "-k $scratch -c listen_addresses= -c fsync=off ${server_options-}"
}
