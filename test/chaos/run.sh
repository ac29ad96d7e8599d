#!/usr/bin/env bash
# Builds and installs uuidx, runs clients of uuid_v7_server() on a primary and standbys under a random schedule of
# crashes, power losses, clock steps, faults of the mark file, changes of the synchronous standby, promotions and
# restores, and judges the history of all values: test/chaos/run.sh [--minutes N] [--seed N] [--events KINDS]
# 1 minute by default; each kind of event occurs at least once. KINDS are words of chaos.pl, such as 'failover', all by
# default. A seed repeats the schedule, not the moments. I/O errors and a full disk are those of the mark file's calls,
# by test/t/fault.c. Without root, FUSE and loop devices, power losses are skipped. PG_CONFIG selects the PostgreSQL.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/chroot.sh"
source "$tree/test/chaos/disk.sh"

# In namespaces of its own, mounts and processes end with the script.
if can_mount; then
  isolate "$@"
  disks=$scratch
  chmod 711 "$disks"
fi

export UUIDX_MINUTES=1 UUIDX_SEED=$((RANDOM * 32768 + RANDOM))
while (($# > 0)); do
  case $1 in
    --minutes) UUIDX_MINUTES=${2-} ;;
    --seed) UUIDX_SEED=${2-} ;;
    --events) export UUIDX_EVENTS=${2-} && shift 2 && continue ;;
    *) die "unknown option '$1'" ;;
  esac
  [[ ${2-} =~ ^[0-9]+$ ]] || die "usage: test/chaos/run.sh [--minutes N] [--seed N] [--events KINDS]"
  shift 2
done

# Of pg_ctl and the tests, in seconds, for slow machines.
export PGCTLTIMEOUT=600 PG_TEST_TIMEOUT_DEFAULT=600
need_postgresql g++ make libssl-dev libipc-run-perl perl python3-fusepy e2fsprogs mount
say "using $("$PG_CONFIG" --version), $PG_CONFIG; --seed $UUIDX_SEED"
install_tree

# Judges a history, and shows its counts.
judge() {
  local status=0
  as_server_user perl "$scratch/src/test/chaos/judge.pl" "$UUIDX_HISTORY" >"$scratch/verdict" || status=$?
  cat "$scratch/verdict"
  cat "$scratch/verdict" >&3
  return "$status"
}

step judge_test as_server_user perl "$scratch/src/test/chaos/judge_test.pl"

lacking=$(lacking_for_power)
if [[ -z $lacking ]]; then
  make_disk "$disks/power"
  export UUIDX_DISK=$disks/power
  serve_power &
else
  skip "power losses" "$lacking"
fi
export UUIDX_HISTORY=$scratch/history
as_server_user mkdir "$UUIDX_HISTORY"
step chaos make_there prove PROVE_TESTS=test/chaos/chaos.pl PROVE_FLAGS=--verbose
step judge judge
finish
