#!/usr/bin/env bash
# Checks the pages, which may name only what exists, and the folders that sources include: test/lint/check_docs.sh
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
cd "$tree"

rfc=test/rfc9562.md
proof="\`(unit:[A-Za-z0-9]+\.[A-Za-z0-9]+|(sql|tap):[a-z0-9_]+)\`"

# Prints the proofs that name no test.
proofs_without_test() {
  local unit_tests proofs reference name
  unit_tests=$(cat test/unit/*_test.cpp | tr -s '\n ' ' ')
  proofs=$(grep -oE "$proof" "$rfc" | tr -d '`' | sort -u) || echo "no proof in $rfc"
  for reference in $proofs; do
    name=${reference#*:}
    case $reference in
      unit:*) [[ $unit_tests == *"TEST(${name/./, })"* ]] ;;
      sql:*) [[ -f sql/$name.sql ]] ;;
      tap:*) [[ -f test/t/$name.pl ]] ;;
    esac || printf '%s\n' "$reference"
  done
}

# Prints the rows of tables that lack a proof, or a column.
rows_without_proof() {
  local rows
  rows=$(grep '^|' "$rfc" | grep -vE '^\| § \||^\|[-|]+$') || echo "no row in $rfc"
  grep -vE "^(\|[^|]+){4}\| ($proof(, $proof)*|n/a: [^|\`]+) \|$" <<<"$rows" || true
}

# Prints the pages, one a line.
pages() { printf '%s\n' ./*.md doc/*.md test/README.md test/bench/README.md; }

# Prints a page without its blocks of code.
prose() { sed "/^\`\`\`/,/^\`\`\`/d" "$1"; }

# Prints the names by which a page's headings are linked to, in the way of GitHub.
anchors() {
  prose "$1" | sed -nE 's/^#+ +//p' | sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' |
    tr '[:upper:]' '[:lower:]' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}

# Prints the links within the project that lead nowhere.
broken_links() {
  local page link file
  local -A headings=()
  for page in $(pages) "$rfc"; do
    while IFS= read -r link; do
      [[ $link != *://* ]] || continue
      file=${link%%#*}
      file=$(dirname "$page")/${file:-$(basename "$page")}
      if [[ ! -e $file ]]; then
        printf '%s in %s\n' "$link" "$page"
        continue
      fi
      [[ $link == *'#'* ]] || continue
      : "${headings[$file]=$(anchors "$file")}"
      if ! grep -qxF -- "${link#*'#'}" <<<"${headings[$file]}"; then
        printf '%s in %s has no such heading\n' "$link" "$page"
      fi
    done < <(prose "$page" | grep -oE '\]\([^) ]+\)' | sed -E 's/^..(.*).$/\1/')
  done
}

# Prints the pages that README.md does not link to.
pages_without_link() {
  local page
  for page in $(pages); do
    [[ $page == ./README.md ]] || grep -qF "](${page#./})" README.md || printf '%s\n' "$page"
  done
}

# Prints the files of the project that a page names and that are not there.
files_not_there() {
  local page name
  for page in $(pages); do
    for name in $(grep -oE "\`(src|sql|expected|test|doc|\.ci)/[A-Za-z0-9_./-]*\`" "$page" | tr -d '`'); do
      # An archive has no .ci.
      [[ -e $name || ($name == .ci/* && ! -d .ci) ]] || printf '%s in %s\n' "$name" "$page"
    done
  done
}

# Prints the lines of prose with more than 120 columns, except rows of tables, comments, and lines of one link.
long_lines() {
  local page
  for page in $(pages); do
    prose "$page" | LC_ALL=C.UTF-8 grep -E '^.{121,}' | grep -vE '^(\||!\[|<!--)' | sed "s|^|$page: |" || true
  done
}

# Prints the sentences and cells that are too long.
long_sentences() { pages | xargs python3 -B test/lint/prose.py; }

# Prints the includes that lead to a higher folder, and those of the server outside of a list of its headers. The
# compiler refuses those of the core by itself, which is compiled without the path.
upward_includes() {
  grep -nE '^#include "(core|pg|planner|server|sql)/' src/core/*.?pp || true
  grep -rnE --include='*.?pp' '^#include "(planner|server|sql)/' src/pg || true
  grep -rnE --include='*.?pp' '^#include "(server|sql)/' src/planner || true
  grep -rnE --include='*.?pp' '^#include "(planner|sql)/' src/server || true
  find src -name '*.?pp' -exec awk 'FNR == 1 || /end_headers\.hpp"$/ { listed = 0 }
    /^#include "pg\/begin_headers\.hpp"$/ { listed = 1 }
    /^#include ".*\.h"/ && !listed { print FILENAME ":" FNR ":" $0 }' {} +
}

check "every proof in $rfc names a test" prints_nothing proofs_without_test
check "every row in $rfc has a proof" prints_nothing rows_without_proof
check "every link leads somewhere" prints_nothing broken_links
check "README.md links to every page" prints_nothing pages_without_link
check "every file that a page names is there" prints_nothing files_not_there
check "no page has a sentence over 35 words or a cell over 200 characters" prints_nothing long_sentences
check "lines of pages have at most 120 columns" prints_nothing long_lines
check "no source file includes one of a higher folder" prints_nothing upward_includes
finish
