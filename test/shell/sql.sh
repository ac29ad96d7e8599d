# shellcheck shell=bash
# Checks of what SQL prints. To be sourced after lib.sh.

# Runs SQL from stdin. Arguments: those of psql.
sql() { PGOPTIONS='-c client_min_messages=error' "${bindir:?}/psql" -XAtq -v ON_ERROR_STOP=1 "$@"; }

# True if SQL on stdin prints this. Arguments: expected output, arguments of psql.
prints() {
  local output
  output=$(sql "${@:2}" 2>&1) || true
  equals "$1" "$output"
}

# True if SQL on stdin fails with this message. Arguments: part of the message, arguments of psql.
fails_with() {
  local output
  if output=$(sql "${@:2}" 2>&1); then
    printf 'no error, but:\n%s\n' "$output"
    return 1
  fi
  [[ $output == *"$1"* ]] || equals "$1" "$output"
}

# True if two texts are equal. Arguments: expected, got.
equals() { [[ $1 == "$2" ]] || { printf 'expected:\n%s\ngot:\n%s\n' "$1" "$2" && return 1; }; }
