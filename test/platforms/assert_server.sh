# shellcheck shell=bash
# Builds a PostgreSQL with assertions, and its own regression tests. To be sourced after lib.sh.

# Downloads a source package's archives to the current folder. Debian's sources may list binary packages only, and
# versions that the mirror lacks: uses source lists of its own, and the newest version that there is.
download_source() {
  local file version
  mkdir -p apt/lists/partial apt/sources.d apt/cache/archives/partial
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [[ ! -f $file ]] || sed -E 's/^(Types:).*/\1 deb-src/; s/^deb /deb-src /' "$file" >"apt/sources.d/${file##*/}"
  done
  local options=(-q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/apt/sources.d"
    -o Dir::State::lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root)
  # Not all repositories have sources.
  apt-get "${options[@]}" update || true
  for version in $(apt-cache "${options[@]}" showsrc "$1" | sed -n 's/^Version: //p' | sort -ruV); do
    if apt-get "${options[@]}" source --download-only "$1=$version"; then return; fi
  done
  die "no source package $1"
}

# Builds PostgreSQL for a folder, and moves it there only when complete. Arguments: folder, version.
build_assert_server() {
  local root=$1 version=$2 work
  local checks='-DCOPY_PARSE_PLAN_TREES -DWRITE_READ_PARSE_PLAN_TREES -DRAW_EXPRESSION_COVERAGE_TEST'
  checks+=' -DRANDOMIZE_ALLOCATED_MEMORY -DUSE_VALGRIND'
  work=$(mktemp -d "$root.XXXXXX")
  # shellcheck disable=SC2064  # expanded here, as the name is gone by then
  trap "rm -rf '$work'" EXIT
  cd "$work" || return
  download_source "postgresql-$version"
  tar -xf ./*.orig.tar.*
  cd postgresql-*/ || return
  ./configure -q --prefix="$root" --enable-cassert --enable-debug --enable-tap-tests --with-openssl \
    --without-readline --without-zlib --without-icu CFLAGS='-g -O1' CPPFLAGS="$checks"
  nice make -s -j"$(nproc)" install DESTDIR="$work/installed"
  nice make -s -j"$(nproc)" -C contrib install DESTDIR="$work/installed"
  nice make -s -C src/test/regress all
  cp -a src/test/regress "$work/installed$root/regress"
  chmod -R a+rX "$work/installed$root"
  rm -rf "$root"
  mv "$work/installed$root" "$root"
}

# Sets PG_CONFIG to a PostgreSQL with assertions, of the same version, and builds it if there is none. Beside its bin is
# a folder regress, with its regression tests.
use_assert_server() {
  local version root
  version=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
  root=${UUIDX_CACHE:-/var/tmp/uuidx-servers}/pg$version-assert
  mkdir -p "${root%/*}"
  # Two runs at once would build it twice.
  exec 9>"$root.lock"
  flock 9
  if [[ ! -d $root/regress ]]; then
    say "building PostgreSQL $version in $root, log in $root.log"
    # In the background, where set -e has an effect.
    build_assert_server "$root" "$version" >"$root.log" 2>&1 &
    wait $! || { tail -n 20 "$root.log" >&2 && die "building it failed: see above and $root.log"; }
    say "built in $SECONDS seconds"
  fi
  exec 9>&-
  PG_CONFIG=$root/bin/pg_config
  need_postgresql
}
