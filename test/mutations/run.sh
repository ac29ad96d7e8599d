#!/usr/bin/env bash
# Mutates copies of the sources, one fault at a time, and runs the test that must detect it; an undetected fault is a
# failure: test/mutations/run.sh [--check | WORDS]
# WORDS select the faults whose description has them. --check only checks that each mutation still has its place in the
# sources, and that its tests exist. PG_CONFIG selects the PostgreSQL; nothing else may use it meanwhile, as faulty
# libraries are installed there. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

check_only=
if [[ ${1-} == --check ]]; then
  check_only=yes
  shift
fi
chosen=$*

# Runs the unit tests of a file, as a program of their own.
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

# Runs the named SQL tests.
run_sql() {
  build_and_install
  make_there installcheck REGRESS="$*"
}

# Runs a TAP test.
run_tap() {
  build_and_install
  make_there prove PROVE_TESTS="test/t/$1.pl"
}

# Runs the comparison of queries by the key and by a column for the time.
run_planner() {
  build_and_install
  PSQL=$bindir/psql python3 -B "$tree/test/planner/$1.py" --statements 2000
}

build_and_install() {
  make_there -j"$(nproc)" all
  install_extension
}

# True if tests pass. Arguments: kind, names.
passes() { (set -e; "run_$1" "${@:2}") >"$scratch/log" 2>&1; }

# Prints the mutated file. Arguments: file, substitution in Perl.
mutated() { perl -0pe "$2" "$tree/$1"; }

# Prints what is missing for a mutation. Arguments: as for mutate, without the name.
missing() {
  local name
  if mutated "$1" "$2" | cmp -s - "$tree/$1"; then say "nothing to mutate in $1"; fi
  for name in "${@:4}"; do
    case $3 in
      unit) name=test/unit/${name}_test.cpp ;;
      sql) name=sql/$name.sql ;;
      tap) name=test/t/$name.pl ;;
      planner) name=test/planner/$name.py ;;
    esac
    [[ -f $tree/$name ]] || say "no $name"
  done
}

# Mutates a file and checks that the tests detect it. Arguments: fault, file, substitution in Perl, kind and names of
# the tests.
mutate() {
  local fault=$1 file=$2 tests=("${@:4}") status=0
  [[ $fault == *"$chosen"* ]] || return 0
  if [[ -n $check_only ]]; then
    check "$fault" prints_nothing missing "${@:2}"
    return
  fi
  mutated "$file" "$3" >"$scratch/src/$file"
  if cmp -s "$tree/$file" "$scratch/src/$file"; then
    count 1 "$fault: nothing to mutate in $file"
  elif passes "${tests[@]}"; then
    count 1 "$fault: not detected by ${tests[*]}"
  elif grep -qE '\.[ch]pp:[0-9:]+ (fatal )?error: |\.o\] Error' "$scratch/log"; then
    count 1 "$fault: does not compile"
    tail -n 20 "$scratch/log"
  else
    count 0 "$fault: detected by ${tests[*]}"
  fi
  cat "$tree/$file" >"$scratch/src/$file"
}

# Checks that the tests pass without a fault.
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

# Replaces the faulty library. Copied sources are older than it, so make would not build it again.
install_sound() {
  copy_tree "$scratch/src"
  quietly make_there clean
  quietly build_and_install
}

if [[ -z $check_only ]]; then
  need_postgresql g++ make libssl-dev libgtest-dev libipc-run-perl perl python3
  make_scratch
  trap 'install_sound; clean_up' EXIT
  start_server
  if [[ -z $chosen ]]; then check_sound; fi
fi

say "== Order"
mutate 'a tie repeats the tick' src/core/v7.hpp 's/\*next = last \+ 1;/*next = last;/' unit v7
mutate 'a clock equal to the last tick repeats it' src/core/v7.hpp \
  's/clock > last\) \[\[likely/clock >= last) [[likely/' unit v7
mutate 'the tick wraps at the end of time' src/core/v7.hpp 's/if \(last == kMaxUnixTicks\)/if (false)/' unit v7
mutate 'the fraction of a millisecond is dropped' src/core/v7.hpp \
  's/now\.nanoseconds\} << kMillisShift/now.nanoseconds} >> 60 << kMillisShift/' unit v7
mutate 'a clock set back keeps the clock sequence' src/core/gregorian.cpp \
  's/state->clock_seq \+ 1\)/state->clock_seq)/' unit gregorian
