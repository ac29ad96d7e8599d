# shellcheck shell=bash
# Makes a copy of PostgreSQL that nobody else sees. To be sourced after lib.sh.
# shellcheck disable=SC2154  # scratch and server_user are set by make_scratch

# Copies the PostgreSQL of PG_CONFIG to the scratch folder, programs as files and all else as links, and uses the copy:
# nobody else sees what is installed there. A PostgreSQL finds its files relative to its programs.
use_private_postgresql() {
  local dir own=$scratch/pg
  for dir in --pkglibdir --sharedir --includedir-server; do
    dir=$("$PG_CONFIG" "$dir")
    mkdir -p "$own${dir%/*}"
    cp -rs "$dir" "$own${dir%/*}/"
  done
  mkdir -p "$own$bindir"
  cp "$bindir"/* "$own$bindir/"
  bindir=$own$bindir
  PG_CONFIG=$bindir/pg_config
  rm -f "$("$PG_CONFIG" --pkglibdir)"/{,plugins/}uuidx.so "$("$PG_CONFIG" --sharedir)"/extension/uuidx[.-]*
  if ((EUID == 0)); then chown -R --no-dereference "$server_user" "$own"; fi
}
