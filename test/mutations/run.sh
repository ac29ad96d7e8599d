#!/usr/bin/env bash
# Shows that the tests can fail: plants known faults in copies of the sources, one at a time, and runs the test that
# must notice each. A fault that nobody notices is a failure: test/mutations/run.sh [WORDS]
# WORDS choose the faults whose description has them. Faulty libraries are installed meanwhile, so nothing else may use
# the server's. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

chosen=$*

# The tests of the core that a name stands for, as a program of their own.
run_unit() {
  local program=$scratch/$1
  (
    cd "$scratch/src/test/unit"
    as_server_user g++ -std=c++20 -O1 -I../../src/core -o "$program" "$1_test.cpp" \
      ../../src/core/*.cpp \
      -lgtest -lgtest_main -pthread
    as_server_user "$program"
  )
}

# SQL tests, all that are named, in a database of their own.
run_sql() {
  build_and_install
  make_there installcheck REGRESS="extension $*"
}

# A test that starts servers of its own.
run_tap() {
  build_and_install
  make_there prove PROVE_TESTS="test/t/$1.pl"
}

build_and_install() {
  make_there -j"$(nproc)" all
  install_extension
}

# Runs the tests of a kind and says whether they passed.
passes() { (set -e; "run_$1" "${@:2}") >"$scratch/log" 2>&1; }

# Copies files of the tree over those of the copy.
restore() {
  local file
  for file in "$@"; do cat "$tree/$file" >"$scratch/src/$file"; done
}

# Plants a fault, sees that the tests notice, and takes it out again. Arguments: what is wrong then, the files,
# the substitution in Perl, the kind of the tests and their names.
plant() {
  local fault=$1 files file tests=("${@:4}")
  [[ $fault == *"$chosen"* ]] || return 0
  read -ra files <<<"$2"
  (cd "$scratch/src" && as_server_user perl -0pi -e "$3" "${files[@]}")
  for file in "${files[@]}"; do
    if cmp -s "$tree/$file" "$scratch/src/$file"; then
      count 1 "$fault: there is no such place any more in $file"
      restore "${files[@]}"
      return
    fi
  done
  if passes "${tests[@]}"; then
    count 1 "$fault: not noticed by ${tests[*]}"
  elif grep -qE '\berror: |^make.*\.o\] Error' "$scratch/log"; then
    count 1 "$fault: it does not compile"
    tail -n 20 "$scratch/log"
  else
    count 0 "$fault: noticed by ${tests[*]}"
  fi
  restore "${files[@]}"
}

# The tests pass as long as nothing is wrong.
check_sound() {
  local name sql=(generate bounds time_operators time_ranges time_plans extract name_based)
  say "== Without a fault"
  for name in convert fields gregorian time_range random_pool text_forms uuid v7; do
    check "unit $name" passes unit "$name"
  done
  check "sql ${sql[*]}" passes sql "${sql[@]}"
  for name in 003_preload 006_names 012_entropy 020_crash 022_mark_file 026_random_state 033_bits; do
    check "tap $name" passes tap "$name"
  done
}

# Leaves the sound library where the tests have put a faulty one.
install_sound() {
  rm -f "$scratch"/src/src/*.o
  copy_tree "$scratch/src"
  quietly build_and_install
}

need_postgresql g++ make libssl-dev libgtest-dev libipc-run-perl perl
make_scratch
trap 'install_sound; clean_up' EXIT
start_server

if [[ -z $chosen ]]; then check_sound; fi

say "== Order"
plant 'on a tie the same tick again' src/core/v7.hpp 's/\*next = last \+ 1;/*next = last;/' unit v7
plant 'a tick equal to the clock counts as later' src/core/v7.hpp 's/clock > last\) \[\[likely/clock >= last) [[likely/' unit v7
plant 'the tick wraps at the end of time' src/core/v7.hpp 's/if \(last == kMaxUnixTicks\)/if (false)/' unit v7
plant 'the fraction of a millisecond is left out' src/core/v7.hpp 's/now\.nanoseconds\} << kMillisShift/now.nanoseconds} >> 60 << kMillisShift/' unit v7
plant 'a clock set back keeps the clock sequence' src/core/gregorian.cpp 's/state->clock_seq \+ 1\)/state->clock_seq)/' unit gregorian
plant 'version 1 never follows the clock' src/core/gregorian.cpp 's/set_back \? clock :/set_back || state->last_ticks == 0 ? clock : state->last_ticks + 1;\n  (void)/' unit gregorian
plant 'version 6 never follows the clock' src/core/gregorian.cpp 's/std::max\(clock, \*last \+ 1\)/*last == 0 ? clock : *last + 1/' unit gregorian
plant 'an error takes the node away' src/core/gregorian.cpp 's/if \(!gregorian_ticks_from_clock\(now, &clock\)\) \{/$&\n    state->node = 0;/' unit gregorian
plant 'the end of time takes the node away' src/core/gregorian.cpp 's/if \(ticks > kMaxGregorianTicks\) \{/$&\n    state->node = 0;/' unit gregorian
plant 'version 6 takes the clock as it is' src/core/gregorian.cpp 's/std::max\(clock, \*last \+ 1\)/clock/' unit gregorian
plant 'values of the whole server leave before their mark' src/pg/cluster_clock.cpp 's/if \(is_below_reserve\(\*ticks/if (false \&\& is_below_reserve(*ticks/' tap 020_crash
plant 'a damaged mark is believed' src/pg/mark_file.cpp 's/ \|\| content\.crc != checksum\(content\)//' tap 022_mark_file

say "== Fields"
plant 'no version' src/core/uuid.hpp 's/\(id\.hi & ~kVersionMask\) \| ver,/(id.hi \& ~kVersionMask),/' unit uuid
plant 'no variant' src/core/uuid.hpp 's/ \| kRfcVariant\};/};/' unit uuid
plant 'the node may be a MAC address' src/core/gregorian.hpp 's/\(random & low_bits\(62\)\) \| kMulticastBit/random \& low_bits(62) \& ~kMulticastBit/' unit gregorian
plant 'another bit than the multicast bit' src/core/gregorian.hpp 's/\} << 40;/} << 41;/' unit gregorian
plant 'a fifth namespace' src/core/name_based.hpp 's/\{"x500"/{"x501", {0x6ba7b8139dad11d1, kNamespaceLo}},\n    $&/' unit uuid
plant 'another version has a time, too' src/core/fields.cpp 's/return std::nullopt;\n  \}\n\}\n\nstd::optional<UnixMicros> precise/return 0;\n  }\n}\n\nstd::optional<UnixMicros> precise/' unit fields
plant 'bits of the time are lost from version 6 to 1' src/core/gregorian.hpp 's/\(hi >> 4 & ~low_bits\(12\)\)/(hi >> 4 \& ~low_bits(13))/' unit convert
plant 'a text of too many bits is read' src/core/positional.hpp 's/number > kMost \|\|[^{]*\{/false) {/' unit text_forms
plant 'names are hashed in the encoding of the server' src/sql/name_based.cpp 's/pg_server_to_any\(chars, static_cast<int>\(size\), PG_UTF8\)/(chars)/' tap 006_names

say "== Times"
plant 'microseconds in a lower bound' src/core/v7.cpp 's/\(millis\), 0, 0\)/(time \/ kMicrosPerMilli), rand_a_from_micros(time % kMicrosPerMilli), 0)/' unit v7
plant 'a given time is rounded down' src/core/v7.hpp 's/<< 12\) \+ kMicrosPerMilli - 1\)/<< 12))/' unit v7
plant 'a converted time is rounded down' src/core/convert.cpp 's/std::max\(\(ticks << 12\) \/ kGregorianTicksPerMilli,/std::min((ticks << 12) \/ kGregorianTicksPerMilli,/' unit convert
plant 'a converted time is rounded up' src/core/convert.cpp 's/std::max\(\(ticks << 12\) \/ kGregorianTicksPerMilli,/std::max(((ticks << 12) + kGregorianTicksPerMilli - 1) \/ kGregorianTicksPerMilli,/' unit convert
plant 'a lower bound is rounded down' src/core/v7.cpp 's/\(time \+ kMicrosPerMilli - 1\)/time/' unit v7
plant 'the last whole millisecond is out of range' src/core/v7.cpp 's/time > kLastWhole/time >= kLastWhole/' unit v7
plant '1970-01-01 00:00:00 is out of range' src/core/timestamp.hpp 's/return time >= 0 &&/return time > 0 \&\&/' unit v7
plant 'the end of a time range is always included' src/core/time_range.cpp 's/upper\.inclusive \? v7_max/true ? v7_max/' unit time_range
plant '<= for < in a plan' src/pg/range_clauses.cpp 's/BTLessStrategyNumber, v7_min/BTLessEqualStrategyNumber, v7_min/' sql time_operators time_ranges time_plans
plant 'a random key is in a time range' src/sql/time_ranges.cpp 's/ && is_v7\(get_uuid\(PG_GETARG_DATUM\(id\)\)\)//' sql time_contexts
plant 'the planner forgets the version' src/pg/planner_support.cpp 's/lappend\(clauses, version\)/clauses == NIL ? list_make1(version) : clauses/' sql time_contexts
plant 'a search does not recheck the version' src/pg/planner_support.cpp 's/ \|\| !tests_version\(request, call\)//' sql time_plans
plant 'a NULL range is in no way NULL' src/sql/time_ranges.cpp 's/fcinfo->isnull = PG_ARGISNULL\(id\) \|\| v7;/fcinfo->isnull = PG_ARGISNULL(id);/' sql time_contexts

say "== Row estimates"
plant 'keys of other versions are estimated to be in a time range' src/pg/index_probe.cpp 's/key\.null \|\| !is_v7\(key\.id\)/key.null/' tap 042_index_probe
plant 'rows are counted for whom they are hidden from' src/pg/key_index.cpp 's/table->securityQuals == NIL &&/true \&\&/' tap 042_index_probe
plant 'half of the pages between the ends of a range' src/core/tree_probe.hpp 's/below\.between \+= /below.between += 0.4 * /' unit tree_probe

say "== Random bits"
plant 'what a failing source wrote is issued' src/core/random_pool.cpp 's/if \(!source\(words_, words \* sizeof \*words_\)\)/source(words_, words * sizeof *words_);\n  if (false)/' unit random_pool
plant 'words stay in memory when they are used' src/core/random_pool.hpp 's/    words_\[left_\] = 0;\n//' unit random_pool
plant 'a value for a given time has one random bit' src/core/v7.cpp 's/kMicrosPerMilli\), random\)/kMicrosPerMilli), random == 0 ? 0 : ~std::uint64_t{0})/' unit v7
plant 'the clock sequence of version 1 is of the bits of its node' src/sql/generate.cpp 's/v1_seed\(&state->v1, random\)/v1_seed(&state->v1, (random & low_bits(48)) | random << 48)/' tap 033_bits
plant 'the clock sequence of version 6 is of the bits of its node' src/sql/generate.cpp 's/v6_last, now, random,/v6_last, now, (random & low_bits(48)) | random << 48,/' tap 033_bits
plant 'every session begins with clock sequence 0' src/sql/generate.cpp 's/v1_seed\(&state->v1, random\)/v1_seed(&state->v1, random & low_bits(48))/' tap 033_bits
plant 'both halves of version 4 are the same bits' src/sql/generate.cpp 's/v4_from_random\(hi, lo\)/v4_from_random(hi, hi)/' tap 033_bits
plant 'version 7 has 40 random bits' src/sql/generate.cpp 's/v7_last, now, random,/v7_last, now, (random & low_bits(40)) | random << 40,/' tap 033_bits
plant 'the pool outlives its transaction' src/pg/backend.cpp 's/the_backend_state->pool\.drop\(\);//' tap 012_entropy
plant 'the same when looked at from outside' src/pg/backend.cpp 's/the_backend_state->pool\.drop\(\);//' tap 026_random_state
plant 'no random bits of the kernel in a block' src/pg/entropy.cpp 's/kernel_random\(key, sizeof key\) &&/(std::memset(key, 0, sizeof key), true) \&\&/' tap 012_entropy
plant 'forked processes inherit the state' src/pg/backend.hpp 's/->owner != MyProcPid/->owner == 0/' tap 003_preload
plant 'forked processes could see the pool' src/pg/backend.cpp 's/#ifdef MADV_WIPEONFORK/#ifdef NEVER/' tap 026_random_state
plant 'core dumps hold the pool' src/pg/backend.cpp 's/#ifdef MADV_DONTDUMP/#ifdef NEVER/' tap 026_random_state

say "== SQL"
plant 'uuid_v7_min is STABLE' sql/uuidx--1.0.sql 's/FUNCTION uuid_v7_min\([^;]*?\KIMMUTABLE/STABLE/' sql bounds time_plans
plant 'uuid_v7 is IMMUTABLE' sql/uuidx--1.0.sql 's/FUNCTION uuid_v7\(\)[^;]*?\KVOLATILE/IMMUTABLE/' sql generate
plant 'uuid_extract_time is not STRICT' sql/uuidx--1.0.sql 's/FUNCTION uuid_extract_time\([^;]*?\K STRICT//' sql extract

finish
