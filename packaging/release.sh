#!/usr/bin/env bash
# Prepares a release: packaging/release.sh COMMAND
#   address URL MAIL        replaces the addresses of the repository and of the maintainer in every file that has them
#   check TAG               lists what keeps the tree from being released as TAG, and fails if there is anything
#   notes                   prints what CHANGELOG.md says about the newest version
#   sbom                    prints what the library consists of and needs, as SPDX
#   images REGISTRY FOLDER  pushes the images whose archives are in FOLDER, those of all machines under one name, and
#                           prints the digest and name of each
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../test/shell/lib.sh"
cd "$tree"

# The files with addresses. META.json has the ones to replace.
files=(META.json README.md debian/changelog debian/control debian/control.in debian/copyright debian/upstream/metadata
  debian/watch doc/install.md packaging/uuidx.spec)

# Prints the first value of a key in META.json.
meta() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" META.json | head -n 1; }

# Replaces a text in the files. Arguments: old, new. Not by sed -i, which macOS has in another form.
replace() {
  local file
  for file in "${files[@]}"; do
    sed "s|${1//./\\.}|$2|g" "$file" >"$file.new" && cat "$file.new" >"$file" && rm "$file.new"
  done
}

# Prints the owner of a repository, in small letters as in GitHub's registry of images. Argument: URL.
owner() {
  local folder=${1%/*}
  folder=${folder##*/}
  echo "${folder,,}"
}

# Complains if a file does not have a version, and only that, in the places that a script of sed prints. Arguments:
# version, file, script.
has_version() {
  local found
  found=$(sed -nE "$3" "$2" | sort -u | xargs)
  [[ $found == "$1" ]] || echo "$2 has version '$found', not $1"
}

# Prints the files whose version is not that of META.json, or that of the SQL if they have it. People omit a last 0.
versions_that_differ() {
  local version sql
  version=$(meta version)
  sql=$(sed -n "s/^default_version = '\(.*\)'/\1/p" uuidx.control)
  [[ $version == "$sql".* ]] || echo "uuidx.control has version '$sql', which does not begin $version"
  has_version "$sql" uuidx_compat.control "s/^default_version = '(.*)'/\1/p"
  has_version "$version" META.json 's/^ {9}"version": "(.*)"$/\1/p'
  has_version "$sql" META.json 's/^ +"file": ".*--(.*)\.sql",$/\1/p'
  has_version "${version%.0}" CHANGELOG.md '/^## /{s/^## ([^ ]+).*/\1/p;q}'
  has_version "${version%.0}" README.md 's/^\| \| uuidx ([^ ]+) .*/\1/p'
  has_version "$version" debian/changelog '1s/.*\((.*)-.*\).*/\1/p'
  has_version "$version" packaging/uuidx.spec 's/^Version: +//p; /^\* /{s/.* - (.*)-.*/\1/p;q}'
  has_version "$version" sql/portable/uuidx.sql "s/^ +RETURN '([0-9]+(\.[0-9]+)+)';/\1/p"
  has_version "$version" packaging/Dockerfile 's/^ARG VERSION=//p'
  has_version "$sql" packaging/Dockerfile 's/^ARG SQL_VERSION=//p'
  has_version "$version" packaging/metadata.hcl 's/^ +package = "(.*)-.*"$/\1/p'
  has_version "$sql" packaging/metadata.hcl 's/^ +sql +=  *"(.*)"$/\1/p'
  has_version "$version" doc/install.md 's/.*uuidx:([0-9]+(\.[0-9]+)+)-.*/\1/p'
}

# Prints what keeps the tree from being released. Argument: tag.
problems() {
  local version
  version=$(meta version)
  [[ $1 == "v$version" ]] || echo "META.json has version $version, so the tag is v$version, not '$1'"
  versions_that_differ
  grep -m 1 '^## ' CHANGELOG.md | grep -qE ' \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$' ||
    echo "CHANGELOG.md has no date of release"
  ! head -n 1 debian/changelog | grep -q UNRELEASED || echo "debian/changelog is UNRELEASED"
  grep -nE 'example\.(org|com|net)' "${files[@]}" | sed 's/^/placeholder in /' || true
}

