#!/usr/bin/env bash
# Runs a command with PG_CONFIG set to a PostgreSQL that checks itself: assertions, memory that is
# marked where it is not to be used, plans copied and written and read again wherever there are some:
# test/servers/assert_server.sh [COMMAND ...]
# Without a command, runs the SQL tests and those of test/t that need nothing but PostgreSQL; the last
# line counts. It is built once, from Debian's source package of the version of PG_CONFIG, and kept in
# UUIDX_CACHE (/var/tmp/uuidx-servers); to renew it, remove its folder.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/servers/watched.sh
source "$(dirname "${BASH_SOURCE[0]}")/watched.sh"

cache=${UUIDX_CACHE:-/var/tmp/uuidx-servers}
checks='-DCOPY_PARSE_PLAN_TREES -DWRITE_READ_PARSE_PLAN_TREES -DRAW_EXPRESSION_COVERAGE_TEST
  -DRANDOMIZE_ALLOCATED_MEMORY -DUSE_VALGRIND'

# Downloads a source package's archives to the current folder, by apt with sources of its own, as those of
# the system may name binary packages only. Takes the newest version that there is: a mirror may list one
# that it does not have.
download_source() {
  mkdir -p apt/lists/partial apt/sources.d apt/cache/archives/partial
  local file version
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [[ ! -f $file ]] || sed -E 's/^(Types:).*/\1 deb-src/; s/^deb /deb-src /' "$file" >"apt/sources.d/${file##*/}"
  done
  local options=(-q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/apt/sources.d"
    -o Dir::State::lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root)
  # Not all that have packages have their sources.
  apt-get "${options[@]}" update || true
  for version in $(apt-cache "${options[@]}" showsrc "$1" | sed -n 's/^Version: //p' | sort -ruV); do
    if apt-get "${options[@]}" source --download-only "$1=$version"; then return; fi
  done
  die "no source package $1"
}

# Builds PostgreSQL of a version for a folder, and moves it there only when it is complete.
build_server() {
  local root=$1 version=$2 work
  work=$(mktemp -d "$root.XXXXXX")
  # shellcheck disable=SC2064  # expanded here, as the name is gone by then
  trap "rm -rf '$work'" EXIT
  cd "$work"
  download_source "postgresql-$version"
  tar -xf ./*.orig.tar.*
  cd postgresql-*/
  ./configure -q --prefix="$root" --enable-cassert --enable-debug --enable-tap-tests --with-openssl \
    --without-readline --without-zlib --without-icu CFLAGS='-g -O1' CPPFLAGS="$(xargs <<<"$checks")"
  nice make -s -j"$(nproc)" install DESTDIR="$work/installed"
  nice make -s -j"$(nproc)" -C contrib install DESTDIR="$work/installed"
  chmod -R a+rX "$work/installed$root"
  mv "$work/installed$root" "$root"
}

# Says whether the server has checks: one for assertions, one that sees a chunk of memory overflow.
has_checks() {
  [[ $("$bindir/psql" -XAtqc 'SHOW debug_assertions') == on ]] || return 1
  # Said to the client only, as the log is to be without complaints.
  "$bindir/psql" -XAtqc 'SET log_min_messages = fatal' -c 'SELECT palloc_overflow(8)' 2>&1 |
    grep >/dev/null 'detected write past chunk end'
}

# Fails where a server has said that something is wrong with itself or its memory. Argument: after which
# tests.
no_complaint() {
  local found status=0
  found=$(grep -rE --include='*.log' 'TRAP:|problem in alloc|detected write past|(reference|refcount|file) leak' \
    "$scratch/server.log" "$scratch/src") || true
  if [[ -n $found ]]; then
    status=1
    head -n 20 <<<"$found"
  fi
  count "$status" "$1: the server complains of nothing"
}

need_postgresql g++ make libssl-dev libipc-run-perl perl bison flex valgrind
version=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
root=$cache/pg$version-assert
mkdir -p "$cache"
# Two at once would build it twice.
exec 9>"$root.lock"
flock 9
if [[ ! -d $root ]]; then
  say "building PostgreSQL $version into $root, log in $root.log"
  trap 'tail -n 20 "$root.log" >&2' EXIT
  (build_server "$root" "$version") >"$root.log" 2>&1
  trap - EXIT
  say "built in $SECONDS seconds"
fi
exec 9>&-
export PG_CONFIG=$root/bin/pg_config
if (($# > 0)); then exec "$@"; fi

need_postgresql
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
make_private
make_there -j"$(nproc)" WERROR=-Werror all
install_extension
start_server
plant_faults gcc
status=0
has_checks || status=1
count "$status" 'the server has checks, and they see a planted fault'
sql_tests
no_complaint sql
# Not those that set the clock back by weeks: PostgreSQL's checkpointer asserts that this never happens.
tap_tests 001 002 003 009 012 013 022 024 026 027 030 031
no_complaint tap
finish
