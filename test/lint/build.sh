#!/usr/bin/env bash
# Tests the makefile, the start of the scripts, their counts, and the release, in a copy of the tree that is built:
# test/lint/build.sh
# Run by test/run.sh. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# True if make has nothing to do. Argument: pg_config.
up_to_date() { make -q PG_CONFIG="$1"; }

# True if make would compile every source again. Argument: pg_config.
compiles_all() {
  [[ $(make -n PG_CONFIG="$1" | grep -c -- ' -c ') == $(make -n -B PG_CONFIG="$1" | grep -c -- ' -c ') ]]
}

# True if make stops at once with one line. Arguments: what it says, those of make.
stops_at_once() {
  local output
  if output=$(make "${@:2}" 2>&1); then return 1; fi
  [[ $output == *"$1"* && $output != *$'\n'* ]]
}

# True if make in another directory installs the same files. The compiler copies most objects of the tree. Arguments:
# those of make.
builds_elsewhere() {
  local here=$folder/elsewhere
  rm -rf "$here"
  mkdir "$here"
  make -s -C "$here" PG_CONFIG="$PG_CONFIG" CXX="$folder/cxx" "$@" install DESTDIR="$here/root" &&
    diff -r "$folder/root" "$here/root"
}

# True if every command has the options of the makefile and those of a user. Arguments: environment and make.
adds_options() {
  local commands
  commands=$(env "$@" PG_CONFIG="$PG_CONFIG" -n -B)
  ! grep -e ' -c ' <<<"$commands" | grep -v -e ' -std=c++20 .* -DONE .* -DUUIDX_VERSION=.* -DTWO ' &&
    grep -q -e ' -I[^ ]*src .* -I/two .* -c .*src/sql/' <<<"$commands" &&
    grep -q -e ' -shared .* -L/three .* -lcrypto' <<<"$commands"
}

# True if commands have what PGXS adds on macOS: -bundle_loader also beside a user's SHLIB_LINK, -isysroot also for the
# core.
keeps_options_of_macos() {
  local commands
  commands=$(make -n -B PG_CONFIG="$PG_CONFIG" BE_DLLLIBS='-bundle_loader /postgres' CPPFLAGS='-isysroot /sdk' \
    SHLIB_LINK=-L/three)
  ! grep -e ' -c ' <<<"$commands" | grep -v -e ' -isysroot */sdk ' &&
    grep -q -e ' -shared .* -L/three -bundle_loader /postgres .* -lcrypto' <<<"$commands"
}

# True if the compiler stops with a message. Arguments: message, options, header.
compiler_says() {
  ! "${CXX:-g++}" -std=c++20 -fsyntax-only "${@:2:$#-2}" -x c++ "${!#}" 2>"$folder/errors" &&
    grep -q "error: .*$1" "$folder/errors"
}

# True if make compiles one file, and links, after a change of the version.
compiles_version_again() {
  touch META.json
  [[ $(make -s V=1 -n PG_CONFIG="$PG_CONFIG" | grep -oE ' -c -o [^ ]+|-o uuidx\.so' | xargs) == \
    '-c -o src/pg/module.o -o uuidx.so' ]]
}

# True if a compiler that is told to check the C++ library's preconditions, as Fedora's is, does not make the library
# need the C++ runtime.
needs_no_runtime() (
  local objects=(src/core/fields.o src/pg/planner/nodes.o)
  mkdir "$folder/hardened"
  cd "$folder/hardened" || return
  make -s -f "$folder/tree/Makefile" PG_CONFIG="$PG_CONFIG" PG_CXXFLAGS=-Wp,-D_GLIBCXX_ASSERTIONS \
    CPPFLAGS=-Wp,-D_GLIBCXX_ASSERTIONS "${objects[@]}" &&
    ! nm -u "${objects[@]}" | grep ' _ZS'
)

# True if a target needs no server.
needs_no_server() { make -n PG_CONFIG=/nonexistent "$1"; }

# True if a script started by another shell restarts in bash, with its arguments, before anything else. Arguments:
# shell, script.
restarts_in_bash() {
  [[ $(PATH=$folder/path "$1" "$2" one 'two three') == "bash: $2,one,two three" ]]
}

