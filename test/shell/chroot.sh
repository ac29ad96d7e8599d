# shellcheck shell=bash
# Minimal Debian systems in folders, and namespaces to use them in. To be sourced after lib.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Runs the script again in namespaces of its own, in which its mounts and processes end with it, and exits with its
# status. There, sets scratch to a folder that is removed at the end. Arguments: those of the script.
isolate() {
  local child status=0
  ((EUID == 0)) || die "needs root, for the chroots: sudo test/platforms/${0##*/} $*"
  if [[ -n ${UUIDX_ISOLATED-} ]]; then
    scratch=$UUIDX_ISOLATED
    # A script that this one runs has namespaces of its own.
    unset UUIDX_ISOLATED
    return 0
  fi
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/uuidx.XXXXXX")
  trap 'rm -rf --one-file-system "$scratch"' EXIT
  # In the background, as bash runs no trap while it waits for a foreground command.
  UUIDX_ISOLATED=$scratch unshare --mount --uts --pid --ipc --fork --mount-proc --kill-child \
    bash "$(readlink -f "$0")" "$@" <&0 &
  child=$!
  # With KILL, as unshare ignores INT and TERM; everything in the namespaces dies with it.
  trap 'kill -KILL "$child"; wait "$child" || true; exit 130' HUP INT TERM
  wait "$child" || status=$?
  exit "$status"
}

# Prints the first Debian mirror of apt's sources, or of UUIDX_MIRROR, that has a suite.
mirror_of() {
  local mirror suite=$1 mirrors=${UUIDX_MIRROR-}
  local releases='bullseye|bookworm|trixie|forky|sid|(old)?stable|testing|unstable'
  if [[ -z $mirrors ]]; then
    # Asks apt, which knows all forms of its sources. Without lists it names every source.
    mirrors=$(apt-get update --print-uris -o Dir::State::lists=/nonexistent |
      sed -nE "s#^'(https?://.*)/dists/($releases)/InRelease' .*#\1#p")
  fi
  for mirror in $mirrors; do
    # Archives other than Debian's have suites of these names too, but not all of them.
    if wget -q --spider --tries=2 --timeout=20 "${mirror%/}/dists/$suite/InRelease"; then
      printf '%s\n' "${mirror%/}"
      return
    fi
  done
  die "no mirror in apt's sources has the Debian suite $suite: set UUIDX_MIRROR to one that has it"
}

# Creates the minimal Debian of a suite in a new folder. Arguments: suite, folder, mirror, architecture unless it is
# this machine's.
bootstrap() {
  # An older debootstrap has no scripts for the newer suites.
  debootstrap ${4:+--arch="$4"} --variant=minbase --force-check-gpg --keyring="$keyring" \
    "$1" "$2" "$3" /usr/share/debootstrap/scripts/sid || return
  echo "deb [signed-by=$keyring] $3 $1 main" >"$2/etc/apt/sources.list"
  # A mirror may be some weeks behind, which apt rejects by default. Signatures are still checked.
  echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/uuidx"
}

# Mounts the kernel's file systems in a chroot; they vanish with the mount namespace.
mount_into() {
  local dir
  for dir in /proc /sys /dev; do mount --rbind "$dir" "$1$dir"; done
  # Not the host's, so that a killed server leaves no shared memory there.
  mount -t tmpfs tmpfs "$1/dev/shm"
}
