# shellcheck shell=bash
# What the scripts of the tests share: finding and installing what they need, counting tests,
# building a copy of the tree, and a throw-away server. To be sourced by bash.
set -euo pipefail

# In English, as the scripts read what programs print.
export LC_ALL=C.UTF-8
# What an interrupt leaves half done is neither counted nor kept.
trap 'keep_scratch=; exit 130' INT
trap 'keep_scratch=; exit 143' TERM
trap 'keep_scratch=; exit 129' HUP

tree=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Says what happens.
say() { printf '%s\n' "$*"; }

# Says what is wrong and ends the script.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# Runs a command as root: directly or by sudo.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Ends the script with what to type, where it cannot run a command as root itself.
need_root_for() {
  ((EUID != 0)) || return 0
  type sudo >/dev/null 2>&1 || die "this needs root, and there is no sudo; as root, run: $*"
  # A password is asked for with a word why. Not -v, which may ask where no command does.
  sudo -n true 2>/dev/null || say "this needs root; sudo may ask for your password, to run: $*"
  sudo true || die "this needs root, and sudo refuses; as root, run: $*"
}

# Runs a command as a user that may run a server: PostgreSQL refuses root.
as_server_user() {
  if ((EUID == 0)); then
    runuser -u "$server_user" -- "$@"
  else
    "$@"
  fi
}

# Runs a command quietly; its output is shown only if it fails, and then before what failed.
quietly() {
  local output command="$*"
  output=$("$@" 2>&1) || {
    printf '%s\n' "$output" >&2
    die "failed: ${command#as_root }"
  }
}

passed=0
failed=0
skipped=0

# Counts a test and says how it went. Arguments: status, name.
count() {
  if (($1 == 0)); then
    say "ok - $2"
    passed=$((passed + 1))
  else
    say "not ok - $2"
    failed=$((failed + 1))
    keep_scratch=yes
  fi
}

# Runs one step with its output in a log, adds its results, and says them and how long it took. One that failed
# without a failed test counts as one, and so does one without any test: it has tested nothing. Arguments: name,
# patterns of a passed and of a failed test, command.
step() {
  local name=$1 log=$scratch/$1.log status=0 good bad left_out began=$SECONDS
  # What is to be seen at once goes to 3.
  "${@:4}" 3>&1 >"$log" 2>&1 || status=$?
  good=$(grep -E "$2" "$log" | grep -cvi '# skip') || true
  left_out=$(grep -E "$2" "$log" | grep -ci '# skip') || true
  bad=$(grep -cE "$3" "$log") || true
  if ((bad == 0 && (status != 0 || good + left_out == 0))); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + left_out))
  say "$name: $good passed, $bad failed, $left_out skipped, $((SECONDS - began)) s"
  if ((bad > 0)); then
    tail -n 60 "$log"
    keep_scratch=yes
  fi
}