# Prints the first section of CHANGELOG.md without its heading, an item a line, as line breaks are kept in notes.
notes() {
  awk '/^## / { sections++; next }
    sections != 1 || /^$/ && !text { next }
    /^$/ { blank++; next }
    /^  / { sub(/^ +/, " "); text = text $0; next }
    { text = text (text ? "\n" : "") (blank ? "\n" : "") $0; blank = 0 }
    END { print text }' CHANGELOG.md
}

# Prints the software bill of materials. There is no code of others, and libcrypto is the server's.
sbom() {
  local version
  version=$(meta version)
  cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "uuidx-$version",
  "documentNamespace": "$(meta homepage)/releases/tag/v$version",
  "creationInfo": {"created": "$(date -u +%FT%TZ)", "creators": ["Organization: $(meta maintainer)"]},
  "packages": [
    {"SPDXID": "SPDXRef-uuidx", "name": "uuidx", "versionInfo": "$version", "downloadLocation": "$(meta homepage)",
     "licenseDeclared": "PostgreSQL"},
    {"SPDXID": "SPDXRef-libcrypto", "name": "OpenSSL libcrypto", "versionInfo": "3", "downloadLocation": "NOASSERTION"}
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-uuidx"},
    {"spdxElementId": "SPDXRef-uuidx", "relationshipType": "DYNAMIC_LINK", "relatedSpdxElement": "SPDXRef-libcrypto"}
  ]
}
END
}

# Pushes a manifest and prints its digest. With -q, buildah 1.28 succeeds even if it could not. Arguments: manifest,
# name.
push() {
  buildah manifest push -q --all --digestfile "$scratch/digest" "$1" "docker://$2" >/dev/null
  sed -n 's/^sha256://p' "$scratch/digest" | grep . || die "could not push $2"
}

# Pushes the images. An archive is named after its image, tag and machine, as uuidx-1.0.0-18-trixie-amd64.tar.gz. An
# image of a server gets a second tag, the version of PostgreSQL. Arguments: registry, folder.
images() {
  local name image tag file names digest
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  names=$(cd "$2" && printf '%s\n' *uuidx-*.tar.gz | sed 's/-[^-]*$//' | sort -u)
  for name in $names; do
    image=${name%%-"$(meta version)"-*} tag=${name#*uuidx-}
    buildah manifest create "$name" >/dev/null
    for file in "$2/$name"-*.tar.gz; do
      # Not compressed, which buildah 1.28 cannot read.
      gzip -dc "$file" >"$scratch/image.tar"
      buildah manifest add "$name" "$(buildah pull -q "docker-archive:$scratch/image.tar")" >/dev/null
    done
    digest=$(push "$name" "$1/$image:$tag")
    printf '%s  %s\n' "$digest" "$1/$image:$tag"
    tag=${tag#*-}
    [[ $image != postgres-uuidx ]] || push "$name" "$1/$image:${tag%-*}" >/dev/null
  done
}

case ${1-}:$# in
  address:3)
    replace "ghcr.io/$(owner "$(meta homepage)")/" "ghcr.io/$(owner "${2%/}")/"
    replace "$(meta homepage)" "${2%/}"
    replace "$(meta mailto)" "$3"
    ;;
  check:2)
    found=$(problems "$2")
    [[ -z $found ]] || { printf '%s\n' "$found" && exit 1; }
    ;;
  images:3) images "$2" "$(cd "$OLDPWD" && readlink -f "$3")" ;;
  notes:1 | sbom:1) "$1" ;;
  *) die "usage: packaging/release.sh address URL MAIL | check TAG | notes | sbom | images REGISTRY FOLDER" ;;
esac
