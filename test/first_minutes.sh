#!/usr/bin/env bash
# The first minutes of a beginner: types the commands of README.md's "Try it" at a terminal in a fresh minimal Debian,
# in the situations below, and looks at what is said, how it ends and what it leaves:
#   test/first_minutes.sh [SUITE ...] [SITUATION ...] [--tests], as root
# Suites, all of them unless some are named: bookworm, trixie, forky. Situations, all of them unless some are named:
#   root       as root, where nothing is installed, not even git
#   nosudo     as a user who has no sudo; root types what the messages say
#   notallowed as a user whom sudo does not let
#   sudo       as a user with sudo, in a clone; with --tests, the command that tests, too
#   existing   beside a server with data, which must not notice, though the user's environment leads there
#   offline    without network, when everything is installed; and when something is missing
#   archive    in the folder of the release's archive
#   path       in a folder with a space and an umlaut in its path, with sudo and without
#   readonly   as root, in a user's clone that nobody can write to
#   interrupt  Ctrl-C, and the terminal closed, at several moments
# UUIDX_MIRROR names a Debian mirror, otherwise it is that of apt's own sources. The transcripts are kept in the folder
# UUIDX_TRANSCRIPTS if that is set, everything else goes away. The last line counts.
# shellcheck source=test/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=test/chroot.sh
source "$tree/test/chroot.sh"

self=$(readlink -f "${BASH_SOURCE[0]}")
known_suites='bookworm trixie forky'
known_situations='root nosudo notallowed sudo existing offline archive path readonly interrupt'
table=

# Runs this script in namespaces of its own, so that mounts and processes end with it, and removes its folder.
isolate() {
  local child status=0
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/uuidx.XXXXXX")
  trap 'rm -rf --one-file-system "$scratch"' EXIT
  # In the background, as bash runs no trap while it waits for a foreground command.
  UUIDX_MINUTES=$scratch unshare --mount --uts --pid --ipc --fork --mount-proc --kill-child bash "$self" "$@" &
  child=$!
  # With KILL, as unshare ignores INT and TERM; everything in the namespace dies with it.
  trap 'kill -KILL "$child"; wait "$child" || true; exit 130' HUP INT TERM
  wait "$child" || status=$?
  return "$status"
}

# Makes the minimal Debian of a suite, the lowest layer of its roots.
make_bare() {
  local mirror bare=$scratch/$suite/bare
  mirror=$(mirror_of "$suite")
  quietly bootstrap "$suite" "$bare" "$mirror"
  if [[ -n ${http_proxy-} ]]; then
    echo "Acquire::http::Proxy \"$http_proxy\";" >>"$bare/etc/apt/apt.conf.d/uuidx"
  fi
  # As a fresh system has it, and an image for containers, too.
  rm -rf "$bare"/var/lib/apt/lists/* "$bare"/var/cache/apt/archives/*.deb
  printf '127.0.0.1 localhost\n127.0.1.1 debian\n' >"$bare/etc/hosts"
  echo debian >"$bare/etc/hostname"
  quietly chroot "$bare" useradd --create-home --shell /bin/bash ada
}

# Makes a root of its own, above the bare one or above another, and goes on there. Arguments: name, the layers below.
new_root() {
  local name=$1 dir lower=
  leave_root
  for dir in "${@:2}" bare; do lower+=${lower:+:}$scratch/$suite/$dir; done
  root=$scratch/root
  rm -rf --one-file-system "${scratch:?}/$suite/$name" "$scratch/$suite/work"
  mkdir -p "$root" "$scratch/$suite/$name" "$scratch/$suite/work"
  # Volatile, as nothing of it is to survive: dpkg waits for the disk after each file.
  mount -t overlay overlay "$root" \
    -o "volatile,lowerdir=$lower,upperdir=$scratch/$suite/$name,workdir=$scratch/$suite/work"
  mount_into "$root"
}

# Ends what runs in the root, and takes it away.
leave_root() {
  local process
  [[ -n ${root-} ]] || return 0
  for process in $(processes | cut -d' ' -f1); do kill -KILL "$process" 2>/dev/null || true; done
  until [[ -z $(processes) ]]; do sleep 0.1; done
  umount -R "$root"
  root=
}

# Prints the processes of the root that do not belong to the existing server, a line each.
processes() {
  local dir process parent
  for dir in /proc/[0-9]*; do
    process=${dir#/proc/}
    [[ $(readlink "$dir/root") == "$root" ]] || continue
    parent=$(sed 's/.*) . \([0-9]*\) .*/\1/' "$dir/stat" 2>/dev/null) || continue
    [[ " ${existing_server-} " != *" $process "* && " ${existing_server-} " != *" $parent "* ]] || continue
    printf '%s %s\n' "$process" "$({ tr '\0' ' ' <"$dir/cmdline"; } 2>/dev/null || true)"
  done
}

