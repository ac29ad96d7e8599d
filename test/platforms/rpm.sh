#!/usr/bin/env bash
# Builds an RPM from the PGXN archive, installs it and runs the SQL tests: test/platforms/rpm.sh VERSION ARCHIVE FOLDER
# VERSION is of PostgreSQL, from the PostgreSQL project's repository. ARCHIVE is a folder that has the archive. FOLDER
# gets the RPM. As root, in a container of Red Hat Enterprise Linux 9 or a clone, in which packages are installed. The
# last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Installs packages, some of them from the repositories of PostgreSQL and of Red Hat's builders.
install_all() {
  dnf install -y -q dnf-plugins-core epel-release \
    "https://download.postgresql.org/pub/repos/yum/reporpms/EL-9-$(uname -m)/pgdg-redhat-repo-latest.noarch.rpm" &&
    dnf config-manager --set-enabled crb &&
    dnf module disable -y -q postgresql &&
    dnf install -y -q gcc-c++ gtest-devel make openssl-devel rpm-build tar unzip util-linux \
      "postgresql$version-devel" "postgresql$version-server" "postgresql$version-contrib"
}

# Builds the RPM, with its unit tests, as a user who is not root.
build() {
  as_server_user rpmbuild -bb -D "_topdir $scratch/rpm" -D "_sourcedir $archive" -D "pgmajorversion $version" \
    "$scratch/src/packaging/uuidx.spec"
}

# Prints the path of the RPM, without those of debug symbols.
rpm_file() { compgen -G "$scratch/rpm/RPMS/*/uuidx_$version-[0-9]*.rpm"; }

(($# == 3)) || die "usage: test/platforms/rpm.sh VERSION ARCHIVE FOLDER"
((EUID == 0)) || die "needs root, in a container of Red Hat Enterprise Linux 9 or a clone"
version=$1
archive=$(readlink -f "$2")
mkdir -p "$3"
packages=$(readlink -f "$3")
PG_CONFIG=/usr/pgsql-$version/bin/pg_config
quietly install_all
need_postgresql make
make_scratch
check "the RPM is built" build
check "the RPM is installed" dnf install -y "$(rpm_file)"
start_server
sql_tests
if ((failed == 0)); then cp "$(rpm_file)" "$packages"; fi
finish
