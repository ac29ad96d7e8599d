# shellcheck shell=bash disable=SC2034,SC2154  # variables of test/quick_start/run.sh
# What is typed in test/quick_start/run.sh, what is seen then, and what to think of it. To be sourced after roots.sh.

# Prints a command of the README: the first demonstrates, the second tests.
readme_command() {
  sed -n '/^## Try it/,/^## /p' "$tree/README.md" |
    awk -v wanted="$1" '/^```/ { inside = !inside; next } inside && ++command == wanted'
}

# Prints a quoted command that a login of the user types; wrap may hold what stands around it. Arguments: user, command.
login() {
  local home=/home/$1
  if [[ $1 == root ]]; then home=/root; fi
  printf '%q ' "${wrap[@]}" chroot --userspec="$1" "$root" /usr/bin/env -i --chdir="$home" HOME="$home" USER="$1" \
    LOGNAME="$1" TERM=xterm "${environment[@]}" bash -lc "$2"
}

# Types a command at a terminal, with what the keyboard holds, and keeps what is seen there with the seconds until then
# in $seen. Sets took and pause, the longest time without a word, too. Arguments: user, command.
type_in() {
  local status=0 began=$SECONDS
  printf '%4d $ %s\n' 0 "$2" >"$seen"
  # A script's background job starts with INT ignored, and the command would inherit that.
  SHELL=/bin/bash timeout --foreground --kill-after=10 3600 env --default-signal=INT,QUIT \
    script -qefc "$(login "$1" "$2")" /dev/null <&"$keyboard" |
    while IFS= read -r line || [[ -n $line ]]; do
      printf '%4d %s\n' $((SECONDS - began)) "${line%$'\r'}"
    done >>"$seen" || status=$?
  took=$((SECONDS - began))
  printf '%4d\n' "$took" >>"$seen"
  pause=$(awk '$1 - last > longest { longest = $1 - last } { last = $1 } END { print longest + 0 }' "$seen")
  { printf '== %s, %s: %s types\n' "$suite" "$situation" "$1"; cat "$seen"; printf '   (status %s)\n\n' "$status"; } \
    >>"$transcript"
  return "$status"
}

# Prints the lines that were seen, without their seconds.
lines() { sed '1d; $d; s/^ *[0-9]* //' "$seen"; }

# Prints what a refusal says that root has to run.
hint() { lines | sed -n 's/.*as root, run: //p' | tail -n 1; }

# Prints all that a demonstration may not change: what lies in the folders for temporary and the users' files, clusters
# and how they are made, shared memory, processes. What programs keep in hidden files at home is theirs, as are the
# folders for the sockets of X, which some of Debian's packages make.
state() {
  (
    cd "$root" || exit
    find tmp var/tmp home root -mindepth 1 -not -path 'home/*/.*' -not -path 'root/.*' -not -path 'tmp/.*-unix' \
      \( -type f -exec cksum {} + -o -not -type f -print \) | sort
    find etc/postgresql etc/postgresql-common/createcluster.d -type f -exec cksum {} + 2>/dev/null | sort || true
    find dev/shm
  )
  awk '{ print $1, $2 }' /proc/sysvipc/shm
  processes
}

# Prints the differences from the state before.
differences() { diff "$scratch/before" <(state) | grep '^[<>]'; }

# Prints those in the users' files.
differences_at_home() { differences | grep ' home/'; }

# Runs one check and says how it went; what it prints, and what was typed and seen, only if it failed. Set -e has no
# effect on what runs here.
check() {
  local status=0 log=$scratch/check.log
  "${@:2}" >"$log" 2>&1 || status=$?
  count "$status" "$suite, $situation: $1"
  if ((status != 0)); then
    { head -n 30 "$log" && echo 'what was seen:' && tail -n 40 "$seen"; } | cut -c -160 | sed 's/^/  /'
  fi
}

# Whether a command prints nothing.
prints_nothing() {
  local output
  output=$("$@") || true
  [[ -z $output ]] || { printf '%s\n' "$output" && return 1; }
}

# Whether a command prints something.
prints_something() { [[ -n $("$@") ]]; }

# Whether a command fails.
fails() { ! "$@"; }

# Whether the demonstration has got to its end: it shows the table, and says what to do next.
is_demonstrated() {
  local text
  for text in 'what text NOT NULL' '| first' ' 1440 | 2026-03-01 00:00:00' 'Index Cond:' '== Done.' \
    'In your own database: CREATE EXTENSION uuidx;'; do
    lines | grep -F -- "$text" >/dev/null || { echo "'$text' is missing" && return 1; }
  done
}

# Prints the lines that would worry a beginner.
worries() {
  lines | grep -iE 'error|warning|notice|fail|denied|not found|cannot|could not|unable|no such|invalid|usage:'
}

# The checks after a demonstration that has to work. Arguments: its status, what to add to the names.
judge() {
  check "the demonstration ends well${2-}" test "$1" -eq 0
  check "and has shown the table${2-}" is_demonstrated
  check "with no word of trouble${2-}" prints_nothing worries
  check "and leaves nothing${2-}" prints_nothing differences
}

# Adds what was typed last to the table.
add_row() {
  table+=$(printf '%-9s %-11s %-34s %5d s, at most %4d s without a word' "$suite" "$situation" "$1" "$took" "$pause")
  table+=$'\n'
}

# Types the demonstration in a folder, looks at all of it, and adds a row to the table. Arguments: user, folder, what
# to add to the names.
demonstrate() {
  local status=0
  state >"$scratch/before"
  type_in "$1" "cd '$2' && $(readme_command 1)" || status=$?
  judge "$status" "${3-}"
  add_row "demonstration${3-}"
}

# Types the demonstration and, as root, what each refusal says, until it works. Arguments: user, folder, refusals that
# are still fair.
demonstrate_by_hints() {
  local refusals=0 status=0 told
  state >"$scratch/before"
  until type_in "$1" "cd '$2' && $(readme_command 1)"; do
    refusals=$((refusals + 1))
    add_row "refusal $refusals"
    told=$(hint)
    check "refusal $refusals says what root has to type" test -n "$told"
    check "and leaves nothing, $refusals" prints_nothing differences
    [[ -n $told ]] && ((refusals < 6)) || return 0
    # Questions of apt and of packages have nothing to do with the hint.
    environment=(DEBIAN_FRONTEND=noninteractive)
    echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/yes"
    type_in root "$told" || status=$?
    rm "$root/etc/apt/apt.conf.d/yes"
    environment=()
    check "that works, $refusals" test "$status" -eq 0
    add_row "what root types"
    ((status == 0)) || return 0
    check "and leaves the user's files alone, $refusals" prints_nothing differences_at_home
    state >"$scratch/before"
  done
  judge 0 " then"
  add_row "demonstration"
  check "after no more refusals than $3" test "$refusals" -le "$3"
}
