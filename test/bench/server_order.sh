#!/usr/bin/env bash
# Times uuid_v7_cluster() beside uuid_v7() and a generator that locks for each value, in one session and in two at once,
# on a temporary server with the library preloaded:
# test/bench/server_order.sh [--rows N] [--repetitions N]
# PG_CONFIG selects the PostgreSQL.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

prepare python3
build_modules empty locked
# Without background work, which would disturb the timing.
server_options="-c shared_preload_libraries=uuidx,$scratch/locked.so -c autovacuum=off"
start_server
PATH=$bindir:$PATH python3 "$tree/test/bench/server_order.py" "$scratch/empty.so" "$scratch/locked.so" "$@"
