# shellcheck shell=bash
# Shared by the scripts: finds and installs what they need, builds a copy of the tree, runs a temporary server, counts
# tests. To be sourced by bash.
set -euo pipefail

# In English, as the scripts read what programs print.
export LC_ALL=C.UTF-8
# After an interrupt, nothing is counted or kept.
trap 'keep_scratch=; exit 130' INT
trap 'keep_scratch=; exit 143' TERM
trap 'keep_scratch=; exit 129' HUP

tree=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$tree/test/shell/results.sh"

# The TAP tests that `make check` runs, and test/run.sh without --all.
# shellcheck disable=SC2034  # used by those
short_tests='001 002 003 005 006 009 010 012 020 021 034 057'

# Prints a message.
say() { printf '%s\n' "$*"; }

# Prints an error and ends the script.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# Runs a command as root: directly or by sudo.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Ends the script with what to type if it cannot run a command as root.
need_root_for() {
  ((EUID != 0)) || return 0
  type sudo >/dev/null 2>&1 || die "this needs root, and there is no sudo; as root, run: $*"
  # Not -v, which may ask for a password although no command does.
  sudo -n true 2>/dev/null || say "this needs root; sudo may ask for your password, to run: $*"
  sudo true || die "this needs root, and sudo refuses; as root, run: $*"
}

# Runs a command as a user who may run a server: PostgreSQL refuses root.
as_server_user() {
  if ((EUID == 0)); then
    runuser -u "$server_user" -- "$@"
  else
    "$@"
  fi
}

# Runs a command; prints its output only if it fails, and then ends the script.
quietly() {
  local output command="$*"
  output=$("$@" 2>&1) || {
    printf '%s\n' "$output" >&2
    die "failed: ${command#as_root }"
  }
}

# Locked by the script of this tree that uses apt.
apt_lock=$tree/test/shell/lib.sh

# Updates apt's lists.
update_lists() { quietly as_root flock "$apt_lock" apt-get update -q; }

# Prints the Debian packages of a list that are not installed; without apt, none.
not_installed() {
  local package
  type apt-get >/dev/null 2>&1 || return 0
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s\n' "$package"
  done
}

