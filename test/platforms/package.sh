#!/usr/bin/env bash
# Builds the Debian packages and the PGXN archive, installs from each, runs the tests and removes it; builds an RPM:
# test/platforms/package.sh [VERSION ...], as root
# Runs in a chroot of test/platforms/on-server.sh for each VERSION, by default 15, 17 and 18, where the packaging tools
# stay installed and uuidx does not. With --here instead of versions, runs on this machine, for the server of PG_CONFIG,
# and then leaves the Debian package in UUIDX_PACKAGES, if set. PG_SUPPORTED_VERSIONS limits it to some servers.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# True if debian/control is generated from debian/control.in for all versions of debian/pgversions.
control_is_generated() {
  PG_UPDATECONTROL=no PG_SUPPORTED_VERSIONS=$(xargs <debian/pgversions) pg_buildext checkcontrol
}

# Runs git in the copy of the tree.
git_there() {
  as_server_user env HOME="$scratch" GIT_AUTHOR_DATE='2026-03-01T12:00:00Z' GIT_COMMITTER_DATE='2026-03-01T12:00:00Z' \
    git -C "$scratch/src" -c user.name=uuidx -c user.email=uuidx@example.org "$@"
}

# Commits the copy of the tree, for the archive.
commit_tree() {
  git_there init -q && git_there add -A && git_there commit -q -m "Tree"
}

# Builds the archive twice, the second time in a clone with other user settings.
archive_is_reproducible() {
  make_there dist &&
    as_server_user git clone -q "$scratch/src" "$scratch/clone" &&
    as_server_user git -C "$scratch/clone" config core.autocrlf true &&
    (umask 077 && as_server_user env TZ=XXX-9 make -s -C "$scratch/clone" dist) &&
    cmp "$scratch/src/$archive" "$scratch/clone/$archive"
}

# True if the archive has every file of the tree in one folder, except those of git and CI.
archive_is_complete() {
  diff <(git_there ls-files | grep -vE '^\.(ci|github)/|(^|/)\.git(ignore|attributes)$' |
    sed "s#^#uuidx-$version/#" | sort) \
    <(unzip -Z1 "$scratch/src/$archive" | grep -v '/$' | sort)
}

# Builds the packages from the archive alone.
build_packages() {
  as_server_user mkdir "$scratch/build" &&
    as_server_user unzip -q -d "$scratch/build" "$scratch/src/$archive" &&
    cd "$scratch/build/uuidx-$version" && as_server_user dpkg-buildpackage -us -uc -b
}

# True if there is a package for each server whose headers are installed, or for the given ones, and no other except
# debug symbols.
packages_are_those_of_the_servers() {
  local server
  local -x PG_SUPPORTED_VERSIONS=${PG_SUPPORTED_VERSIONS-installed}
  diff <(for server in $(/usr/share/postgresql-common/supported-versions); do
    echo "postgresql-$server-uuidx"
  done) <(sed -n 's/^Package: //p' debian/control) && [[ -f $(deb) ]]
}

# Prints the path of the package that was built for this server.
deb() {
  printf '%s\n' "$scratch/build/$package"_*.deb
}

# True if lintian reports nothing, except that the first upload closes no request for packaging.
lintian_is_quiet() {
  prints_nothing as_server_user lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    "$scratch"/build/*.changes
}

# Prints the extension's installed files.
installed_files() {
  find "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --sharedir)/extension" -name 'uuidx*' | sort
}

# True if the package has exactly the files that `make install` installs, and the documentation.
package_has_what_make_installs() {
  local file wanted
  wanted=$(printf '%s\n' "$("$PG_CONFIG" --pkglibdir)"/{,plugins/}uuidx.so
    for file in uuidx*.control sql/uuidx*--*.sql; do echo "$("$PG_CONFIG" --sharedir)/extension/${file##*/}"; done)
  diff <(sort <<<"$wanted") <(installed_files) &&
    diff <(sort <<<"$wanted") <(dpkg -L "$package" | grep '/uuidx[^/]*$' | sort) &&
    prints_nothing dpkg --verify "$package" && [[ -d /usr/share/doc/$package/doc ]]
}

# True if the package can be installed beside any minor release of the server.
package_fits_every_minor_release() { dpkg-deb -f "$(deb)" Depends | grep -E "(^|, )postgresql-$server(,|$)"; }

# Builds an RPM from the archive, without checking dependencies, which rpm does not know here, or running unit tests.
build_rpm() {
  as_server_user rpmbuild -bb --nodeps --without check -D "_topdir $scratch/rpm" -D "_sourcedir $scratch/src" \
    -D "pgmajorversion $server" -D "pginstdir ${bindir%/bin}" packaging/uuidx.spec
}

