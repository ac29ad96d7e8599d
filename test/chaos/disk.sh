# shellcheck shell=bash
# A disk for the servers of the chaos test that can lose power: ext4 on a loop device over disk.py. To be sourced after
# lib.sh.

# True if this script may mount file systems, in a namespace of its own.
can_mount() { ((EUID == 0)) && unshare --mount true 2>/dev/null; }

# Prints what is missing here for power losses, or nothing.
lacking_for_power() {
  if ! can_mount; then say "needs root, and to be allowed to mount"
  elif [[ ! -c /dev/fuse ]] || ! { : <>/dev/fuse; } 2>/dev/null; then say "needs FUSE"
  elif ! losetup --find >/dev/null 2>&1; then say "needs a loop device"
  elif ! grep -qw ext4 /proc/filesystems; then say "needs ext4"
  fi
}

# Creates the disk that can lose power, in a new folder, and turns it on. Its file system is `data`.
make_disk() {
  disk=$1
  mkdir "$disk" "$disk/data"
  # Sparse.
  truncate -s 4G "$disk/content"
  mkfs.ext4 -q -m 0 -J size=16 -E nodiscard,lazy_itable_init=0 "$disk/content"
  touch "$disk/device"
  mkfifo -m 600 "$disk/command" "$disk/answer"
  power_on 0
  chown "${server_user:?}" "$disk/command" "$disk/answer" "$disk/data"
}

# Turns the power on; ext4 recovers. Argument: percent of the written blocks that last without a flush.
power_on() {
  /usr/bin/python3 -B "${tree:?}/test/chaos/disk.py" "$disk/content" "$disk/device" "$1" &
  disk_server=$!
  # So that bash does not report its end.
  disown
  until [[ -s $disk/device ]]; do
    kill -0 "$disk_server" && sleep 0.1 || return
  done
  # With a journal that is rarely committed: that flushes what nobody has asked for.
  mount -t ext4 -o loop,noatime,commit=60 "$disk/device" "$disk/data"
}

# Cuts the power off: what was not flushed is lost, and all access fails.
power_off() { kill -KILL "$disk_server"; }

# Turns the power on again, when nobody uses what is left of the file system.
power_back() {
  # Lazily, as the loop device may go a little later.
  umount "$disk/data" && umount --lazy "$disk/device" && power_on "$1"
}

# Serves the commands of Servers.pm: off, back PERCENT.
serve_power() {
  local command argument answer
  while read -r command argument <"$disk/command"; do
    answer="done"
    "power_$command" "$argument" || answer=failed
    say "$answer" >"$disk/answer"
  done
}
