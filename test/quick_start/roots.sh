# shellcheck shell=bash disable=SC2034,SC2154  # variables of test/quick_start/run.sh
# The Debian systems of test/quick_start/run.sh, one above the other. To be sourced after lib.sh and chroot.sh; scratch,
# suite and the like are that script's.

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

# Runs a command as a user there, and prints what it prints.
there_prints() { chroot --userspec="$1" "$root" env -i PATH=/usr/bin:/bin HOME="/home/$1" "${@:2}" 2>&1; }

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

# Installs a server, but makes no cluster. Arguments: more packages.
given_server() {
  local no_cluster=/etc/postgresql-common/createcluster.d/no.conf
  there install -D -m 644 /dev/stdin "$no_cluster" <<<'create_main_cluster = false'
  given postgresql "$@"
  there rm "$no_cluster"
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