mutate 'version 1 never follows the clock' src/core/gregorian.cpp \
  's/set_back \? clock :/set_back || state->last_ticks == 0 ? clock : state->last_ticks + 1;\n  (void)/' unit gregorian
mutate 'version 6 never follows the clock' src/core/gregorian.cpp \
  's/std::max\(clock, \*last \+ 1\)/*last == 0 ? clock : *last + 1/' unit gregorian
mutate 'an error resets the node' src/core/gregorian.cpp \
  's/if \(!gregorian_ticks_from_clock\(now, &clock\)\) \{/$&\n    state->node = 0;/' unit gregorian
mutate 'the end of the range resets the node' src/core/gregorian.cpp \
  's/if \(ticks > kMaxGregorianTicks\) \{/$&\n    state->node = 0;/' unit gregorian
mutate 'version 6 uses the clock unchecked' src/core/gregorian.cpp \
  's/std::max\(clock, \*last \+ 1\)/clock/' unit gregorian
mutate 'uuid_v7_cluster() returns before its mark is durable' src/pg/cluster/cluster_clock.cpp \
  's/if \(should_raise\(cluster/if (false \&\& should_raise(cluster/' tap 020_crash
mutate 'a damaged mark file is accepted' src/pg/cluster/mark_file.cpp \
  's/ && copy\.crc == checksum\(copy\)//' tap 022_mark_file
mutate 'a mark confirmed by another standby is enough' src/pg/cluster/high_water_mark.cpp \
  's/cluster\.confirmed\.standbys\.load\(std::memory_order_acquire\) == standbys \&\&//' tap 047_standby_set
mutate 'a rejected mark is replaced while the clock is out of its range' src/pg/cluster/restart.cpp \
  's/if \(!clock_is_good\) \{/if (false) {/' tap 022_mark_file
mutate 'shared memory of other libraries is not requested' src/pg/cluster/cluster_memory.cpp \
  's/if \(previous_request_hook != nullptr\)/if (false)/' tap 036_statements
mutate 'shared memory of other libraries is not initialized' src/pg/cluster/cluster_memory.cpp \
  's/if \(previous_startup_hook != nullptr\)/if (false)/' tap 036_statements

say "== Fields"
mutate 'the version is not set' src/core/uuid.hpp \
  's/\(id\.hi & ~kVersionMask\) \| ver,/(id.hi \& ~kVersionMask),/' unit uuid
mutate 'the variant is not set' src/core/uuid.hpp 's/ \| kRfcVariant\};/};/' unit uuid
mutate 'the node may be a MAC address' src/core/gregorian.hpp \
  's/\(random & low_bits\(62\)\) \| kMulticastBit/random \& low_bits(62) \& ~kMulticastBit/' unit gregorian
mutate 'another bit than the multicast bit is set' src/core/gregorian.hpp 's/\} << 40;/} << 41;/' unit gregorian
mutate 'a fifth namespace' src/core/name_based.hpp \
  's/\{"x500"/{"x501", {0x6ba7b8139dad11d1, kNamespaceLo}},\n    $&/' unit uuid
mutate 'a version without a time has one' src/core/fields.cpp \
  's/return std::nullopt;(?=\n  \}\n\}\n\nstd::optional<UnixMicros> precise)/return 0;/' \
  unit fields
mutate 'version 6 to 1 loses a bit of the time' src/core/gregorian.hpp \
  's/\(hi >> 4 & ~low_bits\(12\)\)/(hi >> 4 \& ~low_bits(13))/' unit convert
mutate 'a text of more than 128 bits is accepted' src/core/positional.hpp \
  's/number > kMost \|\|[^{]*\{/false) {/' unit text_forms
mutate 'names are hashed in the server encoding' src/sql/name_based.cpp \
  's/pg_server_to_any\(chars, static_cast<int>\(size\), PG_UTF8\)/(chars)/' tap 006_names

say "== Times"
mutate 'a lower bound has microseconds' src/core/v7.cpp \
  's/\(millis\), 0, 0\)/(time \/ kMicrosPerMilli), rand_a_from_micros(time % kMicrosPerMilli), 0)/' unit v7
mutate 'a given time is rounded down' src/core/v7.hpp 's/<< 12\) \+ kMicrosPerMilli - 1\)/<< 12))/' unit v7
mutate 'a converted time is rounded down' src/core/convert.cpp \
  's/std::max\(\(ticks << 12\) \/ kGregorianTicksPerMilli,/std::min((ticks << 12) \/ kGregorianTicksPerMilli,/' \
  unit convert
