#!/usr/bin/env bash
# The first minutes of a beginner: types the commands of README.md's "Try it" at a terminal in a fresh minimal Debian,
# in the situations below, and looks at what is said, how it ends and what it leaves:
#   test/quick_start/run.sh [SUITE ...] [SITUATION ...] [--tests], as root
# Suites, all of them unless some are named: bookworm, trixie, forky. Situations, all of them unless some are named:
#   root       as root, where nothing is installed, not even git
#   nosudo     as a user who has no sudo; root types what the messages say
#   notallowed as a user whom sudo does not let
#   sudo       as a user with sudo, in a clone; with --tests, the command that tests, too
#   existing   beside a server with data, which must not notice, though the user's environment leads there
#   offline    without network, when everything is installed; and when something is missing
#   archive    in the folder of the release's archive
#   path       in a folder with a space and an umlaut in its path, with sudo and without
#   readonly   in a clone that nobody can write to, as its user and as root
#   interrupt  Ctrl-C, and the terminal closed, at several moments
# UUIDX_MIRROR names a Debian mirror, otherwise it is that of apt's own sources. The transcripts are kept in the folder
# UUIDX_TRANSCRIPTS if that is set, everything else goes away. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"
# shellcheck source=test/lib/chroot.sh
source "$tree/test/lib/chroot.sh"
# shellcheck source=test/quick_start/roots.sh
source "$tree/test/quick_start/roots.sh"
# shellcheck source=test/quick_start/terminal.sh
source "$tree/test/quick_start/terminal.sh"
# shellcheck source=test/quick_start/situations.sh
source "$tree/test/quick_start/situations.sh"

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
    die "unknown '$name'; usage: test/quick_start/run.sh [SUITE ...] [SITUATION ...] [--tests]," \
      "SUITE one of: $known_suites, SITUATION one of: $known_situations"
  fi
done
((${#suites[@]} > 0)) || read -ra suites <<<"$known_suites"
((${#situations[@]} > 0)) || read -ra situations <<<"$known_situations"
((EUID == 0)) || die "needs root, for the chroots: sudo test/quick_start/run.sh $*"
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
# What is wrong has been said; the folder goes away.
keep_scratch=
finish
