#!/usr/bin/env bash
# Builds the Debian packages and the archive for PGXN, installs from each, tests what was installed and
# removes it: test/package/run.sh [VERSION ...], as root
# Each VERSION, 15, 17 and 18 unless given, has a chroot of test/servers/on-server.sh, in which the tools for packages
# stay installed and uuidx does not. The last line counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# Runs one check and says how it went; its output only if it failed. Set -e has no effect on what runs here.
check() {
  local name=$1 log=$scratch/check.log
  if "${@:2}" >"$log" 2>&1; then
    say "ok - $name"
    passed=$((passed + 1))
  else
    say "not ok - $name"
    tail -n 80 "$log"
    failed=$((failed + 1))
  fi
}

# Runs a command and gets what it says, which must be nothing.
says_nothing() {
  local output
  if output=$("$@" 2>&1) && [[ -z $output ]]; then return; fi
  printf 'it failed or said: %s\n' "$output"
  return 1
}

# Prints the version that CREATE EXTENSION makes.
sql_version() {
  sed -n "s/^default_version = '\(.*\)'$/\1/p" uuidx.control
}

# Prints where the version in a file is not that of META.json. The control file may leave out a last 0.
versions_that_differ() {
  local control packaged changelog
  control=$(sql_version)
  packaged=$(dpkg-parsechangelog -S Version)
  changelog=$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)
  [[ $control == "$version" || $control.0 == "$version" ]] || echo "uuidx.control has '$control'"
  [[ ${packaged%-*} == "$version" ]] || echo "debian/changelog has '$packaged'"
  [[ $changelog == "$control" ]] || echo "CHANGELOG.md begins with '$changelog'"
  [[ $(meta 'provides"]["uuidx"]["version') == "$version" ]] || echo "META.json provides another version"
  [[ $(meta 'provides"]["uuidx"]["file') == "sql/uuidx--$control.sql" ]] || echo "META.json names another script"
}

# Prints a value of META.json. Argument: its key.
meta() {
  python3 -c "import json; print(json.load(open('META.json'))[\"$1\"])"
}

# Whether debian/control is what debian/control.in gives for all versions of debian/pgversions.
control_is_generated() {
  PG_UPDATECONTROL=no PG_SUPPORTED_VERSIONS=$(xargs <debian/pgversions) pg_buildext checkcontrol
}

# Runs git on the repository that holds the tree for this test.
git_there() {
  as_server_user env HOME="$scratch" GIT_AUTHOR_DATE='2026-03-01T12:00:00Z' GIT_COMMITTER_DATE='2026-03-01T12:00:00Z' \
    git -C "$scratch/src" -c user.name=uuidx -c user.email=uuidx@example.org "$@"
}

# Commits the tree as it is, so that there is something to make an archive of.
commit_tree() {
  git_there init -q && git_there add -A && git_there commit -q -m "Tree"
}

# Makes the archive twice, the second time in a clone, with other settings of the user.
archive_is_reproducible() {
  make_there dist &&
    as_server_user git clone -q "$scratch/src" "$scratch/clone" &&
    as_server_user git -C "$scratch/clone" config core.autocrlf true &&
    (umask 077 && as_server_user env TZ=XXX-9 make -s -C "$scratch/clone" dist) &&
    cmp "$scratch/src/$archive" "$scratch/clone/$archive"
}

# Whether the archive has every file of the tree in one folder, but for what only git and CI read.
archive_is_complete() {
  diff <(git_there ls-files | grep -vE '^\.(ci|github)/|(^|/)\.git(ignore|attributes)$' |
    sed "s#^#uuidx-$version/#" | sort) \
    <(unzip -Z1 "$scratch/src/$archive" | grep -v '/$' | sort)
}

# Builds the packages from the archive, as somebody would who has nothing else.
build_packages() {
  as_server_user mkdir "$scratch/build" &&
    as_server_user unzip -q -d "$scratch/build" "$scratch/src/$archive" &&
    cd "$scratch/build/uuidx-$version" && as_server_user dpkg-buildpackage -us -uc -b
}

# Whether there is a package for each server whose headers are installed, and no other but debug symbols.
packages_are_those_of_the_servers() {
  local server
  diff <(for server in $(PG_SUPPORTED_VERSIONS=installed /usr/share/postgresql-common/supported-versions); do
    echo "postgresql-$server-uuidx"
  done) <(sed -n 's/^Package: //p' debian/control) && [[ -f $(deb) ]]
}

# Prints the path of the package that was built for this server.
deb() {
  printf '%s\n' "$scratch/build/$package"_*.deb
}

