#!/usr/bin/env bash
# Fuzzes the core's parsers of text formats under sanitizers: test/fuzz/run.sh [--seconds N]
# Each runs its corpus, then new inputs for N seconds, by default 10. An input that breaks a property is kept.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

mapfile -t formats < <(sed -nE 's/^ *\{"([a-z0-9]+)", \w+.*\},$/\1/p' "$tree/src/core/text_formats.cpp")
seconds=10

# Builds the fuzzer with what it tests.
build() {
  clang++-14 -std=c++20 -O2 -g -Wall -Wextra -Werror -Isrc/core -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all -o "$scratch/fuzzer" src/core/text_formats.cpp test/fuzz/text_formats_fuzz.cpp
}

# Fuzzes one format; a failing input is kept in the scratch folder.
feed() {
  mkdir "$scratch/$1"
  # Without leak detection, as the core allocates nothing. Inputs of twice the longest text format suffice. New ones go
  # to the first folder.
  UUIDX_FUZZ=$1 "$scratch/fuzzer" -max_total_time="$seconds" -max_len=96 -len_control=0 \
    -detect_leaks=0 -timeout=10 -artifact_prefix="$scratch/$1-" -verbosity=1 \
    "$scratch/$1" "test/fuzz/corpus/$1" >"$scratch/$1.log" 2>&1
}

# Counts a format as passed if it had a corpus and many inputs, both valid and invalid. Arguments: format, status.
judge() {
  local good all files status=1
  files=$(find "test/fuzz/corpus/$1" -type f | wc -l)
  read -r good all < <(sed -nE 's/^valid ([0-9]+) of ([0-9]+)$/\1 \2/p' "$scratch/$1.log") || true
  if (($2 == 0 && files > 0 && ${all:-0} >= 1000 * seconds && good * 20 >= all && good < all)); then
    status=0
  fi
  count "$status" "$1: status $2, ${good:-?} of ${all:-?} inputs valid, $files files in the corpus"
  ((status == 0)) || tail -n 40 "$scratch/$1.log"
}

if (($# > 0)); then
  [[ $1 == --seconds && ${2-} =~ ^[1-9][0-9]*$ && $# == 2 ]] || die "the option is --seconds N"
  seconds=$2
fi

install_packages clang-14 libclang-rt-14-dev llvm-14
cd "$tree"
scratch=$(mktemp -d /tmp/uuidx-fuzz.XXXXXX)
trap '[[ -n ${keep_scratch-} ]] || rm -rf "$scratch"' EXIT
build

declare -A started=()
for format in "${formats[@]}"; do
  # One per processor.
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  feed "$format" &
  started[$format]=$!
done
for format in "${formats[@]}"; do
  status=0
  wait "${started[$format]}" || status=$?
  judge "$format" "$status"
done
finish
