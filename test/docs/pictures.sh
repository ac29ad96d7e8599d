#!/usr/bin/env bash
# Redraws the pictures of measurements in doc/pictures, compares them with those of the tree, and checks what the pages
# say about all pictures: test/docs/pictures.sh [--measure]
# --measure  first measures the data on a temporary server, and rewrites data and pictures in the tree; takes about ten
#            minutes, and 2 GB in /tmp
# PG_CONFIG selects the PostgreSQL. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/../bench/prepare.sh"

# Runs one of the Python programs.
python() {
  PATH=${bindir-}:$PATH python3 "$tree/test/docs/pictures/$1" "${@:2}"
}

data=$tree/doc/pictures
case ${1-} in
  '')
    install_packages python3
    scratch=$(mktemp -d /tmp/uuidx.XXXXXX)
    trap 'rm -rf "$scratch"' EXIT
    mkdir "$scratch/drawn"
    check "the pictures can be drawn" python draw.py "$data" "$scratch/drawn"
    for picture in "$scratch"/drawn/*.svg; do
      check "${picture##*/} is drawn from its data" cmp "$picture" "$data/${picture##*/}"
    done
    ;;
  --measure)
    prepare python3
    server_options='-c fsync=on -c autovacuum=off'
    start_server
    mkdir "$scratch/measured"
    python measure.py "$scratch/measured"
    check "the pictures can be drawn" python draw.py "$scratch/measured" "$scratch/measured"
    # At the end, so that an interrupt leaves the tree as it was.
    cp "$scratch"/measured/* "$data"
    ;;
  *) die "unknown argument '$1'; usage: test/docs/pictures.sh [--measure]" ;;
esac
step page python page_test.py "$tree/doc" "$data"
finish
