# shellcheck shell=bash
# Shared by the benchmarks. To be sourced by bash.
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"

# Installs the given packages and build dependencies, and builds and installs the extension.
prepare() {
  need_postgresql g++ make libssl-dev "$@"
  make_scratch
  make_there -j"$(nproc)" all
  install_extension
}
