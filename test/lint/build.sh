#!/usr/bin/env bash
# Tests the makefile, the start of the scripts, their counts, and the release, in a copy of the tree that is built:
# test/lint/build.sh, which test/run.sh runs
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
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

# True if make compiles one file, and links, after a change of the version.
compiles_version_again() {
  touch META.json
  [[ $(make -s V=1 -n PG_CONFIG="$PG_CONFIG" | grep -oE ' -c -o [^ ]+|-o uuidx\.so' | xargs) == \
    '-c -o src/module.o -o uuidx.so' ]]
}

# True if a compiler that is told to check the C++ library's preconditions, as Fedora's is, does not make the library
# need the C++ runtime.
needs_no_runtime() (
  local objects=(src/core/fields.o src/sql/extract.o)
  mkdir "$folder/hardened"
  cd "$folder/hardened" || return
  make -s -f "$folder/tree/Makefile" PG_CONFIG="$PG_CONFIG" PG_CXXFLAGS=-Wp,-D_GLIBCXX_ASSERTIONS \
    CPPFLAGS=-Wp,-D_GLIBCXX_ASSERTIONS "${objects[@]}" &&
    ! nm -u "${objects[@]}" | grep ' _ZS'
)

# Prints the scripts that do not begin by starting themselves again in bash.
without_restart() {
  # shellcheck disable=SC2016  # not expanded
  grep -rlI --exclude-dir=.git '^#!/usr/bin/env bash' . |
    xargs grep -LxF '[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh'
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
# A cache would show what was compiled in another folder.
export CCACHE_DISABLE=1
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
check "another directory can be built in with VPATH, as by pg_buildext" builds_elsewhere \
  -f "$PWD/Makefile" VPATH="$PWD" USE_PGXS=1
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
make -s PG_CONFIG="$PG_CONFIG" clean
for target in all install installcheck clean; do
  check "make $target reports a missing server" \
    stops_at_once 'no server headers found by PG_CONFIG=/nonexistent' PG_CONFIG=/nonexistent "$target"
done
printf '#!/bin/sh\n"%s" "$@" | sed "s#^/.*/server\$#/nonexistent#"\n' "$PG_CONFIG" >"$folder/client_config"
chmod +x "$folder/client_config"
check "and missing headers beside pgxs.mk" \
  stops_at_once 'no server headers found by' PG_CONFIG="$folder/client_config"
check "a hardened build needs no C++ runtime" needs_no_runtime
for target in unit dist; do check "make $target needs no server" make -n PG_CONFIG=/nonexistent "$target"; done
check "scripts started by sh restart in bash" prints_nothing without_restart

check "results of TAP, GoogleTest and pg_regress are counted" counts_results \
  $'1..4\nok 1 - a\nok\nnot ok 3 - b\nok 4 # SKIP c\n# ok\nokay\n[ RUN      ] A.b\n[       OK ] A.b (0 ms)\n'\
$'[  FAILED  ] A.c (1 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.c\n'\
$'test a      ... ok          12 ms\ntest b     ... FAILED      3 ms' '4 3 1'
check "failed tests are named" names_failures \
  $'# test/t/041_a.pl\nok 1 - x\nnot ok 13 - search\n# test/t/042_b.pl\nok 1 - y\ntest b ... FAILED 3 ms\n'\
$'test/t/041_a.pl (Wstat: 256 Tests: 13 Failed: 1)\ntest/t/042_b.pl (Wstat: 9 Tests: 1)' \
  $'041_a.pl 13, search\nsql: b\n042_b.pl ended early'

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