mutate 'a converted time is rounded up' src/core/convert.cpp \
  's/std::max\(\K\(ticks << 12\)(?= \/ kGregorianTicksPerMilli,)/((ticks << 12) + kGregorianTicksPerMilli - 1)/' \
  unit convert
mutate 'a lower bound is rounded down' src/core/v7.cpp 's/\(time \+ kMicrosPerMilli - 1\)/time/' unit v7
mutate 'the last whole millisecond is out of range' src/core/v7.cpp 's/time > kLastWhole/time >= kLastWhole/' unit v7
mutate '1970-01-01 00:00:00 is out of range' src/core/timestamp.hpp \
  's/return time >= 0 &&/return time > 0 \&\&/' unit v7
mutate 'the end of a time range is always included' src/core/time_range.cpp \
  's/upper\.inclusive \? v7_max/true ? v7_max/' unit time_range
mutate 'the planner uses <= for <' src/pg/planner/range_clauses.cpp \
  's/BTLessStrategyNumber, v7_min/BTLessEqualStrategyNumber, v7_min/' sql time_operators time_ranges time_plans
mutate 'a version 4 key is in a time range' src/sql/time_ranges.cpp \
  's/ && is_v7\(get_uuid\(PG_GETARG_DATUM\(id\)\)\)//' sql time_contexts
mutate 'the planner drops the version condition' src/pg/planner/planner_support.cpp \
  's/lappend\(clauses, version\)/clauses == NIL ? list_make1(version) : clauses/' sql time_contexts
mutate 'an index condition does not recheck the version' src/pg/planner/planner_support.cpp \
  's/ \|\| !tests_version\(request, call\)//' sql time_plans
mutate 'a plan calls functions in any language' src/pg/planner/range_clauses.cpp \
  's/function->prolang == ClanguageId && //' sql time_plans
mutate 'a plan calls window functions' src/pg/planner/range_clauses.cpp \
  's/function->prokind == PROKIND_FUNCTION &&/true \&\&/' sql time_plans
mutate 'a plan calls functions that return sets' src/pg/planner/range_clauses.cpp \
  's/!function->proretset && //' sql time_plans
mutate 'a NULL range gives a result' src/sql/time_ranges.cpp \
  's/fcinfo->isnull = PG_ARGISNULL\(id\) \|\| v7;/fcinfo->isnull = PG_ARGISNULL(id);/' sql time_contexts

say "== Plans, by random queries"
mutate 'an exclusive lower bound is inclusive in a plan' src/pg/planner/range_clauses.cpp \
  's/BTGreaterStrategyNumber, v7_max/BTGreaterEqualStrategyNumber, v7_min/' planner pairs
mutate 'an index condition does not recheck a multirange' src/pg/planner/planner_support.cpp \
  's/call\.type == TSTZMULTIRANGEOID \|\| !tests/!tests/' planner pairs
mutate 'bounds of a multirange are not rechecked' src/pg/planner/range_clauses.cpp \
  's/clauses != NIL && call\.type == TSTZMULTIRANGEOID\)/false)/' planner pairs
mutate 'the last range of a multirange is lost' src/pg/planner/range_clauses.cpp \
  's/i < ranges->rangeCount; \+\+i/i + 1 < ranges->rangeCount || i == 0; ++i/' planner pairs
mutate 'a NULL id is outside an empty range' src/pg/planner/range_clauses.cpp \
  's/list_make2\(makeBoolConst\(false, true\), test\)/((void)test, list_make1(makeBoolConst(false, false)))/' \
  planner pairs
mutate 'a foreign server selects version 4' src/pg/planner/version_support.cpp \
  's/\(kV7 << kVariantBits\)/(4 << kVariantBits)/' \
  planner pairs

say "== Row estimates"
mutate 'keys of other versions are estimated to be in a time range' src/pg/planner/index_probe.cpp \
  's/key\.null \|\| !is_v7\(key\.id\)/key.null/' tap 042_index_probe
mutate 'a descending index is taken for an ascending one' src/pg/planner/key_index.cpp \
  's/ &&\s+!index->reverse_sort\[0\]//' tap 042_index_probe
