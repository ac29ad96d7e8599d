# shellcheck shell=bash
# Minimal Debian systems in folders, for the scripts that need others than this machine's. To be sourced after lib.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the first Debian mirror of apt's own sources that has the suite, or UUIDX_MIRROR.
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

# Makes the minimal Debian of a suite in a folder that does not exist yet. Arguments: suite, folder, mirror,
# architecture unless it is this machine's.
bootstrap() {
  # The script is given because an older debootstrap does not know the newer suites.
  debootstrap ${4:+--arch="$4"} --variant=minbase --force-check-gpg --keyring="$keyring" \
    "$1" "$2" "$3" /usr/share/debootstrap/scripts/sid || return
  echo "deb [signed-by=$keyring] $3 $1 main" >"$2/etc/apt/sources.list"
  # A mirror may be some weeks behind, which apt takes for an attack; signatures are still checked.
  echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/uuidx"
}

# Gives a chroot the kernel's file systems; they vanish with the mount namespace.
mount_into() {
  local dir
  for dir in /proc /sys /dev; do mount --rbind "$dir" "$1$dir"; done
  # Not the host's, so that a killed server leaves no shared memory there.
  mount -t tmpfs tmpfs "$1/dev/shm"
}
