#!/usr/bin/env bash
# Feeds mutated inputs to the core under the sanitizers: texts in every form, UUIDs of any bits, times,
# time ranges, clocks that are set: test/fuzz/run.sh [--seconds N] [TARGET ...]
# Each target runs its corpus first, then for N seconds, 10 unless given. What breaks a property is
# kept, with the seed that leads to it. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# The targets, each with the source that has it.
declare -A sources=([ulid]=text_forms [base32hex]=text_forms [base58]=text_forms [base64url]=text_forms
  [hex]=text_forms [urn]=text_forms [decimal]=text_forms [names]=text_forms [fields]=fields [times]=times
  [time_ranges]=time_ranges [clocks]=clocks)
seconds=10

# Compiles a file of the tree to an object.
compile() {
  clang++-14 -std=c++20 -O2 -g -Wall -Wextra -Werror -Isrc/core -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize-recover=all -c -o "$scratch/$(basename "$1").o" "$1.cpp"
}

# Compiles several at once.
compile_all() {
  export -f compile
  export scratch
  # shellcheck disable=SC2016  # expanded by the inner shell
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c 'compile "$1"' _ {}
}

# Builds all targets, with the files of the core that they call.
build() {
  local core=("$tree"/src/core/*.cpp) fuzzers objects target
  mapfile -t fuzzers < <(printf '%s_fuzz\n' "${sources[@]}" | sort -u)
  core=("${core[@]##*/}")
  core=("${core[@]%.cpp}")
  objects=("${core[@]/#/$scratch/}")
  compile_all "${core[@]/#/src/core/}" "${fuzzers[@]/#/test/fuzz/}"
  for target in "$scratch"/*_fuzz.o; do
    clang++-14 -fsanitize=fuzzer,address,undefined -o "${target%.o}" "$target" "${objects[@]/%/.o}"
  done
}

# Feeds one target; its input is kept in the scratch folder if it fails.
feed() {
  mkdir "$scratch/$1"
  # Without the wait for leaks, of which what allocates nothing has none; texts of twice the longest
  # form go wrong as any longer do. New inputs go to the first folder.
  UUIDX_FUZZ=$1 "$scratch/${sources[$1]}_fuzz" -max_total_time="$seconds" -max_len=96 -len_control=0 \
    -detect_leaks=0 -timeout=10 -artifact_prefix="$scratch/$1-" -verbosity=1 \
    "$scratch/$1" "test/fuzz/corpus/$1" >"$scratch/$1.log" 2>&1
}

# Says how one target went: it had its corpus, took many inputs, and those of both kinds.
judge() {
  local good all files
  files=$(find "test/fuzz/corpus/$1" -type f | wc -l)
  read -r good all < <(sed -nE 's/^valid ([0-9]+) of ([0-9]+)$/\1 \2/p' "$scratch/$1.log") || true
  if (($2 == 0 && files > 0 && ${all:-0} >= 1000 * seconds && good * 20 >= all && good < all)); then
    say "ok - $1: $good of $all inputs were valid"
    passed=$((passed + 1))
  else
    say "not ok - $1: status $2, ${good:-?} of ${all:-?} inputs were valid, $files files in the corpus"
    tail -n 40 "$scratch/$1.log"
    failed=$((failed + 1))
    keep_scratch=yes
  fi
}

while (($# > 0)); do
  case $1 in
    --seconds)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die "--seconds needs a number"
      seconds=$2
      shift 2
      ;;
    *) break ;;
  esac
done
mapfile -t targets < <(printf '%s\n' "${!sources[@]}" | sort)
if (($# > 0)); then targets=("$@"); fi
for target in "${targets[@]}"; do
  [[ -n ${sources[$target]-} ]] || die "no target $target; there are ${!sources[*]}"
done

install_packages clang-14 libclang-rt-14-dev llvm-14
cd "$tree"
scratch=$(mktemp -d /tmp/uuidx-fuzz.XXXXXX)
trap '[[ -n ${keep_scratch-} ]] || rm -rf "$scratch"' EXIT
build

declare -A started=()
for target in "${targets[@]}"; do
  # As many at once as there are processors.
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  feed "$target" &
  started[$target]=$!
done
for target in "${targets[@]}"; do
  status=0
  wait "${started[$target]}" || status=$?
  judge "$target" "$status"
done
if [[ -n ${keep_scratch-} ]]; then say "logs and inputs are kept in $scratch"; fi
say "$passed passed, $failed failed"
((failed == 0))