# Runs a command in the root as root, quietly and without a terminal.
there() {
  quietly env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"
}

# Installs packages there, as somebody has done before the first minute, and forgets the lists again.
given() {
  there apt-get update
  there apt-get install -y --no-install-recommends "$@"
  there sh -c 'rm -rf /var/lib/apt/lists/* && apt-get clean'
}

# Gives ada sudo without a password.
given_sudo() {
  given sudo "$@"
  echo 'ada ALL=(ALL:ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/ada"
}

# Makes the user's clone of a repository of this tree. Arguments: user, folder.
clone() {
  there cp /dev/stdin /srv/uuidx.bundle <"$scratch/uuidx.bundle"
  there chroot --userspec="$1" / git clone -q /srv/uuidx.bundle "$2"
}

# Unpacks this tree without a repository. Arguments: user, folder.
unpack() {
  mkdir "$root$2"
  copy_tree "$root$2"
  there chown -R "$1" "$2"
}

# Takes the extension out of the root, so that it has to be installed.
uninstall() {
  find "$root/usr" -name 'uuidx*' -not -path '*/doc/*' -delete
}

# Prints a command of the README: the first demonstrates, the second tests.
readme_command() {
  sed -n '/^## Try it/,/^## Install/p' "$tree/README.md" |
    awk -v wanted="$1" '/^```/ { inside = !inside; block += inside; next } inside && block == wanted'
}

# Prints a quoted command that a login of the user types; wrap may hold what stands around it. Arguments: user, command.
login() {
  local home=/home/$1
  if [[ $1 == root ]]; then home=/root; fi
  printf '%q ' "${wrap[@]}" chroot --userspec="$1" "$root" /usr/bin/env -i --chdir="$home" HOME="$home" USER="$1" \
    LOGNAME="$1" TERM=xterm "${environment[@]}" bash -lc "$2"
}

# Types a command at a terminal, with what the keyboard holds, and keeps what is seen there with the seconds until then
# in $seen. Sets took and pause, the longest time without a word, too. Arguments: user, command.
type_in() {
  local status=0 began=$SECONDS
  printf '%4d $ %s\n' 0 "$2" >"$seen"
  # A script's background job starts with INT ignored, and the command would inherit that.
  SHELL=/bin/bash timeout --foreground --kill-after=10 3600 env --default-signal=INT,QUIT \
    script -qefc "$(login "$1" "$2")" /dev/null <&"$keyboard" |
    while IFS= read -r line || [[ -n $line ]]; do
      printf '%4d %s\n' $((SECONDS - began)) "${line%$'\r'}"
    done >>"$seen" || status=$?
  took=$((SECONDS - began))
  printf '%4d\n' "$took" >>"$seen"
  pause=$(awk '$1 - last > longest { longest = $1 - last } { last = $1 } END { print longest + 0 }' "$seen")
  { printf '== %s, %s: %s types\n' "$suite" "$situation" "$1"; cat "$seen"; printf '   (status %s)\n\n' "$status"; } \
    >>"$transcript"
  return "$status"
}

