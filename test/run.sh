#!/usr/bin/env bash
# Builds uuidx, installs it and runs every test: test/run.sh
# PG_CONFIG chooses the PostgreSQL; on Debian what is missing is installed. The last line counts.
# shellcheck source=test/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

passed=0
failed=0
skipped=0

# Runs one step with its output in a log, adds its results and says them. One that failed without a
# failed test counts as one. Arguments: name, patterns of a passed and of a failed test, command.
step() {
  local name=$1 log=$scratch/$1.log status=0 good bad left_out
  "${@:4}" >"$log" 2>&1 || status=$?
  good=$(grep -E "$2" "$log" | grep -cvi '# skip') || true
  left_out=$(grep -E "$2" "$log" | grep -ci '# skip') || true
  bad=$(grep -cE "$3" "$log") || true
  if ((status != 0 && bad == 0)); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + left_out))
  say "$name: $good passed, $bad failed, $left_out skipped"
  if ((bad > 0)); then
    tail -n 60 "$log"
    keep_scratch=yes
  fi
}

# Says whether nm's list of symbols has none that matches. Arguments: name, option of nm, options of grep.
check_symbols() {
  local symbols found
  symbols=$(nm -D "$2" "$scratch/src/uuidx.so")
  found=$(grep -E "${@:3}" <<<"$symbols") || true
  if [[ -n $symbols && -z $found ]]; then
    say "ok - $1"
  else
    say "not ok - $1: $found"
  fi
}

# The library must need nothing of the C++ runtime, and show only its SQL functions.
check_library() {
  check_symbols 'refers to nothing of the C++ runtime' --undefined-only '_Z|__cxa|__gxx'
  check_symbols 'exports its SQL functions only' --defined-only \
    -v ' (uuidx_|pg_finfo_uuidx_|Pg_magic_func$|_PG_init$)'
}

say "== What is needed"
need_postgresql
install_packages g++ make binutils libssl-dev libgtest-dev libipc-run-perl perl python3
say "using $("$PG_CONFIG" --version), $PG_CONFIG"
make_scratch

say "== Core"
step unit '^\[ +OK' '^\[ +FAILED .*\(' as_server_user make -s -C "$scratch/src/test/unit" check WERROR=-Werror

say "== Build and install"
make_there -j"$(nproc)" WERROR=-Werror all
install_extension
step symbols '^ok' '^not ok' check_library

say "== SQL"
start_server
# 15 prints a line of dots for a test, later versions speak TAP.
step sql '^(ok |test .*\.\.\. ok )' '^(not ok |test .*\.\.\. FAILED )' make_there installcheck
if [[ -f $scratch/src/regression.diffs ]]; then cat "$scratch/src/regression.diffs"; fi

say "== Sessions, restarts, faults"
step tap '^ok' '^not ok' make_there prove PROVE_FLAGS=--verbose

say "== Documentation"
step docs '^ok' '^not ok' bash "$scratch/src/test/check_docs.sh"

if ((skipped > 0)); then
  say "$skipped skipped:"
  grep -ohiE '# skip.*' "$scratch"/*.log | sort | uniq -c
fi
if [[ -n ${keep_scratch-} ]]; then say "logs and results are kept in $scratch"; fi
say "$passed passed, $failed failed"
((failed == 0))
