#!/usr/bin/env bash
# Draws the pictures of doc/pictures again and compares them with those of the tree, and the layouts that one
# of them shows with a server: test/docs/pictures.sh [--measure]
# --measure  first measures what they show, on a throw-away server, and rewrites data and pictures in the tree;
#            about ten minutes, and 2 GB in /tmp
# PG_CONFIG chooses the PostgreSQL. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/../bench/prepare.sh"

# Runs one of the Python programs, which find here what they share with the benchmark.
python() {
  PATH=$bindir:$PATH PYTHONPATH=$tree/test/bench python3 "$tree/test/docs/pictures/$1" "${@:2}"
}

# Starts the server with a clock that the page sets.
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
    count "$status" "${picture##*/} is what its data draw"
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
  # Aside, so that an interrupt leaves nothing half done in the tree.
  data=$scratch/measured
  mkdir "$data"
  cp "$tree/doc/pictures/layouts.json" "$data"
  python measure.py "$data" "$page" clock
  # A server whose clock is not false, as that has its price.
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
