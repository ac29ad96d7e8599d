#!/usr/bin/env bash
# Runs the unit tests of the core for a weakly ordered and a big-endian machine, emulated by qemu, with warnings as
# errors: test/platforms/emulated.sh [MACHINE ...]; a MACHINE is aarch64 or s390x, by default both
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

googletest=/usr/src/googletest/googletest

# Runs the tests for a machine, with a GoogleTest built for it. Argument: machine.
run_for() {
  install_packages make googletest "g++-$1-linux-gnu" qemu-user
  local compiler=$1-linux-gnu-g++ folder=$scratch/$1 file
  local make=(as_server_user make -s -j"$(nproc)" -C "$scratch/src/test/unit")
  as_server_user mkdir "$folder"
  for file in gtest-all gtest_main; do
    quietly as_server_user "$compiler" -std=c++20 -I"$googletest/include" -I"$googletest" \
      -c "$googletest/src/$file.cc" -o "$folder/$file.o"
  done
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest.a" "$folder/gtest-all.o"
  quietly as_server_user "$1-linux-gnu-ar" rcs "$folder/libgtest_main.a" "$folder/gtest_main.o"
  "${make[@]}" clean
  # Static, as this machine may not have the other one's libraries.
  step "$1" "${make[@]}" check WERROR=-Werror CXX="$compiler -static -I$googletest/include -L$folder" RUN="qemu-$1"
}

make_scratch
if (($# == 0)); then set -- aarch64 s390x; fi
for machine in "$@"; do run_for "$machine"; done
finish
