#!/usr/bin/env bash
# Prepares a release: packaging/release.sh COMMAND
#   address URL MAIL   replaces the addresses of the repository and of the maintainer in every file that has them
#   check TAG          lists what keeps the tree from being released as TAG, and fails if there is anything
#   notes              prints what CHANGELOG.md says about the newest version
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../test/shell/lib.sh"
cd "$tree"

# The files with addresses. META.json has the ones to replace.
files=(META.json README.md debian/changelog debian/control debian/control.in packaging/pgxman.yaml packaging/uuidx.spec)

# Prints the first value of a key in META.json.
meta() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" META.json | head -n 1; }

# Replaces a text in the files. Arguments: old, new.
replace() { sed -i "s|${1//./\\.}|$2|g" "${files[@]}"; }

# Prints what keeps the tree from being released. Argument: tag.
problems() {
  local version
  version=$(meta version)
  [[ $1 == "v$version" ]] || echo "META.json has version $version, so the tag is v$version, not '$1'"
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

case ${1-}:$# in
  address:3)
    replace "$(meta homepage)" "${2%/}"
    replace "$(meta mailto)" "$3"
    ;;
  check:2)
    found=$(problems "$2")
    [[ -z $found ]] || { printf '%s\n' "$found" && exit 1; }
    ;;
  notes:1) notes ;;
  *) die "usage: packaging/release.sh address URL MAIL | check TAG | notes" ;;
esac
