#!/usr/bin/env bash
# Installs a PostgreSQL from apt.postgresql.org, with its headers, for the workflows: test/platforms/pgdg.sh VERSION
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

install_packages ca-certificates postgresql-common
# With -c, as versions before their release are in components of their own.
as_root /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y -c "$1"
install_packages "postgresql-$1" "postgresql-server-dev-$1"