# Prints the lines that were seen, without their seconds.
lines() { sed '1d; $d; s/^ *[0-9]* //' "$seen"; }

# Prints all that a demonstration may not change: what lies in the folders for temporary and the users' files, clusters
# and how they are made, shared memory, processes. What programs keep in hidden files at home is theirs.
state() {
  (
    cd "$root"
    find tmp var/tmp home root -mindepth 1 -not -path 'home/*/.*' -not -path 'root/.*' \
      \( -type f -exec cksum {} + -o -not -type f -print \) | sort
    find etc/postgresql etc/postgresql-common/createcluster.d -type f -exec cksum {} + 2>/dev/null | sort || true
    find dev/shm
  )
  awk '{ print $1, $2 }' /proc/sysvipc/shm
  processes
}

# Runs one check and says how it went; what it prints, and what was typed and seen, only if it failed. Set -e has no
# effect on what runs here.
check() {
  local name="$suite, $situation: $1" log=$scratch/check.log
  if "${@:2}" >"$log" 2>&1; then
    say "ok - $name"
    passed=$((passed + 1))
  else
    say "not ok - $name"
    { head -n 30 "$log" && echo 'what was seen:' && tail -n 40 "$seen"; } | cut -c -160 | sed 's/^/  /'
    failed=$((failed + 1))
  fi
}

# Whether a command prints nothing.
prints_nothing() {
  local output
  output=$("$@") || true
  [[ -z $output ]] || { printf '%s\n' "$output" && return 1; }
}

# Whether a command prints something.
prints_something() { [[ -n $("$@") ]]; }

# Whether the demonstration has got to its end: it shows the table, and says what to do next.
is_demonstrated() {
  local text
  for text in 'what text NOT NULL' '| first' ' 1440 | 2026-03-01 00:00:00' 'Index Cond:' '== Done.' \
    'In your own database: CREATE EXTENSION uuidx;'; do
    lines | grep -F -- "$text" >/dev/null || { echo "'$text' is missing" && return 1; }
  done
}

# Prints the lines that would worry a beginner.
worries() {
  lines | grep -iE 'error|warning|notice|fail|denied|not found|cannot|could not|unable|no such|invalid|usage:'
}

# Prints what differs from the state before.
# Prints the differences from the state before.
differences() { diff "$scratch/before" <(state) | grep '^[<>]'; }

# Prints those in the users' files.
differences_at_home() { differences | grep ' home/'; }

# The checks after a demonstration that has to work. Arguments: its status, what to add to the names.
judge() {
  check "the demonstration ends well${2-}" test "$1" -eq 0
  check "and has shown the table${2-}" is_demonstrated
  check "with no word of trouble${2-}" prints_nothing worries
  check "and leaves nothing${2-}" prints_nothing differences
}

# Types the demonstration in a folder, looks at all of it, and adds a row to the table. Arguments: user, folder, what
# to add to the names.
demonstrate() {
  local status=0
  state >"$scratch/before"
  type_in "$1" "cd '$2' && $(readme_command 1)" || status=$?
  judge "$status" "${3-}"
  add_row "demonstration${3-}"
}

# Adds what was typed last to the table.
add_row() {
  table+=$(printf '%-9s %-11s %-34s %5d s, at most %4d s without a word' "$suite" "$situation" "$1" "$took" "$pause")
  table+=$'\n'
}

# Prints what a refusal says that root has to run.
hint() { lines | sed -n 's/.*as root, run: //p' | tail -n 1; }