# True if all scripts restart so. Argument: shell.
all_restart_in_bash() {
  local script scripts
  mapfile -t scripts < <(grep -rlI --exclude-dir=.git '^#!/usr/bin/env bash' .)
  ((${#scripts[@]} > 0)) || return
  for script in "${scripts[@]}"; do
    restarts_in_bash "$1" "$script" || { say "$script does not" && return 1; }
  done
}

# True if test/shell counts the results of TAP, GoogleTest and PostgreSQL 15's pg_regress, and nothing else. Arguments:
# lines; passed, failed and skipped tests.
counts_results() {
  diff <(result_lines <(printf '%s\n' "$1")) - <<<"$2"
}

# True if the failed tests of a log have these names. Arguments: lines, names.
names_failures() { diff <(failed_tests sql <(printf '%s\n' "$1")) - <<<"$2"; }

# True if the tree may not be released as a tag, for this reason alone. Arguments: tag, start of the reason.
is_refused() {
  local problems
  ! problems=$(bash packaging/release.sh check "$1") && ! grep -v "^$2" <<<"$problems"
}

# True if the notes of a release are the first section of the changelog, with whole items in a line.
notes_are_right() {
  diff <(printf '%s\n' 'A release.' '' '- one item' '- another') <(bash packaging/release.sh notes)
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -a "$tree/." "$folder/tree"
cd "$folder/tree"

# Of a make that may have started this script.
unset MAKEFLAGS MAKELEVEL V
check "built files are up to date" up_to_date "$PG_CONFIG"
check "another version: only the file that has it is compiled" compiles_version_again
cat >"$folder/cxx" <<EOF
#!$BASH
while [[ \$1 != -o ]]; do all+=("\$1") && shift; done
if [[ \$2 == *.o && \$2 != src/[cs]*/convert.o ]]; then exec cp "$folder/tree/\$2" "\$2"; fi
exec ${CXX:-g++} "\${all[@]}" "\$@"
EOF
chmod +x "$folder/cxx"
make -s PG_CONFIG="$PG_CONFIG" install DESTDIR="$folder/root"
check "make -f builds in another directory" builds_elsewhere -f ../tree/Makefile
check "and with VPATH, as pg_buildext calls it" builds_elsewhere -f "$PWD/Makefile" VPATH="$PWD" USE_PGXS=1
check "options on the command line are added" adds_options make PG_CXXFLAGS=-DONE PG_CPPFLAGS='-DTWO -I/two' \
  SHLIB_LINK=-L/three
check "options in the environment are added" adds_options PG_CXXFLAGS=-DONE PG_CPPFLAGS='-DTWO -I/two' \
  SHLIB_LINK=-L/three make
check "macOS's options are kept" keeps_options_of_macos
check "installcheck gives the database its encoding and locale" eval \
  "make -n PG_CONFIG='$PG_CONFIG' installcheck | grep -e ' --encoding=UTF8 --no-locale ' >/dev/null"
make -s -t PG_CONFIG="$PG_CONFIG"
printf '#!/bin/sh\n"%s" "$@" | sed "s/^PostgreSQL /&9/"\n' "$PG_CONFIG" >"$folder/other_config"
chmod +x "$folder/other_config"
check "another server: everything is compiled" compiles_all "$folder/other_config"
make -s PG_CONFIG="$folder/other_config" .server
check "this server again: everything is compiled" compiles_all "$PG_CONFIG"
check "make clean removes .server" eval "make -s PG_CONFIG='$PG_CONFIG' clean && [[ ! -e .server ]]"
for target in all install installcheck clean; do
  check "make $target reports a missing server" \
    stops_at_once 'no server headers found by PG_CONFIG=/nonexistent' PG_CONFIG=/nonexistent "$target"
done
printf '#!/bin/sh\n"%s" "$@" | sed "s#^/.*/server\$#/nonexistent#"\n' "$PG_CONFIG" >"$folder/client_config"
chmod +x "$folder/client_config"
check "and missing headers beside pgxs.mk" \
  stops_at_once 'no server headers found by' PG_CONFIG="$folder/client_config"
mkdir "$folder/empty" .server
cp Makefile "$folder/empty"
check "no sources are an error" stops_at_once 'no sources in ./src' -s -C "$folder/empty" PG_CONFIG="$PG_CONFIG"
check "a directory that cannot be written: says how to build in another one" eval \
  "[[ \$(make PG_CONFIG='$PG_CONFIG' 2>&1) == *'build in another directory: make -f $PWD/Makefile'* ]]"
mkdir "$folder/with space"
cp -r Makefile META.json src "$folder/with space"
check "and so is a path with a space" \
  stops_at_once 'make allows no spaces' -s -C "$folder/empty" -f '../with space/Makefile' PG_CONFIG="$PG_CONFIG"
check "a 32-bit machine is refused" compiler_says 'uuidx needs a 64-bit machine' -U__SIZEOF_INT128__ src/core/uuid.hpp
check "a lack of OpenSSL's headers is reported" \
  compiler_says 'uuidx needs the headers of OpenSSL 3' -nostdinc -Isrc src/pg/libcrypto.hpp
mkdir "$folder/openssl"
echo '#define OPENSSL_VERSION_NUMBER 0x1010117fL' >"$folder/openssl/evp.h"
check "and an OpenSSL before 3" compiler_says 'uuidx needs OpenSSL 3' -nostdinc "-I$folder" src/pg/libcrypto.hpp
check "a hardened build needs no C++ runtime" needs_no_runtime
for target in unit dist; do check "make $target needs no server" needs_no_server "$target"; done

mkdir "$folder/path"
# shellcheck disable=SC2016  # expanded by the shell that is started
printf '#!%s\nIFS=,\necho "bash: $*"\n' "$BASH" >"$folder/path/bash"
chmod +x "$folder/path/bash"
ln -s "$BASH" "$folder/sh"
check "scripts started by sh restart in bash" all_restart_in_bash /bin/sh
check "also if sh is bash" all_restart_in_bash "$folder/sh"

check "TAP is counted" counts_results $'1..4\nok 1 - a\nok\nnot ok 3 - b\nok 4 # SKIP c\n# ok\nokay\n' '2 1 1'
check "GoogleTest is counted" counts_results \
  $'[ RUN      ] A.b\n[       OK ] A.b (0 ms)\n'\
$'[  FAILED  ] A.c (1 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.c' \
  '1 1 0'
check "pg_regress is counted" counts_results \
  $'test a      ... ok          12 ms\n'\
$'test b     ... FAILED      3 ms\nok 3         - c      12 ms\nnot ok 4     - d  1 ms' \
  '2 2 0'
check "failed TAP tests are named" names_failures \
  $'# test/t/041_a.pl\nok 1 - x\nnot ok 13 - search\n# test/t/042_b.pl\nok 1 - y\n'\
$'test/t/041_a.pl (Wstat: 256 Tests: 13 Failed: 1)\ntest/t/042_b.pl (Wstat: 9 Tests: 1)' \
  $'041_a.pl 13, search\n042_b.pl ended early'
check "failed SQL tests are named" names_failures \
  $'test a ... ok 1 ms\ntest b ... FAILED 3 ms\nnot ok 4     - d  1 ms' \
  $'sql: b\nsql: 4, d  1 ms'

version=$(sed -n 's/^   "version": "\(.*\)",$/\1/p' META.json)
sql=$(sed -n "s/^default_version = '\(.*\)'/\1/p" uuidx.control)
bash packaging/release.sh address https://example.org/uuidx uuidx@example.org
printf '%s\n' '# Changelog' '' "## ${version%.0} (2026-01-01)" '' 'A release.' '' '- one' '  item' '- another' '' \
  '## 0.9' '- old' >CHANGELOG.md
sed -i '1s/ UNRELEASED;/ unstable;/' debian/changelog
check "a placeholder for an address is not released" is_refused "v$version" 'placeholder in '
bash packaging/release.sh address https://uuidx.test/uuidx/ uuidx@uuidx.test
check "the addresses are set everywhere" prints_nothing bash packaging/release.sh check "v$version"
check "the notes are those of the version" notes_are_right
check "the bill of materials has the version" eval \
  "bash packaging/release.sh sbom | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"packages\"][0])' |
    grep \"'$version'\""
check "the files that META.json names exist" eval \
  "sed -n 's/.*\"\(doc\)\{0,1\}file\": \"\(.*\)\".*/\2/p' META.json | xargs ls"
check "the tag of another version is refused" is_refused v0.1 'META.json has version '
while read -r file pattern; do
  cp "$file" "$folder/file"
  sed -i "$pattern" "$file"
  check "a release with another version or no date is refused: $file, $pattern" is_refused "v$version" "$file "
  cp "$folder/file" "$file"
done <<END
uuidx_compat.control s/$sql/9.9/
META.json /"file"/s/$sql/9.9/
META.json s/^         "version": "$version/&.9/
CHANGELOG.md s/^## [^ ]*/&.9/
CHANGELOG.md s/^\(## [^ ]*\) (2.*/\1 (unreleased)/
README.md s/^| | uuidx [^ ]*/&.9/
debian/changelog 1s/$version/&.9/
debian/changelog 1s/ unstable;/ UNRELEASED;/
packaging/uuidx.spec s/^Version: .*$version/&.9/
packaging/uuidx.spec s/- $version-1/- 0.1-1/
sql/portable/uuidx.sql s/RETURN '$version'/RETURN '$version.9'/
packaging/Dockerfile s/^ARG VERSION=$version/&.9/
packaging/Dockerfile s/^ARG SQL_VERSION=$sql/&.9/
packaging/metadata.hcl s/"$version-1"/"0.1-1"/
packaging/metadata.hcl s/"$sql"/"9.9"/
doc/install.md s/uuidx:$version/&.9/
END
finish
