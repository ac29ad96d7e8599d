#!/usr/bin/env bash
# Runs the tests on all supported platforms: test/platforms/matrix.sh [PART ...]
# Parts, by default all:
#   clang        the unit tests of the core, built with clang
#   aarch64, s390x
#                the same for a weakly ordered and a big-endian machine, emulated by qemu
#   here         all tests on this machine's PostgreSQL
#   15-arm64     unit and SQL tests and those of the server clock, in a chroot with PostgreSQL 15 for aarch64, as root
#   17, 18, 19   all tests in a chroot with that PostgreSQL, as root; see test/platforms/on-server.sh
# Warnings are errors. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

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

# Runs them for another machine, with a GoogleTest built for it. Arguments: machine, emulator of its programs.
core_for() {
  install_packages make googletest "g++-$1-linux-gnu" qemu-user
  local compiler=$1-linux-gnu-g++ folder=$scratch/$1 file
  as_server_user mkdir "$folder"
  for file in gtest-all gtest_main; do
    quietly as_server_user "$compiler" -std=c++20 -I"$googletest/include" -I"$googletest" \
      -c "$googletest/src/$file.cc" -o "$folder/$file.o"
  done
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest.a" "$folder/gtest-all.o"
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest_main.a" "$folder/gtest_main.o"
  # Static, as this machine may not have the other one's libraries.
  core "$compiler -static -I$googletest/include -L$folder" "$2"
}

# Runs a part in a chroot. Arguments: its name, command there.
on_server() {
  part "$1" counted "$scratch/$1.log" bash "$tree/test/platforms/on-server.sh" "$@"
}

# Runs a part by its name.
run_part() {
  case $1 in
    clang) install_packages make clang-14 libgtest-dev && part clang core clang++-14 ;;
    aarch64 | s390x) part "$1" core_for "$1" "qemu-$1" ;;
    here) part here counted "$scratch/here.log" bash "$tree/test/run.sh" --all ;;
    15-arm64) on_server 15-arm64 bash test/run.sh 019 020 021 022 ;;
    *) on_server "$1" bash test/run.sh --all ;;
  esac
}

parts=(clang aarch64 s390x here 15-arm64 17 18 19)
for name in "$@"; do
  [[ " ${parts[*]} " == *" $name "* ]] ||
    die "unknown part '$name'; usage: test/platforms/matrix.sh [PART ...], PART one of: ${parts[*]}"
done
if (($# > 0)); then parts=("$@"); fi

make_scratch
table=
for name in "${parts[@]}"; do run_part "$name"; done
say "== Summary"
printf '%s' "$table"
finish