# Types the demonstration and, as root, what each refusal says, until it works. Arguments: user, folder, refusals that
# are still fair.
demonstrate_by_hints() {
  local refusals=0 status=0 told
  state >"$scratch/before"
  until type_in "$1" "cd '$2' && $(readme_command 1)"; do
    refusals=$((refusals + 1))
    add_row "refusal $refusals"
    told=$(hint)
    check "refusal $refusals says what root has to type" test -n "$told"
    check "and leaves nothing, $refusals" prints_nothing differences
    [[ -n $told ]] && ((refusals < 6)) || return 0
    # Questions of packages have nothing to do with the hint.
    environment=(DEBIAN_FRONTEND=noninteractive)
    printf 'y\n' >&"$keyboard"
    type_in root "$told" || status=$?
    environment=()
    check "that works, $refusals" test "$status" -eq 0
    add_row "what root types"
    ((status == 0)) || return 0
    check "and leaves the user's files alone, $refusals" prints_nothing differences_at_home
    state >"$scratch/before"
  done
  judge 0 " then"
  add_row "demonstration"
  check "after no more refusals than $3" test "$refusals" -le "$3"
}

test_root() {
  new_root root
  unpack root /root/uuidx
  demonstrate root /root/uuidx
}

test_nosudo() {
  new_root nosudo
  unpack ada /home/ada/uuidx
  demonstrate_by_hints ada /home/ada/uuidx 2
}

# A user whom sudo does not let.
test_notallowed() {
  new_root notallowed
  given sudo
  unpack ada /home/ada/uuidx
  # Without the warning of the first use.
  echo 'Defaults lecture=never, passwd_tries=1' >"$root/etc/sudoers.d/lecture"
  printf 'wrong\n' >&"$keyboard"
  state >"$scratch/before"
  check "the demonstration fails" fails type_in ada "cd uuidx && $(readme_command 1)"
  add_row "refusal"
  check "and says what root has to type" prints_something hint
  check "and leaves nothing" prints_nothing differences
}

# Whether a command fails.
fails() { ! "$@"; }

test_sudo() {
  new_root sudo
  given_sudo git ca-certificates
  clone ada /home/ada/uuidx
  demonstrate ada /home/ada/uuidx
  demonstrate ada /home/ada/uuidx ', again'
  check "the clone is as it was" prints_nothing there_prints ada git -C /home/ada/uuidx status --short --ignored
  if [[ -n $with_tests ]]; then
    state >"$scratch/before"
    check "the tests pass" type_in ada "cd uuidx && $(readme_command 2)"
    add_row "tests"
    check "as their last line says" grep -E ' [0-9]+ passed, 0 failed$' "$seen"
    check "and leave nothing" prints_nothing differences
  fi
}

# Runs a command as a user there, and prints what it prints.
there_prints() { chroot --userspec="$1" "$root" env -i PATH=/usr/bin:/bin HOME="/home/$1" "${@:2}" 2>&1; }

# Goes on above a root that has everything, with the extension to be installed: that of the user with sudo, if there is
# one. Argument: name of the new root.
new_ready_root() {
  if [[ ! -d $scratch/$suite/sudo ]]; then
    new_root sudo
    given_sudo git ca-certificates make g++ libssl-dev
    given_server postgresql-server-dev-all
    clone ada /home/ada/uuidx
  fi
  new_root "$1" sudo
  uninstall
}

# Installs a server, but makes no cluster. Arguments: more packages.
given_server() {
  local no_cluster=/etc/postgresql-common/createcluster.d/no.conf
  there install -D -m 644 /dev/stdin "$no_cluster" <<<'create_main_cluster = false'
  given postgresql "$@"
  there rm "$no_cluster"
}

# Runs psql on the existing server as its superuser.
existing_psql() { there_prints postgres psql -XAtq -v ON_ERROR_STOP=1 "$@"; }

# Prints all of the existing server: data, roles, settings, extensions, its start, its files of settings. pg_dumpall
# writes a random word each time.
existing_server() {
  local database
  there_prints postgres pg_dumpall | grep -vE '^\\(un)?restrict '
  existing_psql -c 'SELECT pg_postmaster_start_time()' -c 'SELECT name, setting, source FROM pg_settings ORDER BY name'
  for database in postgres template1 shop; do existing_psql -d "$database" -c 'SELECT * FROM pg_extension'; done
  (cd "$root" && find etc/postgresql var/lib/postgresql -name '*.conf' -exec cksum {} + | sort)
}