# Perl expands it.
# shellcheck disable=SC2016
mutate 'common values are ignored in an estimate of the version' src/pg/planner/version_selectivity.cpp \
  's/STATISTIC_KIND_MCV.*\n.*ATTSTATSSLOT_NUMBERS\)\K\)/ \&\& false)/' tap 018_estimates
mutate 'new rows are expected after the present if keys are ahead of it' src/pg/planner/column_statistics.cpp \
  's/bin\.to == statistics\.now/false/' tap 018_estimates
mutate 'hidden rows are counted for an estimate' src/pg/planner/key_index.cpp \
  's/table->securityQuals == NIL &&/true \&\&/' tap 042_index_probe
mutate 'an estimate misses half of the pages between the bounds' src/core/tree_probe.hpp \
  's/\.rows\) \/ 2 \* width/.rows) \/ 5 * width/' unit tree_probe
mutate 'an estimate reads no more pages where they differ' src/core/tree_probe.hpp \
  's/kTolerance = 0\.4/kTolerance = 1e9/' unit tree_probe
mutate 'each test of the version counts in an estimate' src/pg/planner/version_selectivity.cpp \
  's/first_test\(conditions, request->funcid, id\) != request->args/false/' tap 049_estimate_factors

say "== Random bits"
mutate 'the output of a failing source is used' src/core/random_pool.cpp \
  's/if \(!source\(words_, words \* sizeof \*words_\)\)/source(words_, words * sizeof *words_);\n  if (false)/' \
  unit random_pool
mutate 'used words stay in memory' src/core/random_pool.hpp 's/    words_\[left_\] = 0;\n//' unit random_pool
mutate 'a value for a given time has one random bit' src/core/v7.cpp \
  's/kMicrosPerMilli\), random\)/kMicrosPerMilli), random == 0 ? 0 : ~std::uint64_t{0})/' unit v7
mutate 'version 1 takes its clock sequence from its node' src/sql/generate.cpp \
  's/v1_seed\(&state->v1, random\)/v1_seed(&state->v1, (random & low_bits(48)) | random << 48)/' tap 033_bits
mutate 'version 6 takes its clock sequence from its node' src/sql/generate.cpp \
  's/v6_last, now, random,/v6_last, now, (random & low_bits(48)) | random << 48,/' tap 033_bits
mutate 'every session starts with clock sequence 0' src/sql/generate.cpp \
  's/v1_seed\(&state->v1, random\)/v1_seed(&state->v1, random & low_bits(48))/' tap 033_bits
mutate 'both halves of version 4 are equal' src/sql/generate.cpp \
  's/v4_from_random\(hi, lo\)/v4_from_random(hi, hi)/' tap 033_bits
mutate 'version 7 has 40 random bits' src/sql/generate.cpp \
  's/v7_last, now, random,/v7_last, now, (random & low_bits(40)) | random << 40,/' tap 033_bits
mutate 'the pool outlives its transaction' src/pg/backend.cpp 's/the_backend_state->pool\.drop\(\);//' tap 012_entropy
mutate 'the pool outlives its transaction in memory' src/pg/backend.cpp \
  's/the_backend_state->pool\.drop\(\);//' tap 026_random_state
mutate 'a batch has no random bits of the kernel' src/pg/entropy.cpp \
  's/kernel_random\(key, sizeof key\) &&/(std::memset(key, 0, sizeof key), true) \&\&/' tap 012_entropy
mutate 'a forked process inherits the state' src/pg/backend.hpp 's/->owner != MyProcPid/->owner == 0/' tap 003_preload
mutate 'the pool is not wiped on fork' src/pg/backend.cpp 's/#ifdef MADV_WIPEONFORK/#ifdef NEVER/' tap 026_random_state
mutate 'core dumps include the pool' src/pg/backend.cpp 's/#ifdef MADV_DONTDUMP/#ifdef NEVER/' tap 026_random_state

say "== SQL"
mutate 'uuid_v7_min is STABLE' sql/uuidx--1.0.sql \
  's/FUNCTION uuid_v7_min\([^;]*?\KIMMUTABLE/STABLE/' sql bounds time_plans
mutate 'uuid_v7 is IMMUTABLE' sql/uuidx--1.0.sql 's/FUNCTION uuid_v7\(\)[^;]*?\KVOLATILE/IMMUTABLE/' sql generate
mutate 'uuid_extract_time is not STRICT' sql/uuidx--1.0.sql \
  's/FUNCTION uuid_extract_time\([^;]*?\K STRICT//' sql extract

finish