# Says what was skipped and how it went, as the last command of a script: its status is that of the tests.
finish() {
  if ((skipped > 0)); then
    say "$skipped skipped:"
    grep -ohiE '# skip.*' "$scratch"/*.log | sort | uniq -c
  fi
  if [[ -n ${keep_scratch-} ]]; then say "logs and results are kept in $scratch"; fi
  say "$passed passed, $failed failed"
  ((failed == 0))
}

# Held by the script that uses apt, among those of this tree.
apt_lock=$tree/test/lib/lib.sh

# Has apt get its lists.
update_lists() { quietly as_root flock "$apt_lock" apt-get update -q; }

# Installs the Debian packages of a list that are missing, where there is apt; elsewhere the build
# will say what it lacks.
install_packages() {
  local package missing=()
  type apt-get >/dev/null 2>&1 || return 0
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  need_root_for "apt-get update && apt-get install ${missing[*]}"
  say "installing ${missing[*]}; this may take minutes"
  (
    # A server package would make a cluster and start it; the scripts need none.
    no_cluster=/etc/postgresql-common/createcluster.d/uuidx.conf
    # One at a time: apt does not wait for another one that updates its lists. Closed for what a package may start.
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

# Prints the newest PostgreSQL of Debian's layout that is installed and not too old.
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

# Sets PG_CONFIG, unless the caller has, and installs a server and its headers where there are none, and the Debian
# packages that are named: all at once, so that who has to ask somebody else for them does so once.
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
  # Absolute, as the scripts change their folder.
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

# Copies the sources, without what was built from them, to an existing folder.
copy_tree() {
  # Under sudo the checkout belongs to somebody else, which git refuses unless told.
  local git=(git -C "$tree" -c safe.directory='*')
  # Asked for a file of ours, as the tree may lie unpacked within a repository of something else.
  if "${git[@]}" ls-files --error-unmatch uuidx.control >/dev/null 2>&1; then
    # Deleted files are listed, too, until that is committed.
    "${git[@]}" ls-files -z --cached --others --exclude-standard | (
      cd "$tree"
      while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
        tar --null -T - -cf -
    )
  else
    tar -C "$tree" --exclude='*.o' --exclude='*.d' --exclude='*.so' --exclude='*.bc' \
      --exclude=unit_tests --exclude=tmp_check -cf - .
  fi | tar -C "$1" --no-same-owner -xf -
  # Tests run as another user, and write; the checkout may be read-only.
  chmod -R u+w,a+rX "$1"
}

# Makes a folder with a copy of the sources, which goes away at the end with the server in it.
make_scratch() {
  server_user=postgres
  id "$server_user" >/dev/null 2>&1 || server_user=nobody
  scratch=$(mktemp -d /tmp/uuidx.XXXXXX)
  trap clean_up EXIT
  mkdir "$scratch/src" "$scratch/tmp"
  export TMPDIR=$scratch/tmp
  copy_tree "$scratch/src"
  if ((EUID == 0)); then chown -R "$server_user" "$scratch"; fi
  # The user of the server may not be allowed to be where the script was started.
  cd /
}

# Stops every server in the scratch folder, those of an interrupted test included, and removes the
# folder; keeps it where keep_scratch is set.
clean_up() {
  local pid_file
  trap '' INT TERM HUP
  while IFS= read -r -d '' pid_file; do
    as_server_user "$bindir/pg_ctl" -D "${pid_file%/*}" -m immediate -w stop >/dev/null 2>&1 || true
  done < <(find "$scratch" -name postmaster.pid -print0)
  [[ -n ${keep_scratch-} ]] || rm -rf "$scratch"
}

# Runs make in the copy of the tree, as the user that owns it.
make_there() {
  as_server_user make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" "$@"
}

# Runs files of test/t, given by their numbers or patterns of these, as many at once as there are processors, and says
# how each went as it ends. In reverse, as those at the end of the list are short then.
tap_tests() {
  local files
  files=$(printf 'test/t/%s_*.pl ' "$@")
  PERL5LIB=$scratch/src/test/t PROGRESS_FD=3 step tap '^ok' '^not ok' make_there prove PROVE_TESTS="$files" \
    PROVE_FLAGS="--reverse --jobs $(nproc) --formatter Progress"
}

# Says whether what make_there has built is what is installed.
is_installed() {
  local file
  cmp -s "$scratch/src/uuidx.so" "$("$PG_CONFIG" --pkglibdir)/uuidx.so" || return 1
  for file in "$scratch"/src/uuidx.control "$scratch"/src/sql/uuidx--*.sql; do
    cmp -s "$file" "$("$PG_CONFIG" --sharedir)/extension/${file##*/}" || return 1
  done
}

# Installs what make_there has built; as root only where the server's folders need it.
install_extension() {
  if is_installed; then return; fi
  local install=(make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" install)
  if [[ -w $("$PG_CONFIG" --pkglibdir) && -w $("$PG_CONFIG" --sharedir)/extension ]]; then
    quietly "${install[@]}"
  else
    need_root_for "make -C '$tree' PG_CONFIG=$PG_CONFIG install clean"
    quietly as_root "${install[@]}"
  fi
}

# Starts a server in the scratch folder, which listens on a socket there and nowhere else, and points
# libpq at it. server_options may hold further options of the server.
start_server() {
  local name
  # All of libpq's variables: PGHOSTADDR would outrank PGHOST and lead to another server.
  for name in $(compgen -e PG); do [[ $name == PG_CONFIG ]] || unset "$name"; done
  export PGHOST=$scratch PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  quietly as_server_user "$bindir/initdb" -D "$scratch/data" -A trust -U postgres --no-sync \
    --encoding=UTF8 --locale=C
  quietly as_server_user "$bindir/pg_ctl" -D "$scratch/data" -l "$scratch/server.log" -w start \
    -o "-k $scratch -c listen_addresses= -c fsync=off ${server_options-}"
}