# True if the RPM has the same library, control file and scripts as the installed Debian package.
rpm_has_what_the_package_has() {
  diff <(dpkg -L "$package" | grep '/uuidx[^/]*$' | sort) \
    <(rpm -qlp "$scratch"/rpm/RPMS/*/"uuidx_$server"-[0-9]*.rpm | grep '/uuidx[^/]*$' |
      grep -vE '^/usr/share/(doc|licenses)/' | sort)
}

# Runs apt-get without questions.
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends "$@"
}

# Runs debian/tests here on the installed package.
autopkgtests() {
  autopkgtest --no-built-binaries "$(deb)" "$scratch/build/uuidx-$version" -- null
}

# Runs pgxn's client on the archive. Arguments: command, its options.
pgxn_there() {
  env MAKEFLAGS="-j$(nproc)" pgxn "$1" "${@:2}" "$scratch/src/$archive"
}

# True if the extension is in the database and generates a value.
extension_works() {
  local query="SELECT extversion, uuid_extract_version(uuid_v7()) FROM pg_extension WHERE extname = 'uuidx'"
  [[ $("$bindir/psql" -XAtc "$query") == "$(sed -n "s/^default_version = '\(.*\)'$/\1/p" uuidx.control)|7" ]]
}

# Removes the package, and files of `make install`, which a package would silently overwrite.
remove_all() {
  if dpkg-query -W "$package" >/dev/null 2>&1; then apt purge "$package"; fi
  installed_files | xargs -r rm
}

# Cleans up at any end.
leave() {
  remove_all >/dev/null 2>&1 || true
  clean_up
}

# Runs all checks for this chroot's server.
test_here() {
  local server
  need_postgresql architecture-properties autopkgtest build-essential debhelper elfutils git libgtest-dev libssl-dev \
    lintian pgxnclient postgresql-server-dev-all python3 rpm unzip
  make_scratch
  server=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
  package=postgresql-$server-uuidx
  trap leave EXIT
  quietly remove_all
  # Without the unit tests, which take longest and belong to test/run.sh.
  DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)"
  export DEB_BUILD_OPTIONS
  cd "$scratch/src"
  version=$(sed -n 's/^   "version": "\(.*\)",$/\1/p' META.json)
  archive=uuidx-$version.zip

  check "debian/control is generated" control_is_generated

  check "the tree is committed" commit_tree
  check "the archive is reproducible" archive_is_reproducible
  check "the archive is complete" archive_is_complete

  check "packages are built from the archive" build_packages
  cd "$scratch/build/uuidx-$version"
  check "there is a package for each server" packages_are_those_of_the_servers
  check "lintian is quiet" lintian_is_quiet
  check "$package is installed" apt install "$(deb)"
  check "the package fits every minor release" package_fits_every_minor_release
  check "the package has the files of make install" package_has_what_make_installs
  # Compressed ones could not include each other.
  check "its scripts are files" test "$(cd doc && find . -name '*.sql' | sort)" = \
    "$(cd "/usr/share/doc/$package/doc" && find . -name '*.sql' | sort)"
  check "an RPM is built from the archive" build_rpm
  check "the RPM has the files of the package" rpm_has_what_the_package_has
  check "the tests of the package pass" autopkgtests
  check "the package can be reinstalled" apt install --reinstall "$(deb)"
  check "the package is removed" apt purge "$package"
  check "the removed package leaves no files" prints_nothing installed_files

  start_server
  check "pgxn installs from the archive" pgxn_there install --nosudo --yes --pg_config "$PG_CONFIG"
  check "pgxn loads the extension" pgxn_there load --yes
  check "the extension that pgxn loaded works" extension_works
  check "pgxn's check runs its tests" pgxn_there check --pg_config "$PG_CONFIG"
  check "pgxn unloads the extension" pgxn_there unload --yes
  check "pgxn uninstalls the extension" pgxn_there uninstall --nosudo --yes --pg_config "$PG_CONFIG"
  check "pgxn leaves no files" prints_nothing installed_files
  if [[ -n ${UUIDX_PACKAGES-} ]]; then mkdir -p "$UUIDX_PACKAGES" && cp "$(deb)" "$UUIDX_PACKAGES"; fi
}

((EUID == 0)) || die "needs root, for the chroots: sudo test/platforms/package.sh $*"
if [[ ${1-} == --here ]]; then
  test_here
else
  (($# > 0)) || set -- 15 17 18
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  for number in "$@"; do
    say "== PostgreSQL $number"
    counted "$log" bash "$tree/test/platforms/on-server.sh" "$number" bash test/platforms/package.sh --here
  done
fi
finish
