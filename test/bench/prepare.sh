# shellcheck shell=bash
# What the benchmarks do first. To be sourced by bash.
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# Modules would leave their compiled form in the tree.
export PYTHONDONTWRITEBYTECODE=1

# Installs the given packages and what the build needs, and builds and installs the extension.
prepare() {
  need_postgresql g++ make libssl-dev "$@"
  make_scratch
  make_there -j"$(nproc)" all
  install_extension
}

# Builds the given C files of this folder in the scratch folder.
build_modules() {
  local module
  for module in "$@"; do
    as_server_user gcc -O2 -fPIC -shared -I"$("$PG_CONFIG" --includedir-server)" \
      "$scratch/src/test/bench/$module.c" -o "$scratch/$module.so"
  done
}

# Says whether the server has a library.
has_library() { [[ -e $("$PG_CONFIG" --pkglibdir)/$1.so ]]; }
