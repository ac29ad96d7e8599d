#!/usr/bin/env bash
# Tries mutants of src/pg, src/sql and the install script, chosen at random, with the SQL and TAP tests of their
# subject: test/mutations/server.sh [--sample N] [--seed S] [--known SURVIVORS] [FILE...]
# The sample is of 20 mutants unless --sample is given, the same ones for the same --seed, of all files unless some are
# named, and without those in the output of earlier runs, SURVIVORS. PG_CONFIG selects the PostgreSQL, of which a copy
# is used. Survivors are printed: some change nothing, and the others need a test. The last line has the counts.
# A mutant takes from seconds to two minutes of a processor.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
# shellcheck source=test/shell/private.sh
source "$tree/test/shell/private.sh"

# Runs make in the copy of the tree for at most twenty minutes, as a mutant may wait forever. Without debug information
# or an ID, so that a mutant with the same instructions gives the same library.
make_limited() {
  as_server_user timeout 1200 make -s -C "$scratch/src" PG_CONFIG="$PG_CONFIG" PG_CXXFLAGS=-g0 \
    SHLIB_LINK=-Wl,--build-id=none "$@"
}

# Installs what was built for the private server. By renaming, as a session may have loaded the old library.
install_privately() {
  local library
  library=$("$PG_CONFIG" --pkglibdir)/uuidx.so
  cp "$scratch/src/uuidx.so" "$library.new"
  mv "$library.new" "$library"
  cp "$scratch"/src/uuidx*.control "$scratch"/src/sql/uuidx*--*.sql "$("$PG_CONFIG" --sharedir)/extension"
}

# True if tests pass. Arguments: names of SQL tests, numbers of TAP tests, as one word each.
pass() {
  local number
  if [[ -n $1 ]]; then make_limited installcheck REGRESS="$1" || return 1; fi
  for number in $2; do make_limited prove PROVE_TESTS="test/t/${number}_*.pl" || return 1; done
}

# Replaces the server of the SQL tests, which a mutant may have crashed, and ends those that a test has left.
renew_server() {
  stop_servers
  rm -rf "$scratch/data" "$scratch/src/tmp_check"
  start_server
}

# Tries a mutant and counts the outcome. Arguments: its number, file, SQL tests, TAP tests.
try() {
  local file=$2 entry
  entry=$(<"$scratch/mutants/$1.entry")
  cat "$scratch/mutants/$1" >"$scratch/src/$file"
  if ! make_limited -j"$(nproc)" all >"$scratch/build.log" 2>&1; then
    say "not compiled: $file"
  elif [[ $file == src/* ]] && cmp -s "$scratch/src/uuidx.so" "$scratch/sound.so"; then
    say "same instructions: $file"
  else
    install_privately
    if pass "$3" "$4" >"$scratch/judges.log" 2>&1; then
      count 1 "survived:"$'\n'"$entry"
    else
      count 0 "killed: $(tail -n 1 <<<"$entry")"
      renew_server
    fi
  fi
  cat "$tree/$file" >"$scratch/src/$file"
}

need_postgresql g++ make libssl-dev libipc-run-perl perl python3
make_scratch
use_private_postgresql
mkdir "$scratch/mutants"
python3 -B "$tree/test/mutations/server_mutants.py" "$scratch/mutants" "$@" >"$scratch/list"

make_limited -j"$(nproc)" all
cp "$scratch/src/uuidx.so" "$scratch/sound.so"
install_privately
start_server
say "== Without a fault"
while IFS='|' read -r file sql tap <&4; do
  check "$file" pass "$sql" "$tap"
done 4< <(cut -d'|' -f2- "$scratch/list" | sort -u)
((failed == 0)) || die "the tests must pass without a fault"
passed=0

say "== Mutants"
while IFS='|' read -r number file sql tap <&4; do
  try "$number" "$file" "$sql" "$tap"
done 4<"$scratch/list"
say "score $((100 * passed / (passed + failed > 0 ? passed + failed : 1))) %"
keep_scratch=
finish
