# shellcheck shell=bash
# Counts tests and prints their results. Sourced by lib.sh.

passed=0
failed=0
skipped=0

# Counts a test and prints its result. Arguments: status, name.
count() {
  if (($1 == 0)); then
    say "ok - $2"
    passed=$((passed + 1))
  else
    say "not ok - $2"
    failed=$((failed + 1))
    keep_scratch=yes
  fi
}

# Counts a skipped test. Arguments: name, reason.
skip() {
  say "ok - $1 # skip $2"
  skipped=$((skipped + 1))
}

# Runs a command as a test in a subshell without set -e, and prints its output only if it fails. Arguments: name,
# command.
check() {
  local output status=0
  output=$("${@:2}" 2>&1) || status=1
  count "$status" "$1"
  ((status == 0)) || tail -n 80 <<<"$output"
}

# True if a command succeeds and prints nothing; otherwise prints its output.
prints_nothing() {
  local output status=0
  output=$("$@" 2>&1) || status=$?
  ((status != 0)) || [[ -n $output ]] || return 0
  printf '%s\n' "$output"
  return 1
}

# Prints how many tests of a log have passed, failed and were skipped: lines of TAP, GoogleTest, and PostgreSQL 15's
# pg_regress.
result_lines() {
  awk '/^(not ok|test .* \.\.\. FAILED) |^\[ +FAILED +\] .*\(/ { failed++ }
    /^(ok|test .* \.\.\. ok)( |$)|^\[ +OK +\] / { if (tolower($0) ~ /# skip/) skipped++; else passed++ }
    END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# Adds the results in a log. A command that failed without a failed test counts as one, and so does one without any
# test. Arguments: name, log, exit status of the command.
add_results() {
  local good bad left_out
  read -r good bad left_out < <(result_lines "$2")
  if ((bad == 0 && ($3 != 0 || good + left_out == 0))); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + left_out))
  say "$1: $good passed, $bad failed, $left_out skipped"
  ((bad == 0)) || keep_scratch=yes
}

# Runs a command in a subshell with its output in a log, and adds its results; shows the end of the log if a test
# failed. The command can print at once to file descriptor 3. Arguments: name, command.
step() {
  local log=$scratch/$1.log status=0 began=$SECONDS failed_before=$failed
  ("${@:2}") 3>&1 >"$log" 2>&1 || status=$?
  add_results "$1, $((SECONDS - began)) s" "$log" "$status"
  ((failed == failed_before)) || tail -n 60 "$log"
}

# Runs a command and prints its results also to file descriptor 3, as they come.
show_tests() {
  "$@" | tee >(grep --line-buffered -E '^(not ok|ok|test|# [0-9]+ statements)' | sed -u 's/^/  /' >&3)
}

# Runs a script and adds the counts of its last line. A script that ends without it, or fails though it counts no
# failure, counts as a failure. Arguments: log, command.
counted() {
  local log=$1 status=0 good=0 bad=0
  "${@:2}" 2>&1 | tee "$log" || status=$?
  if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    good=${BASH_REMATCH[1]}
    bad=${BASH_REMATCH[2]}
  else
    status=1
  fi
  if ((status != 0 && bad == 0)); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
}

# Prints the reasons for skipped tests and the counts, as the last command of a script: its status is that of the tests.
finish() {
  if ((skipped > 0)); then
    say "$skipped skipped:"
    { grep -ohiE '# skip.*' "$scratch"/*.log 2>/dev/null || true; } | sort | uniq -c
  fi
  if [[ -n ${keep_scratch-} && -n ${scratch-} ]]; then say "logs and results are kept in $scratch"; fi
  say "$passed passed, $failed failed"
  ((failed == 0))
}

# Ends a script that can test nothing here, and says why.
skip_all() {
  say "1 skipped: $*"
  say "0 passed, 0 failed"
  exit 0
}
