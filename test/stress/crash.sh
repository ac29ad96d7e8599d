#!/usr/bin/env bash
# Builds and installs uuidx, and crashes servers and promotes standbys while sessions call uuid_v7_cluster(), more often
# than test/run.sh: test/stress/crash.sh [--crashes N] [--promotions N]
# 200 and 20 by default. PG_CONFIG selects the PostgreSQL. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

export UUIDX_CRASHES=200 UUIDX_PROMOTIONS=20
while (($# > 0)); do
  [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die "usage: test/stress/crash.sh [--crashes N] [--promotions N]"
  case $1 in
    --crashes) UUIDX_CRASHES=$2 ;;
    --promotions) UUIDX_PROMOTIONS=$2 ;;
    *) die "unknown option '$1'" ;;
  esac
  shift 2
done

need_postgresql g++ make libssl-dev libipc-run-perl perl
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch
make_there -j"$(nproc)" all
install_extension
for test in 020_crash 021_standby; do
  step "$test" make_there prove PROVE_TESTS="test/t/$test.pl" PROVE_FLAGS=--verbose
done
finish
