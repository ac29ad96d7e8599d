#!/usr/bin/env bash
# Builds and installs uuidx and compares random queries by the key with the same by a column that holds the time, on a
# temporary server: test/planner/run.sh [--statements N] [--seed N]
# --statements  number of queries; 500 by default, as in test/run.sh
# --seed        first seed, 1 by default; each makes 50 statements. A difference prints the SQL to repeat it
# Or the pages that queries of applications read with those for a stored column:
# test/planner/run.sh --parity [--short]. PG_CONFIG selects the PostgreSQL.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

need_postgresql g++ make libssl-dev python3
install_tree
program=pairs.py
if [[ ${1-} == --parity ]]; then
  program=parity.py server_options='-c autovacuum=off'
  shift
fi
start_server
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
PSQL=$bindir/psql step planner python3 -B "$scratch/src/test/planner/$program" "$@"
grep -E '^(ok|not ok|#) ' "$scratch/planner.log" || true
finish
