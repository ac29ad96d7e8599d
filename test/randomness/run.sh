#!/usr/bin/env bash
# Tests the random bits of uuid_v7() and uuid_v4(), packed without gaps, on a temporary server:
# test/randomness/run.sh [--size MB] [--full]
# --size  input of ent, rngtest and the birthday test from each, in MB of 2^20 bytes; 1024 by default
# --full  all tests of dieharder that its authors call good, which take some hours; six by default
# dieharder reads a stream of fresh bits, whatever the size. PG_CONFIG selects the PostgreSQL. The last line has the
# counts; good bits fail about once in ten thousand runs.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# The random bits of a value of each version.
declare -A widths=([7]=58 [4]=122)

# The share of blocks of 20,000 random bits that fail rngtest: mostly by a run of 26 equal bits, or by a number of runs
# of one length.
fips_rate=0.00079

# The default tests of dieharder: number and options.
few=('0' '15' '101' '102' '206 -n 256' '209 -n 12')
# All except those that it calls suspect (5, 6, 7) or not to be used (14). A lagged sum skips many words between two,
# and with the default number of them would read for hours.
all=('0' '1' '2' '3' '4' '8' '9' '10' '11' '12' '13' '15' '16' '17' '100' '101' '102'
  '200 -n '{1..12} '201 -n '{2..5} '202 -n '{2..5} '203 -t 100000 -n '{0,1,2,3,7,15,31}
  '204' '205' '206 -n 256' '207 -n 32' '208 -n 0' '208 -n 1' '209 -n 12')

# Pipes a version's packed random bits from the server to a shell command, which may stop reading when it has enough.
# Arguments: version, bytes (0: endless), command.
with_bits() {
  # The server reports that the pipe was closed; commands report missing bits.
  "$bindir/psql" -Xq >/dev/null 2>&1 <<SQL || true
COPY (SELECT uuid_v$1() FROM (SELECT generate_series(1, 9e18::bigint)) AS s)
TO PROGRAM '$scratch/pack $1 $2 | $3' (FORMAT binary)
SQL
}

# Prints the result of a test, and adds it to the version's table. Arguments: version, test, result, ok or not ok.
row() {
  printf '%s - %s %-26s %s\n' "$4" "uuid_v$1" "$2" "$3" | tee -a "$scratch/table.$1"
}

# Adds a row for a figure that is normally distributed for random bits. Arguments: version, test, figure, z.
row_of_z() {
  local verdict
  verdict=$(awk -v z="$4" 'BEGIN { print (z ~ /^-?[0-9.]+$/ && z >= -5 && z <= 5 ? "ok" : "not ok") }')
  row "$1" "$2" "$3, z = $4" "$verdict"
}

# Runs ent. The distribution of bytes says more than the entropy computed from it.
run_ent() {
  local figures
  # Its terse form: a line of names, then 1,bytes,entropy,chi square,mean,pi,correlation.
  figures=$(ent -t "$2" | awk -F, 'NR == 2 {
    root = sqrt($2)
    # Of 256 equally frequent values; those of the estimate of pi are points of six bytes.
    printf "chi square of bytes=%s=%.2f\n", $4, ($4 - 255) / sqrt(2 * 255)
    printf "mean=%s=%.2f\n", $5, ($5 - 127.5) * root / sqrt((256 ^ 2 - 1) / 12)
    printf "pi=%s=%.2f\n", $6, ($6 - 3.14159265) * sqrt($2 / 6) / sqrt(3.14159265 * (4 - 3.14159265))
    printf "serial correlation=%s=%.2f\n", $7, $7 * root }')
  while IFS='=' read -r name value z; do
    row_of_z "$1" "ent" "$name $value" "${z:-none}"
  done <<<"$figures"
}

# Runs rngtest: FIPS 140-2 on blocks of 20,000 bits.
run_rngtest() {
  local good bad
  rngtest <"$2" >"$2.rngtest" 2>&1 || true  # fails if one block does
  good=$(sed -n 's/^rngtest: FIPS 140-2 successes: //p' "$2.rngtest")
  bad=$(sed -n 's/^rngtest: FIPS 140-2 failures: //p' "$2.rngtest")
  row_of_z "$1" "rngtest" "${bad:-none} of $((good + bad)) blocks fail" \
    "$(awk -v bad="$bad" -v all="$((good + bad))" -v rate="$fips_rate" \
      'BEGIN { printf "%.2f", (bad - all * rate) / sqrt(all * rate) }')"
}

