#!/usr/bin/env bash
# Builds both images of packaging/Dockerfile and runs them: test/platforms/container.sh [VERSION [SUITE]], as root
# VERSION of PostgreSQL is 15, 17 or 18, the default. buildah does it, without a daemon or registry, from a Debian with
# PostgreSQL, which has the paths and the user of the official image, or from the official image of any version, if
# UUIDX_BASE names its archive (docker save) and SUITE its Debian. Not run: its entry point, docker, Kubernetes. If
# UUIDX_PACKAGES names a folder, the archives of the images are left there.
# Layers are kept in UUIDX_CHROOTS (/var/tmp/uuidx-chroots), in its folder images; to renew them, remove that.
# UUIDX_MIRROR names a Debian mirror, for a machine whose apt sources have none.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
source "$tree/test/shell/chroot.sh"

declare -A suites=([15]=bookworm [17]=trixie [18]=forky)
images=${UUIDX_CHROOTS:-/var/tmp/uuidx-chroots}/images

# Runs buildah with storage of its own.
b() { buildah --root "$images" --runroot "$scratch/run" "$@"; }

# Makes the image that stands for the official one.
make_base() {
  local container
  if [[ -n ${UUIDX_BASE-} ]]; then
    b tag "$(b pull -q "docker-archive:$UUIDX_BASE")" "$base"
    return
  fi
  bootstrap "$suite" "$scratch/debian" "$(mirror_of "$suite")" || return
  container=$(b from scratch) && b add -q "$container" "$scratch/debian" / || return
  rm -r "$scratch/debian"
  b run --isolation chroot --env DEBIAN_FRONTEND=noninteractive ${http_proxy+--env http_proxy="$http_proxy"} \
    "$container" -- sh -ec "
      mkdir -p /etc/postgresql-common/createcluster.d
      echo create_main_cluster = false >/etc/postgresql-common/createcluster.d/uuidx.conf
      apt-get update
      apt-get install -y --no-install-recommends postgresql-$version
      apt-get clean" &&
    b commit -q --rm "$container" "$base"
}

# Builds a target of the Dockerfile. Arguments: image, options.
build() {
  b build --isolation chroot --pull-never --layers -f "$scratch/src/packaging/Dockerfile" -t "$1" \
    --build-arg PG_MAJOR="$version" --build-arg DISTRO="$suite" "${@:2}" "$scratch/src"
}

# Prints the folder with the files of an image.
files_of() { b mount "$(b from --pull-never "$1")"; }

# Prints the differences between the files of the extension image and those that it should have.
wrong_files() {
  diff <(printf '%s\n' lib/uuidx.so lib/plugins/uuidx.so licenses/uuidx/LICENSE \
    "${scripts[@]/#/share/extension/}" | sort) <(cd "$extension" && find . ! -type d | sed 's#^\./##' | sort)
}

# Prints the differences between the files that the server image adds to its base and those that it should.
wrong_additions() {
  local lib=/usr/lib/postgresql/$version/lib share=/usr/share/postgresql/$version/extension
  diff <(printf '%s\n' "$lib/uuidx.so" "$lib/plugins/uuidx.so" "${scripts[@]/#/$share/}" | sort) \
    <(comm -13 <(find "$(files_of "$base")" ! -type d -printf '/%P\n' | sort) \
      <(find "$(files_of uuidx:server)" ! -type d -printf '/%P\n' | sort))
}

# Prints the labels that the extension image lacks.
wrong_labels() {
  local label labels sql
  sql=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$tree/uuidx.control")
  # shellcheck disable=SC2016  # a template of Go
  labels=$(b inspect --format '{{range $k, $v := .OCIv1.Config.Labels}}{{$k}}={{$v}}{{"\n"}}{{end}}' uuidx:extension)
  for label in "org.opencontainers.image.version=$package" \
    "org.opencontainers.image.title=uuidx $package $version $suite" \
    "io.cloudnativepg.image.sql.version=$sql" "io.cloudnativepg.image.base.pgmajor=$version" \
    "io.cloudnativepg.image.base.os=$suite"; do
    grep -qxF "$label" <<<"$labels" || echo "no label $label"
  done
}

