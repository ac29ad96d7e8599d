#!/usr/bin/env bash
# Measures uuidx beside its peers in one run on a throw-away server:
# test/bench/run.sh [--quick] [--jit] [--parts A,B] [--out DIR]
# --quick  fewer rows and repetitions: a few minutes, and figures for a first look
# --jit    with compiled expressions
# --parts  of functions, transactions, server_order, keys, flat and time_queries
# --out    folder for the CSV and SVG files; test/bench/results
# The functions, a value in a transaction of its own, order across the server, INSERT and COPY with keys of each
# kind, clients at once, the cost of many values, and queries for a period. Without --quick it takes about half an hour, and 12 GB in /tmp.
# PG_CONFIG chooses the PostgreSQL; peers that are installed for it take part.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

# Prints the MB that the server's buffers may take: a quarter of the memory, as usual, but not more than the
# tables can use.
buffers() {
  local memory
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null) || true
  memory=$((${memory:-4096} / 4))
  printf '%s' $((memory < 2048 ? memory : 2048))
}

# Prints a Python that has matplotlib, if any: the first in the path may not be the system's.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then break; fi
  done
  type -P "$python" || type -P python3
}

arguments=()
out=$tree/test/bench/results
while (($# > 0)); do
  case $1 in
    --quick | --jit) arguments+=("$1") ;;
    --parts)
      (($# > 1)) || die "--parts needs names"
      arguments+=(--parts "$2")
      shift
      ;;
    --out)
      (($# > 1)) || die "--out needs a folder"
      out=$2
      shift
      ;;
    *) die "unknown argument '$1'; usage: test/bench/run.sh [--quick] [--jit] [--parts A,B] [--out DIR]" ;;
  esac
  shift
done
mkdir -p "$out"
out=$(cd "$out" && pwd)

prepare python3 python3-matplotlib
build_modules empty locked
libraries=uuidx,$scratch/locked.so
options=()
if has_library timescaledb; then
  libraries=timescaledb,$libraries
  options=(-c timescaledb.telemetry_level=off)
fi
# Nothing is to happen in the background of what is timed.
server_options="-c shared_preload_libraries=$libraries ${options[*]} -c shared_buffers=$(buffers)MB \
-c max_wal_size=8GB -c checkpoint_timeout=1h -c autovacuum=off"
start_server
PATH=$bindir:$PATH "$(find_python)" "$tree/test/bench/run.py" "$scratch/empty.so" "$scratch/locked.so" "$out" \
  ${arguments[@]+"${arguments[@]}"}
