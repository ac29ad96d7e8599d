#!/usr/bin/env bash
# Runs the README's demonstration in a fresh minimal Debian: offline, as root, interrupted, and as a user without sudo.
# Checks what it prints and what it leaves behind: test/platforms/quick_start.sh [SUITE], as root
# SUITE is bookworm by default. UUIDX_MIRROR names a Debian mirror, for a machine whose apt sources have none.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/chroot.sh"

# Creates the minimal Debian, with a user. As in containers, packages start no services.
make_bare() {
  local mirror bare=$scratch/bare
  mirror=$(mirror_of "$suite")
  quietly bootstrap "$suite" "$bare" "$mirror"
  if [[ -n ${http_proxy-} ]]; then
    echo "Acquire::http::Proxy \"$http_proxy\";" >>"$bare/etc/apt/apt.conf.d/uuidx"
  fi
  # For the commands that root copies from a message.
  echo 'APT::Get::Assume-Yes "true";' >>"$bare/etc/apt/apt.conf.d/uuidx"
  install -m 755 /dev/stdin "$bare/usr/sbin/policy-rc.d" <<<$'#!/bin/sh\nexit 101'
  rm -rf "$bare"/var/lib/apt/lists/* "$bare"/var/cache/apt/archives/*.deb
  quietly chroot "$bare" useradd --create-home --shell /bin/bash ada
}

# Copies the minimal Debian and continues there, with a tree without a repository in a user's home. Arguments: name,
# user, home.
new_root() {
  root=$scratch/$1
  home=$3
  cp -a "$scratch/bare" "$root"
  mount_into "$root"
  mkdir "$root$home/uuidx"
  copy_tree "$root$home/uuidx"
  chroot "$root" chown -R "$2:" "$home/uuidx"
}

# Runs a command as a user in the root, with its output in $seen. Arguments: user, command.
run_as() {
  # Background jobs ignore INT, which the command would inherit.
  "${wrap[@]}" chroot --userspec="$1" "$root" /usr/bin/env -i --default-signal=INT,QUIT --chdir="$home/uuidx" \
    HOME="$home" USER="$1" DEBIAN_FRONTEND=noninteractive bash -lc "$2" </dev/null >"$seen" 2>&1
}

# Prints the first command of the README's quick start.
demonstration() {
  sed -n '/^## Try it/,/^## /p' "$tree/README.md" | awk '/^```/ { inside++; next } inside == 1 { print; exit }'
}

# Prints the processes in the root.
processes() {
  local dir
  for dir in /proc/[0-9]*; do
    [[ $(readlink "$dir/root") != "$root" ]] || { tr '\0' ' ' <"$dir/cmdline" && echo; } 2>/dev/null || true
  done
}

# Prints everything that the demonstration may not change: temporary files, users' files except hidden ones, clusters
# and their settings, shared memory, processes.
state() {
  (
    cd "$root" || exit
    find tmp var/tmp home root -mindepth 1 -not -path 'home/*/.*' -not -path 'root/.*' -not -path 'tmp/.*-unix' \
      \( -type f -exec cksum {} + -o -not -type f -print \) | sort
    find etc/postgresql etc/postgresql-common/createcluster.d -type f -exec cksum {} + 2>/dev/null | sort || true
    find dev/shm
  )
  awk '{ print $1, $2 }' /proc/sysvipc/shm
  processes
}

# Prints the differences from the state before.
differences() { diff "$scratch/before" <(state) || true; }

# Counts a check of the situation, and shows the output of the last command if it fails. Arguments: name, command.
verify() {
  local failed_before=$failed
  check "$situation: $1" "${@:2}"
  ((failed == failed_before)) || tail -n 40 "$seen"
}

# Prints the lines that say that something went wrong.
complaints() {
  grep -iE 'error|warning|notice|fail|denied|not found|cannot|could not|unable|no such|invalid|usage:' "$seen" || true
}

# Prints the parts of the demonstration that are missing.
missing_parts() {
  local text
  for text in 'what text NOT NULL' '| first' ' 1440 | 2026-03-01 00:00:00' 'Index Cond:' '== Done.' \
    'In your own database: CREATE EXTENSION uuidx;'; do
    grep -qF -- "$text" "$seen" || printf '%s\n' "$text"
  done
}

# Runs the demonstration, which must succeed. Argument: user.
succeeds() {
  local status=0
  state >"$scratch/before"
  run_as "$1" "$(demonstration)" || status=$?
  verify "succeeds" test "$status" -eq 0
  verify "shows everything" prints_nothing missing_parts
  verify "prints no complaint" prints_nothing complaints
  verify "leaves nothing" prints_nothing differences
}

# Runs the demonstration, which must fail with a message. Arguments: user, pattern.
fails() {
  local status=0
  state >"$scratch/before"
  run_as "$1" "$(demonstration)" || status=$?
  verify "fails" test "$status" -ne 0
  verify "says why" grep -E "$2" "$seen"
  verify "leaves nothing" prints_nothing differences
}

# Interrupts the demonstration some time after a line. Arguments: signal, beginning of the line, seconds.
interrupt() {
  local pid interrupted status=0
  situation="$1 after '$2'"
  state >"$scratch/before"
  : >"$seen"
  # In a process group of its own, as at a terminal.
  set -m
  run_as root "$(demonstration)" &
  pid=$!
  set +m
  until grep -q "^$2" "$seen" || ! kill -0 "$pid"; do sleep 0.05; done 2>/dev/null
  sleep "$3"
  interrupted=$SECONDS
  kill -"$1" -- "-$pid" || true
  wait "$pid" || status=$?
  until [[ -z $(processes) ]] || ((SECONDS - interrupted > 15)); do sleep 0.1; done
  verify "fails" test "$status" -ne 0
  verify "leaves nothing" prints_nothing differences
}

# Runs the demonstration as a user without sudo and, as root, the command that it names, until it works.
test_nosudo() {
  local refusal command
  situation="without sudo"
  for refusal in 1 2; do
    fails ada 'as root, run: '
    command=$(sed -n 's/.*as root, run: //p' "$seen" | tail -n 1)
    verify "root's command $refusal succeeds" run_as root "$command"
  done
  succeeds ada
}

suite=${1-bookworm}
[[ $suite =~ ^(bookworm|trixie|forky)$ ]] ||
  die "unknown suite '$suite'; usage: test/platforms/quick_start.sh [SUITE], SUITE one of: bookworm trixie forky"
isolate "$@"
install_packages debootstrap debian-archive-keyring gpgv wget

seen=$scratch/seen
wrap=()
make_bare

new_root fresh root /root
situation="offline, nothing installed"
wrap=(unshare --net)
fails root network
wrap=()
# Only by INT, which apt withstands: TERM also interrupts dpkg, and only `dpkg --configure -a` mends that.
interrupt INT installing 5
situation="as root"
succeeds root
situation="offline"
wrap=(unshare --net)
find "$root/usr" -name 'uuidx*' -delete
succeeds root
wrap=()
for signal in INT TERM; do
  interrupt "$signal" '== 2' 3
  interrupt "$signal" '== 3' 0.3
  interrupt "$signal" '== 4' 0
done

new_root nosudo ada /home/ada
test_nosudo
# Results have been shown; the folder is removed.
keep_scratch=
finish