# Whether lintian has no error and no warning. That an upload to Debian should close a request for packaging is
# no fault here.
lintian_is_quiet() {
  says_nothing as_server_user lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    "$scratch"/build/*.changes
}

# Prints the files of an installation of the extension.
installed_files() {
  find "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --sharedir)/extension" -name 'uuidx*' | sort
}

# Whether every file that `make install` would install came with the package, which needs nothing else.
package_has_what_make_installs() {
  local file wanted
  wanted=$(printf '%s\n' "$("$PG_CONFIG" --pkglibdir)/uuidx.so" "$("$PG_CONFIG" --sharedir)/extension/uuidx.control"
    for file in sql/uuidx--*.sql; do echo "$("$PG_CONFIG" --sharedir)/extension/${file##*/}"; done)
  diff <(sort <<<"$wanted") <(installed_files) &&
    diff <(sort <<<"$wanted") <(dpkg -L "$package" | grep '/uuidx[^/]*$' | sort) &&
    says_nothing dpkg --verify "$package" && [[ -d /usr/share/doc/$package/doc ]]
}

# Runs apt-get without a question.
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends "$@"
}

# Runs the tests of debian/tests here, against the package.
autopkgtests() {
  autopkgtest --no-built-binaries "$(deb)" "$scratch/build/uuidx-$version" -- null
}

# Runs pgxn's client on the archive. Arguments: command, its options.
pgxn_there() {
  env MAKEFLAGS="-j$(nproc)" pgxn "$1" "${@:2}" "$scratch/src/$archive"
}

# Whether the extension of the archive is in the database and works.
extension_works() {
  local query="SELECT extversion, uuid_extract_version(uuid_v7()) FROM pg_extension WHERE extname = 'uuidx'"
  [[ $("$bindir/psql" -XAtc "$query") == "$(sql_version)|7" ]]
}

# Removes the package where it is installed, and what make install may have left, which a package would silently
# take over.
remove_all() {
  if dpkg-query -W "$package" >/dev/null 2>&1; then apt purge "$package"; fi
  installed_files | xargs -r rm
}

# Leaves nothing behind, however the end comes.
leave() {
  remove_all >/dev/null 2>&1 || true
  clean_up
}

# All checks for the server of this chroot.
test_here() {
  local server
  need_postgresql autopkgtest build-essential debhelper git libgtest-dev libssl-dev lintian pgxnclient \
    postgresql-server-dev-all python3 unzip
  make_scratch
  server=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
  package=postgresql-$server-uuidx
  trap leave EXIT
  quietly remove_all
  # Without the tests of the core, which take the most time and are those of test/run.sh.
  DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)"
  export DEB_BUILD_OPTIONS
  cd "$scratch/src"
  version=$(meta version)
  archive=uuidx-$version.zip

  check "META.json keeps to PGXN's specification" says_nothing python3 test/package/meta.py META.json
  check "versions agree" says_nothing versions_that_differ
  check "debian/control comes from debian/control.in" control_is_generated

  check "the tree is committed" commit_tree
  check "make dist makes the same archive again" archive_is_reproducible
  check "the archive has the tree's files" archive_is_complete

  check "packages are built from the archive" build_packages
  cd "$scratch/build/uuidx-$version"
  check "there is a package for each server" packages_are_those_of_the_servers
  check "lintian is quiet" lintian_is_quiet
  check "$package is installed" apt install "$(deb)"
  check "it has what make installs" package_has_what_make_installs
  check "its tests pass where it is installed" autopkgtests
  check "it is installed again over itself" apt install --reinstall "$(deb)"
  check "it is removed" apt purge "$package"
  check "and leaves nothing" says_nothing installed_files

  start_server
  check "pgxn installs from the archive" pgxn_there install --nosudo --yes --pg_config "$PG_CONFIG"
  check "pgxn loads it" pgxn_there load --yes
  check "it works" extension_works
  check "pgxn's check runs its tests" pgxn_there check --pg_config "$PG_CONFIG"
  check "pgxn unloads it" pgxn_there unload --yes
  check "pgxn uninstalls it" pgxn_there uninstall --nosudo --yes --pg_config "$PG_CONFIG"
  check "and leaves nothing" says_nothing installed_files
}

# Runs this script in the chroot of a version, and adds what its last line counts.
test_in_chroot() {
  local log=$1 status=0
  say "== PostgreSQL $2"
  bash "$tree/test/servers/on-server.sh" "$2" bash test/package/run.sh --here 2>&1 | tee "$log" || status=$?
  if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    if ((status == 0 || BASH_REMATCH[2] > 0)); then return; fi
  fi
  # One that broke off has not passed.
  failed=$((failed + 1))
}

((EUID == 0)) || die "needs root, for the chroots: sudo test/package/run.sh $*"
if [[ ${1-} == --here ]]; then
  test_here
else
  (($# > 0)) || set -- 15 17 18
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  for number in "$@"; do test_in_chroot "$log" "$number"; done
fi
say "$passed passed, $failed failed"
((failed == 0))