# Installs those Debian packages of a list that are missing. Without apt, does nothing: the build fails with what it
# lacks.
install_packages() {
  local missing
  mapfile -t missing < <(not_installed "$@")
  ((${#missing[@]} > 0)) || return 0
  need_root_for "apt-get update && apt-get install ${missing[*]}"
  say "installing ${missing[*]}; this may take minutes"
  (
    # A server package would create a cluster and start it.
    no_cluster=/etc/postgresql-common/createcluster.d/uuidx.conf
    # One at a time: apt does not wait while another one updates its lists. Closed for what a package may start.
    flock 8
    trap 'as_root rm -f "$no_cluster"' EXIT
    as_root mkdir -p "${no_cluster%/*}" &&
      as_root tee "$no_cluster" >/dev/null <<<'create_main_cluster = false' &&
      quietly as_root apt-get update -q 8<&- &&
      # A fresh machine may be installing its own updates at first.
      quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" 8<&-
  ) 8<"$apt_lock" || die "could not install ${missing[*]}; is there a network?"
}

# Prints the newest installed PostgreSQL, 15 or later, in Debian's layout.
newest_installed() {
  compgen -G '/usr/lib/postgresql/*/bin/postgres' | sed 's#/bin/postgres$##' |
    awk -F/ '$NF >= 15' | sort -V | tail -n 1
}

# Prints the PostgreSQL that Debian would install.
newest_available() {
  local version
  version=$(apt-cache depends postgresql 2>/dev/null |
    sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p') || true
  printf '%s' "${version:+/usr/lib/postgresql/$version}"
}

# Sets PG_CONFIG, unless the caller has, and installs a server and its headers if there are none, and the given Debian
# packages: all at once, so that a user without sudo asks for them once.
need_postgresql() {
  local base version
  if [[ -z ${PG_CONFIG-} ]]; then
    base=$(newest_installed) || true
    if [[ -z $base ]] && type apt-get >/dev/null 2>&1; then
      need_root_for "apt-get update && apt-get install postgresql postgresql-server-dev-all $*"
      say "no PostgreSQL here; asking apt-get for one"
      update_lists
      base=$(newest_available)
    fi
    [[ -n $base ]] || die "no PostgreSQL found, nor by apt-get (is there a network?);" \
      "install one with its server headers and set PG_CONFIG to its pg_config"
    PG_CONFIG=$base/bin/pg_config
    install_packages "postgresql-${base##*/}" "postgresql-server-dev-${base##*/}" "$@"
  fi
  [[ $("$PG_CONFIG" --version 2>/dev/null || true) =~ ^PostgreSQL\ ([0-9]+) ]] ||
    die "PG_CONFIG is $PG_CONFIG, which is not a pg_config"
  version=${BASH_REMATCH[1]}
  # Absolute, as the scripts change their directory.
  PG_CONFIG=$(type -P "$PG_CONFIG")
  PG_CONFIG=$(cd "$(dirname "$PG_CONFIG")" && pwd)/$(basename "$PG_CONFIG")
  [[ $PG_CONFIG != *' '* ]] || die "make cannot use a PG_CONFIG with a space in its path: $PG_CONFIG"
  ((version >= 15)) || die "uuidx needs PostgreSQL 15 or later; $PG_CONFIG is of $version"
  bindir=$("$PG_CONFIG" --bindir)
  [[ -f $("$PG_CONFIG" --pgxs) && -f $("$PG_CONFIG" --includedir-server)/postgres.h ]] ||
    die "$PG_CONFIG has no server headers; on Debian, install postgresql-server-dev-$version"
  [[ -x $bindir/postgres ]] || die "$PG_CONFIG has no server in $bindir"
  export PG_CONFIG
  install_packages "$@"
}

# Copies the sources, without build products, to an existing folder.
copy_tree() {
  # Under sudo the checkout belongs to another user, which git refuses by default.
  local git=(git -C "$tree" -c safe.directory='*')
  # The tree may lie, unpacked, within another repository.
  if "${git[@]}" ls-files --error-unmatch uuidx.control >/dev/null 2>&1; then
    # Deleted files are listed, too, until the deletion is committed.
    "${git[@]}" ls-files -z --cached --others --exclude-standard | (
      cd "$tree"
      while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
        tar --null -T - -cf -
    )
  else
    tar -C "$tree" --exclude='*.o' --exclude='*.d' --exclude='*.so' --exclude='*.bc' \
      --exclude='*.gch' --exclude='*.alone' --exclude=unit_tests --exclude=tmp_check -cf - .
  fi | tar -C "$1" --no-same-owner -xf -
  # Tests run as another user, and write; the checkout may be read-only.
  chmod -R u+w,a+rX "$1"
}

# Creates a folder with a copy of the sources, which is removed at the end with the server in it.
make_scratch() {
  server_user=postgres
  id "$server_user" >/dev/null 2>&1 || server_user=nobody
  scratch=$(mktemp -d /tmp/uuidx.XXXXXX)
  trap clean_up EXIT
  mkdir "$scratch/src" "$scratch/tmp"
  export TMPDIR=$scratch/tmp
  copy_tree "$scratch/src"
  if ((EUID == 0)); then chown -R "$server_user" "$scratch"; fi
  # The server's user may not be allowed in the current directory.
  cd /
}

# Stops every server in the scratch folder, those of an interrupted test included.
stop_servers() {
  local pid_file
  while IFS= read -r -d '' pid_file; do
    as_server_user "$bindir/pg_ctl" -D "${pid_file%/*}" -m immediate -w stop >/dev/null 2>&1 || true
  done < <(find "$scratch" -name postmaster.pid -print0)
}

# Stops the servers and removes the scratch folder unless keep_scratch is set.
clean_up() {
  trap '' INT TERM HUP
  if [[ -n ${ticker-} ]]; then kill "$ticker" 2>/dev/null || true; fi
  stop_servers
  [[ -n ${keep_scratch-} ]] || rm -rf "$scratch"
}

# Runs make in the copy of the tree, as its owner.
make_there() {
  as_server_user make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" "$@"
}

# Prints how many files were compiled since a time.
files_compiled() {
  printf '%d files compiled' "$(find "$tree" "$scratch/src" -name '*.o' -newermt "@$1" | wc -l)"
}

# Prints how many checks of TAP tests have passed. PostgreSQL's modules log each at once.
checks_passed() {
  local logs=("$scratch"/src/tmp_check/log/regress_log_*)
  printf '%d checks passed' "$(cat "${logs[@]}" 2>/dev/null | grep -cE '(^|s\) )ok [0-9]')"
}

# Runs a command; says every ten seconds, to file descriptor 3, how far it is. Arguments: function that prints this,
# command.
with_progress() {
  local began=$EPOCHSECONDS status=0 seconds=0
  # Waits for input that does not come, as a sleep would outlive its loop.
  while kill -0 $$ 2>/dev/null; do
    read -rt 1 <> <(:) || true
    ((++seconds % 10 != 0)) ||
      say "  $("$1" "$began"), $((EPOCHSECONDS - began)) s" >&3
  done &
  ticker=$!
  "${@:2}" || status=$?
  kill "$ticker"
  wait "$ticker" 2>/dev/null || true
  ticker=
  return "$status"
}

# Sorts tests: regress gets the names of SQL tests, tap the numbers of TAP tests.
sort_tests() {
  local test
  regress='' tap=()
  for test in "$@"; do
    if [[ -f $tree/sql/$test.sql ]]; then
      regress+=" $test"
    elif compgen -G "$tree/test/t/${test}_*.pl" >/dev/null; then
      tap+=("$test")
    else
      die "no test is called $test: there are sql/NAME.sql and test/t/NUMBER_*.pl"
    fi
  done
}

# Runs TAP tests, given by their numbers or patterns of these, and adds their results.
tap_tests() { step tap with_progress checks_passed prove_files "$(printf 'test/t/%s_*.pl ' "$@")"; }

# Runs TAP tests, as many at once as there are processors, and says to file descriptor 3 how each has ended. Prints what
# each has printed, and the report last. In reverse order, so that short ones come last.
prove_files() {
  local file status=0
  as_server_user mkdir "$scratch/tap"
  PERL_TEST_HARNESS_DUMP_TAP=$scratch/tap make_there prove PROVE_TESTS="$1" \
    PROVE_FLAGS="--timer --reverse --jobs $(nproc)" |
    tee "$scratch/report" |
    sed -unE 's/ +\(.*CPU\)$//; s/^\[[^]]*\] (test)/  \1/p; s/^(Dubious,|Failed) /    &/p' >&3 || status=$?
  for file in "$scratch"/tap/test/t/*.pl; do
    say "# ${file#"$scratch/tap/"}"
    cat "$file"
  done
  cat "$scratch/report"
  return "$status"
}

# Runs the SQL tests on the server, those that regress names or all, and prints differences.
sql_tests() {
  step sql show_tests make_there installcheck ${regress:+REGRESS="$regress"}
  if [[ -f $scratch/src/regression.diffs ]]; then head -n 200 "$scratch/src/regression.diffs"; fi
}

# Builds and installs the tree, in a scratch folder.
install_tree() {
  make_scratch
  make_there -j"$(nproc)" all
  install_extension
}

# True if what make_there has built is installed.
is_installed() {
  local file
  cmp -s "$scratch/src/uuidx.so" "$("$PG_CONFIG" --pkglibdir)/uuidx.so" || return 1
  for file in "$scratch"/src/uuidx*.control "$scratch"/src/sql/uuidx*--*.sql; do
    cmp -s "$file" "$("$PG_CONFIG" --sharedir)/extension/${file##*/}" || return 1
  done
}

# Installs what make_there has built; as root only if the server's folders need it.
install_extension() {
  if is_installed; then return 0; fi  # the status matters in a trap
  local install=(make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" install)
  if [[ -w $("$PG_CONFIG" --pkglibdir) && -w $("$PG_CONFIG" --sharedir)/extension ]]; then
    quietly "${install[@]}"
  else
    need_root_for "make -C '$tree' PG_CONFIG=$PG_CONFIG install clean"
    quietly as_root "${install[@]}"
  fi
}

# Runs a program of PostgreSQL in a session that an interrupt does not reach: bash runs its traps after the program. A
# server that is killed while it starts leaves shared memory.
uninterrupted() {
  local log=$scratch/$1.out command=("$bindir/$1" "${@:2}")
  if ((EUID == 0)); then command=(runuser -u "$server_user" -- "${command[@]}"); fi
  setsid --wait "${command[@]}" >"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    die "failed: ${command[*]}"
  }
}

# Starts a server in the scratch folder, which listens only on a socket there, and points libpq at it. server_options
# can have further options of the server.
start_server() {
  local name
  # All of libpq's variables: PGHOSTADDR would override PGHOST and lead to another server.
  for name in $(compgen -e PG); do [[ $name == PG_CONFIG ]] || unset "$name"; done
  export PGHOST=$scratch PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  uninterrupted initdb -D "$scratch/data" -A trust -U postgres --no-sync --encoding=UTF8 --locale=C
  uninterrupted pg_ctl -D "$scratch/data" -l "$scratch/server.log" -w start \
    -o "-k $scratch -c listen_addresses= -c fsync=off ${server_options-}"
}
