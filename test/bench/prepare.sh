# shellcheck shell=bash
# Shared by the benchmarks. To be sourced by bash.
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# Shared modules; they leave no compiled form in the tree.
export PYTHONPATH=$tree/test/lib:$tree/test/bench PYTHONDONTWRITEBYTECODE=1

# Installs the given packages and build dependencies, and builds and installs the extension.
prepare() {
  need_postgresql g++ make libssl-dev "$@"
  make_scratch
  make_there -j"$(nproc)" all
  install_extension
}

# Builds the given C files of test/bench in the scratch folder.
build_modules() {
  local module
  for module in "$@"; do
    as_server_user gcc -O2 -fPIC -shared -I"$("$PG_CONFIG" --includedir-server)" \
      "$scratch/src/test/bench/$module.c" -o "$scratch/$module.so"
  done
}

# True if the server has a library.
has_library() { [[ -e $("$PG_CONFIG" --pkglibdir)/$1.so ]]; }
