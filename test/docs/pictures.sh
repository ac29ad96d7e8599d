#!/usr/bin/env bash
# Redraws the pictures of doc/pictures and compares them with those of the tree, and the layouts with a server:
# test/docs/pictures.sh [--measure]
# --measure  first measures the data on a temporary server, and rewrites data and pictures in the tree; takes about ten
#            minutes, and 2 GB in /tmp
# PG_CONFIG selects the PostgreSQL. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/../bench/prepare.sh"

# Runs one of the Python programs.
python() {
  PATH=$bindir:$PATH python3 "$tree/test/docs/pictures/$1" "${@:2}"
}

# Starts the server with a clock set by the control page.
start_with_clock() {
  as_server_user gcc -shared -fPIC -O2 -o "$scratch/fault.so" "$scratch/src/test/shim/fault.c" -ldl
  as_server_user truncate -s 4096 "$page"
  server_options="-c shared_preload_libraries=uuidx -c autovacuum=off"
  UUIDX_FAULT=$page LD_PRELOAD=$scratch/fault.so start_server
}

# Compares each picture with that of the tree.
compare() {
  local picture status
  for picture in "$scratch"/drawn/*.svg; do
    status=0
    cmp "$picture" "$tree/doc/pictures/${picture##*/}" || status=$?
    count "$status" "${picture##*/} is drawn from its data"
  done
}

measure=
case ${1-} in
  '') ;;
  --measure) measure=yes ;;
  *) die "unknown argument '$1'; usage: test/docs/pictures.sh [--measure]" ;;
esac

prepare python3
page=$scratch/fault.page
data=$tree/doc/pictures
mkdir "$scratch/drawn"
start_with_clock
step layouts python layouts_test.py "$data" "$page"
if [[ -n $measure ]]; then
  # Copied at the end, so that an interrupt leaves the tree as it was.
  data=$scratch/measured
  mkdir "$data"
  cp "$tree/doc/pictures/layouts.json" "$data"
  python measure.py "$data" "$page" clock
  # Without the false clock, which costs time.
  quietly as_server_user "$bindir/pg_ctl" -D "$scratch/data" -m fast stop
  rm -r "$scratch/data"
  server_options='-c fsync=on -c autovacuum=off'
  start_server
  python measure.py "$data" '' plan places growth
fi
status=0
python draw.py "$data" "$scratch/drawn" || status=$?
count "$status" "the pictures can be drawn"
if [[ -n $measure ]]; then cp "$data"/*.* "$scratch"/drawn/*.svg "$tree/doc/pictures/"; fi
compare
step page python page_test.py "$tree/doc" "$tree/doc/pictures" "$scratch/drawn"
finish
