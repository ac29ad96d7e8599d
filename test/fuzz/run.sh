#!/usr/bin/env bash
# Reads mutated texts in every form, and the fields of UUIDs of any bits, under the sanitizers:
# test/fuzz/run.sh [NUMBER OF INPUTS EACH]
# What breaks a property is kept, with the seed that leads to it. The last line counts.
# shellcheck source=test/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

runs=${1:-1000000}
passed=0
failed=0

# Builds the target with the files of the core that it calls.
build() {
  clang++-14 -std=c++20 -O2 -g -Wall -Wextra -Isrc -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all -o "$1" test/fuzz/text_forms_fuzz.cpp src/text_forms.cpp src/fields.cpp \
    src/gregorian.cpp src/v7.cpp src/convert.cpp
}

# Feeds one target; its input is kept in the scratch folder if it fails.
feed() {
  # Without the wait for leaks, of which what allocates nothing has none; texts of twice the longest form go wrong as any longer do.
  UUIDX_FUZZ=$1 "$scratch/fuzz" -runs="$runs" -max_len=96 -len_control=0 -detect_leaks=0 \
    -timeout=10 -artifact_prefix="$scratch/$1-" -verbosity=1 >"$scratch/$1.log" 2>&1
}

# Says how one target went: it took as many inputs as it should, and of both kinds.
judge() {
  local good all
  read -r good all < <(sed -nE 's/^valid ([0-9]+) of ([0-9]+)$/\1 \2/p' "$scratch/$1.log") || true
  if (($2 == 0 && ${all:-0} >= runs && good * 20 >= all && good < all)); then
    say "ok - $1: $good of $all inputs were valid"
    passed=$((passed + 1))
  else
    say "not ok - $1: status $2, ${good:-?} of ${all:-?} inputs were valid"
    tail -n 40 "$scratch/$1.log"
    failed=$((failed + 1))
    keep_scratch=yes
  fi
}

install_packages clang-14 libclang-rt-14-dev llvm-14
cd "$tree"
scratch=$(mktemp -d /tmp/uuidx-fuzz.XXXXXX)
trap '[[ -n ${keep_scratch-} ]] || rm -rf "$scratch"' EXIT
build "$scratch/fuzz"

declare -A started=()
targets=(ulid base32hex base58 base64url hex urn decimal fields)
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
