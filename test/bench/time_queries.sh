#!/usr/bin/env bash
# Times queries for a time range, and the planning of other queries, on a temporary server:
# test/bench/time_queries.sh [--rows N] [--repetitions N] [--plans N]
# --rows         rows of the largest table, from 100000; by default 10000000, which take 1.5 GB in /tmp
# --repetitions  how often each query runs; by default 21
# --plans        how often each query is planned in each repetition; by default 1000
# PG_CONFIG selects the PostgreSQL.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

prepare python3
# Without background work, which would disturb the timing.
server_options="-c shared_buffers=1GB -c max_wal_size=8GB -c autovacuum=off"
start_server
PATH=$bindir:$PATH python3 "$tree/test/bench/time_queries.py" "$@"
