#!/usr/bin/env bash
# Runs a command in a copy of this source tree, in a Debian chroot that has the given PostgreSQL:
# test/platforms/on-server.sh VERSION [COMMAND ...]
# VERSION 15-arm64 is PostgreSQL 15 for aarch64, emulated by qemu if this machine is another one. The default command is
# `bash test/run.sh`. The chroot is created once and kept in UUIDX_CHROOTS (/var/tmp/uuidx-chroots); to renew it, remove
# its folder. UUIDX_MIRROR names a Debian mirror, for a machine whose apt sources have none.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/chroot.sh"

declare -A suites=([15]=bookworm [15-arm64]=bookworm [17]=trixie [18]=forky [19]=sid)
chroots=${UUIDX_CHROOTS:-/var/tmp/uuidx-chroots}

# Prints a message on stderr, as stdout belongs to the command.
say() {
  printf 'on-server: %s\n' "$*" >&2
}

# Runs `env ARGUMENTS` in a chroot without the caller's environment.
enter() {
  # Background jobs ignore INT, which the command would inherit.
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    chroot "$1" env --default-signal=INT,QUIT "${@:2}"
}

# Creates the chroot of a version in a new folder. Arguments: version, architecture or nothing for this machine's,
# suite, mirror, folder.
make_chroot() {
  local version=$1 suite=$3 mirror=$4 root=$5 peer
  local apt=(enter "$root" http_proxy="${http_proxy-}" DEBIAN_FRONTEND=noninteractive
    apt-get -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io)
  bootstrap "$suite" "$root" "$mirror" "$2"
  mount_into "$root"
  if ((version == 19)); then
    echo "deb [signed-by=$keyring] $mirror experimental main" >>"$root/etc/apt/sources.list"
    # Of experimental only the server, its headers and its libpq, not a newer compiler.
    printf '%s\n' "Package: src:postgresql-$version" 'Pin: release a=experimental' 'Pin-Priority: 990' \
      >"$root/etc/apt/preferences.d/uuidx"
  fi
  # The tests have servers of their own, so packages may not create or start one.
  mkdir -p "$root/etc/postgresql-common/createcluster.d"
  echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.d/uuidx.conf"
  install -m 755 /dev/stdin "$root/usr/sbin/policy-rc.d" <<<$'#!/bin/sh\nexit 101'
  "${apt[@]}" update
  "${apt[@]}" install "postgresql-$version" "postgresql-server-dev-$version" g++ make libssl-dev \
    libgtest-dev libipc-run-perl python3
  for peer in pg-uuidv7 timescaledb partman cron hypopg; do
    # Not every suite has them all; a simulation also shows whether they fit this server.
    peer=postgresql-$version-$peer
    if "${apt[@]}" -s install "$peer" >/dev/null 2>&1; then "${apt[@]}" install "$peer"; fi
  done
  "${apt[@]}" clean
}

version=${1-}
known=$(printf '%s\n' "${!suites[@]}" | sort -n | xargs)
[[ " $known " == *" $version "* ]] ||
  die "unknown PostgreSQL version '$version'; usage: test/platforms/on-server.sh VERSION [COMMAND ...]," \
    "VERSION one of: $known"
isolate "$@"

shift
(($# > 0)) || set -- bash test/run.sh
suite=${suites[$version]}
root=$chroots/pg$version
architecture=$(sed -n 's/^[0-9]*-//p' <<<"$version")
version=${version%%-*}
# The kernel then starts qemu for programs of the other machine, in every chroot.
[[ $architecture != arm64 || $(uname -m) == aarch64 ]] || install_packages binfmt-support qemu-user-static
mkdir -p "$chroots"
# Two runs at once would overwrite each other's source tree and installed extension.
exec 9>"$root.lock"
flock --nonblock 9 || { say "waiting for another run in $root" && flock 9; }
if [[ -d $root ]]; then
  say "PostgreSQL $version ($suite${architecture:+, $architecture}) in $root"
  mount_into "$root"
else
  install_packages debootstrap debian-archive-keyring gpgv wget
  mirror=$(mirror_of "$suite")
  say "making PostgreSQL $version ($suite${architecture:+, $architecture}) in $root, log in $root.log"
  # Under another name, so that an interrupted run leaves no chroot that seems complete.
  rm -rf --one-file-system "$root.new"
  # In the background, where set -e has an effect; before || alone it has none.
  make_chroot "$version" "$architecture" "$suite" "$mirror" "$root.new" >"$root.log" 2>&1 &
  wait $! || { tail -n 20 "$root.log" >&2 && die "making it failed: see above and $root.log"; }
  mv "$root.new" "$root"
  say "made in $SECONDS seconds"
fi
# A chroot whose root is a mount point: commands there can then have mount namespaces of their own.
mount --rbind "$root" "$root"
rm -rf --one-file-system "$root/tmp/uuidx-src"
mkdir "$root/tmp/uuidx-src"
copy_tree "$root/tmp/uuidx-src"
say "running ${1##*/} there, in a copy of $tree in /tmp/uuidx-src"
enter "$root" --chdir=/tmp/uuidx-src PG_CONFIG="/usr/lib/postgresql/$version/bin/pg_config" ${CI+"CI=$CI"} \
  ${http_proxy+"http_proxy=$http_proxy"} ${https_proxy+"https_proxy=$https_proxy"} "$@"
