#!/usr/bin/env bash
# Runs the tests on all supported platforms: test/servers/matrix.sh [PART ...]
# Parts, by default all:
#   gcc, clang   the unit tests of the core, built with this machine's compilers
#   s390x        the same for a big-endian machine, emulated by qemu
#   here         all tests on this machine's PostgreSQL
#   17, 18, 19   all tests in a chroot with that PostgreSQL, as root; see test/servers/on-server.sh
# Warnings are errors. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

googletest=/usr/src/googletest/googletest

# Runs a command that adds to the counts, and adds a row to the table. Arguments: part, command.
part() {
  local passed_before=$passed failed_before=$failed began=$SECONDS
  say "== $1"
  "${@:2}"
  table+=$(printf '%-8s %5d passed %3d failed %5d s' "$1" $((passed - passed_before)) $((failed - failed_before)) \
    $((SECONDS - began)))$'\n'
}

# Runs the unit tests of the core. Arguments: compiler with options, emulator of its programs if any.
core() {
  local make=(as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit")
  "${make[@]}" clean
  step core "${make[@]}" check WERROR=-Werror CXX="$1" RUN="${2-}"
}

# The same for another machine, with a GoogleTest built for it. Arguments: machine, emulator of its programs if any.
core_for() {
  local compiler=$1-linux-gnu-g++ folder=$scratch/$1 file
  as_server_user mkdir "$folder"
  for file in gtest-all gtest_main; do
    quietly as_server_user "$compiler" -std=c++20 -I"$googletest/include" -I"$googletest" \
      -c "$googletest/src/$file.cc" -o "$folder/$file.o"
  done
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest.a" "$folder/gtest-all.o"
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest_main.a" "$folder/gtest_main.o"
  # Static, as this machine may not have the other one's libraries.
  core "$compiler -static -I$googletest/include -L$folder" "${2-}"
}

# Runs a part by its name.
run_part() {
  case $1 in
    gcc) part gcc core g++ ;;
    clang) part clang core clang++-14 ;;
    s390x) part s390x core_for s390x qemu-s390x ;;
    here) part here counted "$scratch/here.log" bash "$tree/test/run.sh" ;;
    *) part "$1" counted "$scratch/$1.log" bash "$tree/test/servers/on-server.sh" "$1" ;;
  esac
}

parts=(gcc clang s390x here 17 18 19)
for name in "$@"; do
  [[ " ${parts[*]} " == *" $name "* ]] ||
    die "unknown part '$name'; usage: test/servers/matrix.sh [PART ...], PART one of: ${parts[*]}"
done
if (($# > 0)); then parts=("$@"); fi

install_packages make g++ clang-14 libgtest-dev googletest g++-s390x-linux-gnu qemu-user
make_scratch
table=
for name in "${parts[@]}"; do run_part "$name"; done
say "== Summary"
printf '%s' "$table"
finish
