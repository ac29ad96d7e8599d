#!/usr/bin/env bash
# Times each function beside its peers on a temporary server: test/bench/functions.sh [--rows N]
# PG_CONFIG selects the PostgreSQL; its installed peers take part.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/bench/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

prepare python3
build_modules empty
server_options="-c shared_buffers=1GB -c shared_preload_libraries=uuidx"
if has_library timescaledb; then
  server_options+=",timescaledb -c timescaledb.telemetry_level=off"
fi
start_server
PATH=$bindir:$PATH python3 "$tree/test/bench/functions.py" "$scratch/empty.so" "$@"
