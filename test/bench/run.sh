#!/usr/bin/env bash
# Measures uuidx beside its peers in one run on a temporary server:
# test/bench/run.sh [--quick] [--parts A,B] [--out DIR]
# --quick  fewer rows and repetitions: a few minutes, for a first look
# --parts  any of functions, transactions, keys, saving, time_queries, ordinary, planning and, only if named, portable
#          and scale: see README.md
# --out    folder for the CSV and SVG files; by default test/bench/results
# Without --quick it takes about 15 minutes, and 12 GB in /tmp. PG_CONFIG selects the PostgreSQL; its installed peers
# take part.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Prints the MB of the server's buffers: a quarter of the memory, but no more than the tables can use.
buffers() {
  local memory
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null) || true
  memory=$((${memory:-4096} / 4))
  printf '%s' $((memory < 2048 ? memory : 2048))
}

directory=$PWD
need_postgresql g++ make libssl-dev python3 python3-matplotlib
install_tree
as_server_user gcc -O2 -fPIC -shared -I"$("$PG_CONFIG" --includedir-server)" "$scratch/src/test/bench/empty.c" \
  -o "$scratch/empty.so"
libraries=uuidx
options=
if [[ -e $("$PG_CONFIG" --pkglibdir)/timescaledb.so ]]; then
  libraries=timescaledb,$libraries
  options='-c timescaledb.telemetry_level=off'
fi
# Without background work, which would disturb the timing.
server_options="-c shared_preload_libraries=$libraries $options -c shared_buffers=$(buffers)MB \
-c max_wal_size=8GB -c checkpoint_timeout=1h -c autovacuum=off"
start_server
cd "$directory"
PATH=$bindir:$PATH /usr/bin/python3 -B "$tree/test/bench/run.py" "$scratch/empty.so" \
  --out "$tree/test/bench/results" "$@"
