#!/usr/bin/env bash
# Fills tables of many rows step by step, on a temporary server: whether inserts slow down, how large the indexes are,
# and whether a query for a time range takes longer:
# test/bench/scale.sh [--rows N] [--out DIR]
# --rows  rows of the table keyed by uuid_v7(), from 1000000; half as many are keyed by bigint, and a tenth by random
#         keys. By default 100000000, which take 12 GB in /tmp
# --out   folder for the CSV file; by default test/bench/results
# PG_CONFIG selects the PostgreSQL.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

directory=$PWD
prepare python3
# Without background work, which would disturb the timing.
server_options="-c shared_buffers=2GB -c max_wal_size=8GB -c checkpoint_timeout=1h -c autovacuum=off"
start_server
cd "$directory"
PATH=$bindir:$PATH python3 -B "$tree/test/bench/scale.py" --out "$tree/test/bench/results" "$@"