# Runs a server with the settings on stdin in an image, and in it the statements of the Dockerfile's first comment.
# Arguments: image, options of buildah run.
use() {
  b run --isolation chroot --user postgres "${@:2}" "$(b from --pull-never "$1")" -- bash -euc "
    PATH=/usr/lib/postgresql/$version/bin:\$PATH
    export PGHOST=\$(mktemp -d) LC_ALL=C.UTF-8
    initdb -D \$PGHOST/data -A trust --no-sync >/dev/null
    cat >>\$PGHOST/data/postgresql.conf
    pg_ctl -D \$PGHOST/data -l \$PGHOST/log -o \"-k \$PGHOST -c listen_addresses=\" -w start >/dev/null ||
      cat \$PGHOST/log
    psql -XAtq -v ON_ERROR_STOP=1 -c \"
      $statements
      SELECT persistence, uuid_extract_version(uuid_v7_server())
      FROM uuid_generator_state() WHERE scope = 'server'\"
    pg_ctl -D \$PGHOST/data -m fast -w stop >/dev/null"
}

# True if a server works. Arguments: those of use.
works() { diff <(printf '%s\n' 1000 'file and WAL|7') <(use "$@" 2>&1); }

# Writes an image to the folder of packages. Arguments: image, its name there.
save() {
  local file
  file=$UUIDX_PACKAGES/$2-$package-$version-$suite-$(dpkg --print-architecture).tar
  mkdir -p "$UUIDX_PACKAGES"
  rm -f "$file"
  b push -q "$1" "docker-archive:$file:$2:$package-$version-$suite" && gzip -f "$file"
}

version=${1-18}
suite=${2-${suites[$version]-}}
[[ -n $suite ]] || die "unknown PostgreSQL version '$version'; usage: test/platforms/container.sh [VERSION [SUITE]]"
isolate "$@"
install_packages buildah debootstrap debian-archive-keyring gpgv wget
mkdir -p "$images" "$scratch/src"
# Two runs at once would use each other's images.
exec 9>"$images.lock"
flock 9
copy_tree "$scratch/src"
base=localhost/postgres:$version-$suite
package=$(sed -n 's/^   "version": "\(.*\)",$/\1/p' "$tree/META.json")
statements=$(sed -n "/<<'SQL'/,/^#   SQL/{ /SQL'*$/!s/^# *//p }" "$tree/packaging/Dockerfile")
scripts=("$tree"/*.control "$tree"/sql/uuidx*--*.sql)
scripts=("${scripts[@]##*/}")
# Containers of an interrupted run.
b rm --all >/dev/null

if [[ -n ${UUIDX_BASE-} ]] || ! b inspect --type image "$base" >/dev/null 2>&1; then
  check "there is a Debian with PostgreSQL $version" make_base
fi
check "the server image is built" build uuidx:server
check "the server image adds only the extension" prints_nothing wrong_additions
check "the server of the image works, preloaded" works uuidx:server <<<"shared_preload_libraries = 'uuidx'"
if ((version >= 18)); then
  check "the extension image is built" build uuidx:extension --target extension
  extension=$(files_of uuidx:extension)
  check "the extension image has the extension and its license" prints_nothing wrong_files
  check "the labels of the extension image have the versions" prints_nothing wrong_labels
  # As CloudNativePG does it.
  check "a server with the extension image mounted works, preloaded" \
    works "$base" --volume "$extension:/extensions/uuidx:ro" <<'END'
shared_preload_libraries = 'uuidx'
extension_control_path = '$system:/extensions/uuidx/share'
dynamic_library_path = '$libdir:/extensions/uuidx/lib'
END
else
  skip "the extension image" "PostgreSQL before 18 has no extension_control_path"
fi
if [[ -n ${UUIDX_PACKAGES-} ]]; then
  check "the server image is saved" save uuidx:server postgres-uuidx
  ((version < 18)) || check "the extension image is saved" save uuidx:extension uuidx
fi
b rm --all >/dev/null
# Results have been shown; the folder is removed.
keep_scratch=
finish
