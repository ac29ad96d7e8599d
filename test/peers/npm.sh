#!/usr/bin/env bash
# Builds and installs uuidx, and compares its values with packages of npm: test/peers/npm.sh
# They come from npm's configured registry; without it, nothing is compared. PG_CONFIG selects the PostgreSQL. The last
# line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/lib/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

# Versions that run on Node.js 18 and later.
packages=(uuid@11.1.0 ulid@3.0.2 bs58@6.0.0)

# Runs a package manager or a script in the folder of the packages, as the caller.
in_packages() (
  cd "$scratch/npm"
  "$@"
)

need_postgresql g++ make libssl-dev
# Installed ones may not be Debian's, and would conflict with Debian's npm.
if ! type node npm >/dev/null 2>&1; then install_packages nodejs npm; fi
type node npm >/dev/null 2>&1 || skip_all "no node and npm here"
make_scratch

# With the cache in it, so that nothing is left.
mkdir "$scratch/npm"
cp "$tree/test/peers/npm.mjs" "$scratch/npm"
# Without running scripts or reporting. By default, npm waits minutes for an unreachable registry.
in_packages npm install --cache "$scratch/npm/cache" --no-audit --no-fund --ignore-scripts \
  --fetch-retries 1 --fetch-retry-mintimeout 1000 --fetch-retry-maxtimeout 3000 "${packages[@]}" \
  >"$scratch/npm.log" 2>&1 || {
  cat "$scratch/npm.log"
  skip_all "npm cannot install ${packages[*]}"
}

make_there -j"$(nproc)" all
install_extension
start_server
say "using $("$PG_CONFIG" --version), Node.js $(node --version), ${packages[*]}"

psql=("$bindir/psql" -XAtq -v ON_ERROR_STOP=1)
in_packages node npm.mjs make 1000 >"$scratch/made"
"${psql[@]}" -c 'CREATE EXTENSION uuidx' -c 'CREATE TABLE made (id uuid, ulid text)'
"${psql[@]}" -c 'COPY made FROM STDIN' <"$scratch/made"
"${psql[@]}" >"$scratch/rows" <<'SQL'
SELECT json_build_object('id', id, 'theirs', ulid, 'decoded', uuid_decode(ulid, 'ulid'),
  'ulid', uuid_encode(id, 'ulid'), 'base58', uuid_encode(id, 'base58'),
  'base64url', uuid_encode(id, 'base64url'), 'decimal', uuid_encode(id, 'decimal'),
  'octets', encode(uuid_to_bytea(id), 'hex'), 'version', version,
  'millis', floor(extract(epoch FROM uuid_extract_time(id)) * 1000)::bigint,
  'v6', CASE version WHEN 1 THEN uuid_v1_to_v6(id) END,
  'v1', CASE version WHEN 6 THEN uuid_v6_to_v1(id) END,
  'v7', CASE WHEN version IN (1, 6) AND uuid_extract_time(id) >= '1970-01-01 UTC'
    THEN uuid_to_v7(id) END,
  'masked', CASE version WHEN 7 THEN uuid_v47_mask(id, substr(sha256(uuid_send(id)), 1, 16)) END)
FROM made, uuid_extract_version(id) AS version;
SQL
step comparison in_packages node npm.mjs judge <"$scratch/rows"
finish