# Makes a cluster on port 5432 with data in it, and starts it. TCP would be a port of this machine.
start_existing() {
  local version data
  version=$(ls "$root/usr/lib/postgresql")
  data=/var/lib/postgresql/$version/main
  there pg_createcluster -p 5432 -o listen_addresses= -o log_connections=on "$version" main
  there runuser -u postgres -- "/usr/lib/postgresql/$version/bin/pg_ctl" -D "$data" -w start \
    -o "-c config_file=/etc/postgresql/$version/main/postgresql.conf" -l /var/log/postgresql/existing.log
  existing_server=$(head -n 1 "$root$data/postmaster.pid")
  existing_psql -c 'CREATE ROLE ada LOGIN SUPERUSER' -c 'CREATE DATABASE shop OWNER ada'
  existing_psql -d shop -c 'CREATE TABLE event AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 1000) AS n'
}

# A demonstration beside the existing server, and whether that has noticed. Arguments as for demonstrate.
demonstrate_beside() {
  local connections
  existing_server >"$scratch/existing"
  connections=$(grep -c 'connection received' "$root/var/log/postgresql/existing.log")
  demonstrate "$@"
  check "nobody has connected to the existing server${3-}" test "$connections" -eq \
    "$(grep -c 'connection received' "$root/var/log/postgresql/existing.log")"
  check "which is as it was${3-}" diff "$scratch/existing" <(existing_server)
}

test_existing() {
  new_root existing
  given_sudo git ca-certificates
  given_server
  clone ada /home/ada/uuidx
  start_existing
  environment=(PGHOST=/var/run/postgresql PGPORT=5432 PGUSER=ada PGDATABASE=shop PGOPTIONS='-c search_path=nowhere')
  demonstrate_beside ada /home/ada/uuidx
  environment=()
  uninstall
  demonstrate_beside root /home/ada/uuidx ', by root'
  existing_server=
}

# Prints what was said of the network.
network_told() { lines | grep -i network; }

test_offline() {
  new_ready_root offline
  wrap=(unshare --net)
  demonstrate ada /home/ada/uuidx
  uninstall
  there apt-get remove -y libssl-dev
  # apt keeps what it has fetched, and would install that.
  there apt-get clean
  state >"$scratch/before"
  check "with something missing, it fails" fails type_in ada "cd uuidx && $(readme_command 1)"
  add_row "refusal"
  check "and says that the network is needed" prints_something network_told
  check "and leaves nothing there" prints_nothing differences
  new_root nothing
  unpack root /root/uuidx
  state >"$scratch/before"
  check "with nothing installed, it fails" fails type_in root "cd uuidx && $(readme_command 1)"
  add_row "refusal with nothing installed"
  check "and says that the network is needed, too" prints_something network_told
  check "and leaves nothing behind" prints_nothing differences
  wrap=()
}

test_archive() {
  new_ready_root archive
  given unzip
  quietly there_prints ada make -C /home/ada/uuidx dist
  quietly there_prints ada sh -c 'cd && unzip -q uuidx/uuidx-*.zip'
  demonstrate ada "$(cd "$root" && printf '/%s' home/ada/uuidx-*)"
}

test_path() {
  local folder='/home/ada/Meine Übungen'
  new_ready_root path
  there chroot --userspec=ada / mkdir "$folder"
  clone ada "$folder/uuidx"
  demonstrate ada "$folder/uuidx"
  uninstall
  # The package refuses to go where root has no password.
  there rm /usr/bin/sudo
  demonstrate_by_hints ada "$folder/uuidx" 1
}

test_readonly() {
  new_ready_root readonly
  mount --bind "$root/home/ada/uuidx" "$root/home/ada/uuidx"
  mount -o remount,ro,bind "$root/home/ada/uuidx"
  demonstrate ada /home/ada/uuidx
  uninstall
  demonstrate root /home/ada/uuidx ', by root'
}

