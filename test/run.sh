#!/usr/bin/env bash
# Builds uuidx, installs it and runs every test: test/run.sh
# PG_CONFIG chooses the PostgreSQL; on Debian what is missing is installed. The last line counts.
# shellcheck source=test/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

passed=0
failed=0

# Adds the results of one step and says them; a step that failed without a count counts as one.
# Arguments: name, exit status, log, patterns of a passed and of a failed test.
count() {
  local name=$1 status=$2 log=$3 good bad
  good=$(grep -cE "$4" "$log") || true
  bad=$(grep -cE "$5" "$log") || true
  if ((status != 0 && bad == 0)); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  say "$name: $good passed, $bad failed"
  if ((status != 0)); then
    tail -n 60 "$log"
    keep_scratch=yes
  fi
}

# Runs one step with its output in a log, and counts. Arguments: name, patterns, command.
step() {
  local name=$1 good=$2 bad=$3 status=0
  "${@:4}" >"$scratch/$name.log" 2>&1 || status=$?
  count "$name" "$status" "$scratch/$name.log" "$good" "$bad"
}

# The library must need nothing of the C++ runtime, and show only its SQL functions.
check_symbols() {
  local library=$scratch/src/uuidx.so
  if nm -D --undefined-only "$library" | grep -E '_Z|__cxa|__gxx'; then
    echo "not ok - refers to the C++ runtime"
  else
    echo "ok - refers to nothing of the C++ runtime"
  fi
  if nm -D --defined-only "$library" | grep -vE ' (uuidx_|pg_finfo_uuidx_|Pg_magic_func$)'; then
    echo "not ok - exports more than its SQL functions"
  else
    echo "ok - exports its SQL functions only"
  fi
}

say "== What is needed"
need_packages g++ make binutils libssl-dev libgtest-dev libipc-run-perl perl python3
need_postgresql
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch

say "== Core"
step unit '^\[ +OK' '^\[ +FAILED .*\(' as_server_user make -s -C "$scratch/src/test/unit" check WERROR=-Werror

say "== Build and install"
make_there -j"$(nproc)" WERROR=-Werror all
install_extension
step symbols '^ok' '^not ok' check_symbols

say "== SQL"
start_server
# 15 prints a line of dots for a test, later versions speak TAP.
step sql '^(test|ok) .*(ok|ms)' '(^not ok|\.\.\. FAILED)' make_there installcheck
if [[ -f $scratch/src/regression.diffs ]]; then cat "$scratch/src/regression.diffs"; fi

say "== Sessions, restarts, faults"
step tap '^ok' '^not ok' make_there prove PROVE_FLAGS=--verbose

say "== Documentation"
step docs '^ok' '^not ok' bash "$scratch/src/test/check_docs.sh"

say "$passed passed, $failed failed"
((failed == 0))
