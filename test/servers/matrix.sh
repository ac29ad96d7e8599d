#!/usr/bin/env bash
# Runs the tests everywhere the extension has to work: test/servers/matrix.sh [PART ...]
# Parts, all of them unless some are named:
#   gcc, clang   the tests of the core, by the compilers of this machine
#   i386, s390x  the same for a machine of 32 bits and for one whose numbers begin with the high octet, which qemu
#                imitates
#   here         every test, on the PostgreSQL of this machine
#   15-i386, 17, 18, 19
#                every test in a chroot with that PostgreSQL, as root; see test/servers/on-server.sh
# Warnings are errors. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

googletest=/usr/src/googletest/googletest

# Runs a command that counts in its last line, and adds a row to the table. Arguments: part, command.
part() {
  local log=$scratch/log status=0 began=$SECONDS good=0 bad=0
  say "== $1"
  "${@:2}" 2>&1 | tee "$log" || status=$?
  if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    good=${BASH_REMATCH[1]}
    bad=${BASH_REMATCH[2]}
  fi
  # One that broke off has not passed, nor has one that tested nothing.
  if ((bad == 0 && (status != 0 || good == 0))); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  table+=$(printf '%-8s %5d passed %3d failed %5d s' "$1" "$good" "$bad" $((SECONDS - began)))$'\n'
}

# Runs the tests of the core. Arguments: compiler with options, what runs its programs if anything.
core() {
  local log=$scratch/core.log status=0 good bad
  local make=(as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit")
  "${make[@]}" clean
  "${make[@]}" check WERROR=-Werror CXX="$1" RUN="${2-}" >"$log" 2>&1 || status=$?
  good=$(grep -cE '^\[ +OK' "$log") || true
  bad=$(grep -cE '^\[ +FAILED .*\(' "$log") || true
  if ((status != 0 && bad == 0)); then bad=1; fi
  if ((bad > 0)); then tail -n 60 "$log"; fi
  say "$good passed, $bad failed"
}

# The same for another machine, with a GoogleTest of its own. Arguments: machine, what runs its programs if anything.
core_for() {
  local compiler=$1-linux-gnu-g++ folder=$scratch/$1 file
  as_server_user mkdir "$folder"
  for file in gtest-all gtest_main; do
    quietly as_server_user "$compiler" -std=c++20 -I"$googletest/include" -I"$googletest" \
      -c "$googletest/src/$file.cc" -o "$folder/$file.o"
  done
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest.a" "$folder/gtest-all.o"
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest_main.a" "$folder/gtest_main.o"
  # Static, as this machine may have no libraries of the other.
  core "$compiler -static -I$googletest/include -L$folder" "${2-}"
}

# Runs a part by its name.
run_part() {
  case $1 in
    gcc) part gcc core g++ ;;
    clang) part clang core clang++-14 ;;
    # Processors of 64 bits run programs of 32.
    i386) part i386 core_for i686 ;;
    s390x) part s390x core_for s390x qemu-s390x ;;
    here) part here bash "$tree/test/run.sh" ;;
    *) part "$1" bash "$tree/test/servers/on-server.sh" "$1" ;;
  esac
}

parts=(gcc clang i386 s390x here 15-i386 17 18 19)
for name in "$@"; do
  [[ " ${parts[*]} " == *" $name "* ]] ||
    die "unknown part '$name'; usage: test/servers/matrix.sh [PART ...], PART one of: ${parts[*]}"
done
if (($# > 0)); then parts=("$@"); fi

install_packages make g++ clang-14 libgtest-dev googletest g++-i686-linux-gnu g++-s390x-linux-gnu qemu-user
make_scratch
table=
for name in "${parts[@]}"; do run_part "$name"; done
say "== Summary"
printf '%s' "$table"
say "$passed passed, $failed failed"
((failed == 0))