# Types the demonstration and interrupts it some time after a line. Arguments: how, beginning of the line, seconds,
# words of a process to wait for, too, if any.
interrupt_at() {
  local typing interrupted status=0
  state >"$scratch/before"
  : >"$seen"
  # Without what bash says of a job that was killed.
  type_in ada "cd uuidx && $(readme_command 1)" 2>/dev/null &
  typing=$!
  until { grep -E "^ *[0-9]+ $2" "$seen" >/dev/null && processes | grep -e "${4-}" >/dev/null; } ||
    ! kill -0 "$typing" 2>/dev/null; do sleep 0.05; done
  sleep "$3"
  interrupted=$SECONDS
  if [[ $1 == Ctrl-C ]]; then
    printf '\003' >&"$keyboard"
  else
    pkill -KILL -x script
  fi
  wait "$typing" || status=$?
  check "$1 after '$2'${4:+ in $4} ends it" test "$status" -ne 0
  check "within seconds" test $((SECONDS - interrupted)) -le 15
  # Closed, the terminal does not wait for the end.
  until [[ -z $(processes) ]] || ((SECONDS - interrupted > 30)); do sleep 0.1; done
  check "and nothing is left" prints_nothing differences
}

test_interrupt() {
  new_ready_root interrupt
  interrupt_at Ctrl-C '== 2' 3
  interrupt_at Ctrl-C '== 3' 0.3
  interrupt_at closing '== 3' 0.3
  interrupt_at Ctrl-C '== 4' 0.2
  # Packages that install a server must not make a cluster either when nobody waits for them any more.
  new_root fresh
  given_sudo git ca-certificates
  clone ada /home/ada/uuidx
  interrupt_at Ctrl-C installing 1
  interrupt_at Ctrl-C installing 0 'dpkg.*--unpack'
  demonstrate ada /home/ada/uuidx ' then'
}

suites=()
situations=()
with_tests=
for name in "$@"; do
  if [[ " $known_suites " == *" $name "* ]]; then
    suites+=("$name")
  elif [[ " $known_situations " == *" $name "* ]]; then
    situations+=("$name")
  elif [[ $name == --tests ]]; then
    with_tests=yes
  else
    die "unknown '$name'; usage: test/first_minutes.sh [SUITE ...] [SITUATION ...] [--tests]," \
      "SUITE one of: $known_suites, SITUATION one of: $known_situations"
  fi
done
((${#suites[@]} > 0)) || read -ra suites <<<"$known_suites"
((${#situations[@]} > 0)) || read -ra situations <<<"$known_situations"
((EUID == 0)) || die "needs root, for the chroots: sudo test/first_minutes.sh $*"
if [[ -z ${UUIDX_MINUTES-} ]]; then
  install_packages bsdutils debootstrap debian-archive-keyring git gpgv procps wget
  isolate "$@"
  exit
fi

scratch=$UUIDX_MINUTES
seen=$scratch/seen
transcript=$scratch/transcript
environment=()
wrap=()
echo debian >/proc/sys/kernel/hostname
mkfifo "$scratch/keyboard"
exec {keyboard}<>"$scratch/keyboard"
mkdir "$scratch/tree"
copy_tree "$scratch/tree"
git=(git -C "$scratch/tree" -c user.name=uuidx -c user.email=uuidx@example.org)
quietly "${git[@]}" init
quietly "${git[@]}" add -A
quietly "${git[@]}" commit -q -m "Tree"
quietly "${git[@]}" bundle create "$scratch/uuidx.bundle" HEAD --all
for suite in "${suites[@]}"; do
  say "== $suite"
  mkdir "$scratch/$suite"
  : >"$transcript"
  make_bare
  for situation in "${situations[@]}"; do "test_$situation"; done
  leave_root
  if [[ -n ${UUIDX_TRANSCRIPTS-} ]]; then cp "$transcript" "$UUIDX_TRANSCRIPTS/transcript-$suite.txt"; fi
  rm -rf --one-file-system "${scratch:?}/$suite"
done
say "== Summary"
printf '%s' "$table"
say "$passed passed, $failed failed"
((failed == 0))