# Runs birthday.cpp.
run_birthday() {
  local first width ids pairs z found
  found=$("$scratch/birthday" "$2" "${widths[$1]}") || true
  while read -r first width ids pairs z; do
    row_of_z "$1" "birthday" "bits $first to $((first + width - 1)) of $ids values, ${pairs:-none} equal pairs" \
      "${z:-none}"
  done <<<"$found"
}

# Prints the p-values of one test of dieharder and its assessment of each, one per line.
run_dieharder_once() {
  local out=$scratch/dieharder.$1
  rm -f "$out"
  with_bits "$1" 0 "dieharder -g 200 -d $2 -c , -D test_name -D ntuple -D pvalues -D assessment >$out"
  # Fields are padded: name,ntuple,p,assessment.
  if [[ -e $out ]]; then tr -d ' ' <"$out"; fi
}

# Runs one test of dieharder. It assesses one good p-value in a hundred as WEAK, and then the test has to be repeated: a
# p-value that is weak in three runs is a failure.
run_dieharder() {
  local runs=0 bad='' lines worst verdict='not ok' weak name ntuple
  while ((runs < 3)) && [[ $runs == 0 || -n $bad ]]; do
    lines=$(run_dieharder_once "$1" "$2")
    runs=$((runs + 1))
    [[ -n $lines ]] || break
    weak=$(awk -F, '$4 != "PASSED" { print NR }' <<<"$lines")
    if ((runs == 1)); then
      bad=$weak
      IFS=, read -r name ntuple _ <<<"$lines"
      worst=$(cut -d, -f3 <<<"$lines" | sort -g | head -n 1)
    else
      bad=$(comm -12 <(sort <<<"$bad") <(sort <<<"$weak"))
    fi
  done
  if [[ -n $lines && -z $bad ]]; then verdict=ok; fi
  row "$1" "dieharder ${name-$2}${ntuple:+, $ntuple}" \
    "$(grep -c . <<<"$lines") p-values, smallest ${worst-none}, runs $runs" "$verdict"
}

# Runs all tests of one version.
examine() {
  local bits=$scratch/bits.$1 bytes=$((size << 20)) test
  with_bits "$1" "$bytes" "cat >$bits"
  if [[ $(stat -c %s "$bits" 2>/dev/null) != "$bytes" ]]; then
    row "$1" "packing" "the server did not generate $bytes bytes" "not ok"
    return
  fi
  run_ent "$1" "$bits"
  run_rngtest "$1" "$bits"
  run_birthday "$1" "$bits"
  rm "$bits"
  for test in "${tests[@]}"; do run_dieharder "$1" "$test"; done
}

size=1024
tests=("${few[@]}")
while (($# > 0)); do
  case $1 in
    --full) tests=("${all[@]}") ;;
    --size)
      [[ ${2-} =~ ^[1-9][0-9]{0,5}$ ]] || die "--size needs a number of MB, from 1"
      size=$2
      shift
      ;;
    *) die "unknown argument '$1'; usage: test/randomness/run.sh [--size MB] [--full]" ;;
  esac
  shift
done

need_postgresql g++ make libssl-dev ent rng-tools5 dieharder
make_scratch
make_there -j"$(nproc)" all
install_extension
for program in pack birthday; do
  as_server_user g++ -O2 -std=c++20 -Wall -Wextra -I"$scratch/src/src/core" -o "$scratch/$program" \
    "$scratch/src/test/randomness/$program.cpp"
done
start_server
"$bindir/psql" -Xqc 'CREATE EXTENSION uuidx'
say "using $("$PG_CONFIG" --version), $PG_CONFIG"

declare -A started=()
for version in 7 4; do
  examine "$version" &
  started[$version]=$!
done
for version in 7 4; do
  wait "${started[$version]}" || row "$version" "all tests" "ended early" "not ok"
done
for version in 7 4; do add_results "uuid_v$version" "$scratch/table.$version" 0; done
finish
