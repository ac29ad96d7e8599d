# shellcheck shell=bash
# Counts tests and prints their results. Sourced by lib.sh.

passed=0
failed=0
skipped=0
# Names of what has failed.
failures=()

# Counts a test and prints its result. Arguments: status, name.
count() {
  if (($1 == 0)); then
    say "ok - $2"
    passed=$((passed + 1))
  else
    say "not ok - $2"
    failed=$((failed + 1))
    failures+=("$2")
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
# pg_regress. A TAP file that has ended early without a failed test counts as one.
result_lines() {
  awk '/^(not ok|test .* \.\.\. FAILED) |^\[ +FAILED +\] .*\(|^test\/.*\.pl +\(Wstat.* Failed: 0\)/ { failed++ }
    /^(ok|test .* \.\.\. ok)( |$)|^\[ +OK +\] / { if (tolower($0) ~ /# skip/) skipped++; else passed++ }
    END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# Prints the failed tests of a log, after its name; those of TAP tests after file and number, or the file that has ended
# early. Arguments: name, log.
failed_tests() {
  awk -v name="$1: " '/^# test\/.*\.pl$/ { file = $2; sub(/.*\//, "", file) }
    /^not ok / { bad[file]++; sub(/^not ok *(- )?/, ""); sub(/ +- /, ", "); print (file == "" ? name : file " ") $0 }
    /^test .* \.\.\. FAILED / { print name $2 }
    /^\[ +FAILED +\] .*\(/ { print name $(NF - 2) }
    /^test\/.*\.pl +\(Wstat/ { sub(/.*\//, "", $1); if (!bad[$1]) print $1 " ended early" }' "$2"
}

# Adds the results in a log. A command that failed without a failed test counts as one, and so does one without any
# test. Arguments: name, log, exit status of the command, its seconds.
add_results() {
  local good bad left_out bad_names
  read -r good bad left_out < <(result_lines "$2")
  if ((bad == 0 && ($3 != 0 || good + left_out == 0))); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + left_out))
  say "$1: $good passed, $bad failed, $left_out skipped${4+, $4 s}"
  ((bad != 0)) || return 0
  keep_scratch=yes
  mapfile -t bad_names < <(failed_tests "$1" "$2")
  failures+=("${bad_names[@]}")
  ((${#bad_names[@]} > 0)) || failures+=("$1")
}

# Prints what a log says about failed tests: what Test::More does, or the end of the log. Then the end of PostgreSQL's
# own log of each failed TAP file: only there is why one has ended early.
show_failures() {
  local file
  { grep -A 15 '^#   Failed test' "$1" || tail -n 60 "$1"; } | head -n 100
  sed -nE 's/^test\/.*\/(.*)\.pl +\(Wstat.*/\1/p' "$1" | while read -r file; do
    tail -n 15 "$scratch/src/tmp_check/log/regress_log_$file"
  done
}

# Runs a command in a subshell with its output in a log, and adds its results; if a test failed, shows what the log says
# about it. The command can print at once to file descriptor 3. Arguments: name, command.
step() {
  local log=$scratch/$1.log status=0 began=$SECONDS failed_before=$failed
  ("${@:2}") 3>&1 >"$log" 2>&1 || status=$?
  add_results "$1" "$log" "$status" $((SECONDS - began))
  ((failed == failed_before)) || show_failures "$log"
}

# Runs a command and prints its results also to file descriptor 3, as they come.
show_tests() { "$@" | tee >(grep --line-buffered -E '^(not ok|ok|test) ' | sed -u 's/^/  /' >&3); }

# Runs a script and adds the counts of its last line. A script that ends without it, or fails though it counts no
# failure, counts as a failure. Arguments: log, command.
counted() {
  local log=$1 status=0 good=0 bad=0 bad_names
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
  ((bad != 0)) || return 0
  mapfile -t bad_names < <(sed -n 's/^FAILED: //p' "$log" | sort -u)
  if ((${#bad_names[@]} == 0)); then bad_names=("${*:2}"); fi
  failures+=("${bad_names[@]}")
}

# Prints the failed tests and the counts, as the last command of a script: its status is that of the tests. Prints the
# reasons for skipped tests, too, or brief instead if that is set.
finish() {
  if ((skipped > 0)); then
    say "$skipped skipped${brief-}"
    [[ -n ${brief+set} ]] || { grep -ohiE '# skip.*' "$scratch"/*.log 2>/dev/null || true; } | sort | uniq -c
  fi
  if [[ -n ${keep_scratch-} && -n ${scratch-} ]]; then say "logs and results are kept in $scratch"; fi
  if ((${#failures[@]} > 0)); then printf 'FAILED: %s\n' "${failures[@]}"; fi
  say "$passed passed, $failed failed"
  ((failed == 0))
}

# Ends a script that can test nothing here, and says why.
skip_all() {
  say "1 skipped: $*"
  say "0 passed, 0 failed"
  exit 0
}
