#!/usr/bin/env bash
# Times each function beside its peers on a throw-away server: test/bench/functions.sh [--rows N]
# PG_CONFIG chooses the PostgreSQL; peers that are installed for it take part.
# shellcheck source=test/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

need_postgresql
install_packages g++ make libssl-dev python3
make_scratch
make_there -j"$(nproc)" all
install_extension
as_server_user gcc -O2 -fPIC -shared -I"$("$PG_CONFIG" --includedir-server)" \
  "$scratch/src/test/bench/empty.c" -o "$scratch/empty.so"
server_options="-c shared_buffers=1GB"
if [[ -e $("$PG_CONFIG" --pkglibdir)/timescaledb.so ]]; then
  server_options+=" -c shared_preload_libraries=timescaledb -c timescaledb.telemetry_level=off"
fi
start_server
PATH=$bindir:$PATH python3 "$tree/test/bench/functions.py" "$scratch/empty.so" "$@"
