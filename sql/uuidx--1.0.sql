\echo Use "CREATE EXTENSION uuidx" to load this file. \quit

-- Generate

CREATE FUNCTION uuid_v1() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v1';
COMMENT ON FUNCTION uuid_v1() IS
    'UUID version 1 (RFC 9562 section 5.1): Gregorian time in units of 100 ns; random clock sequence and node, chosen once per session, never a MAC address';

CREATE FUNCTION uuid_v3(ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v3_text';
COMMENT ON FUNCTION uuid_v3(uuid, text) IS
    'UUID version 3 (RFC 9562 section 5.3): MD5 of namespace and name, the name encoded in UTF-8 regardless of the server encoding; error if OpenSSL does not offer MD5';

CREATE FUNCTION uuid_v3(ns uuid, name bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v3_bytea';
COMMENT ON FUNCTION uuid_v3(uuid, bytea) IS
    'UUID version 3 (RFC 9562 section 5.3): MD5 of namespace and name, the name given as bytes; error if OpenSSL does not offer MD5';

CREATE FUNCTION uuid_v4() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v4';
COMMENT ON FUNCTION uuid_v4() IS
    'UUID version 4 (RFC 9562 section 5.4): 122 random bits';

CREATE FUNCTION uuid_v5(ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v5_text';
COMMENT ON FUNCTION uuid_v5(uuid, text) IS
    'UUID version 5 (RFC 9562 section 5.5): SHA-1 of namespace and name, the name encoded in UTF-8 regardless of the server encoding; error if OpenSSL does not offer SHA-1';

CREATE FUNCTION uuid_v5(ns uuid, name bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v5_bytea';
COMMENT ON FUNCTION uuid_v5(uuid, bytea) IS
    'UUID version 5 (RFC 9562 section 5.5): SHA-1 of namespace and name, the name given as bytes; error if OpenSSL does not offer SHA-1';

CREATE FUNCTION uuid_v6() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6';
COMMENT ON FUNCTION uuid_v6() IS
    'UUID version 6 (RFC 9562 section 5.6): Gregorian time in units of 100 ns, strictly increasing within the session; random clock sequence and node for each value';

CREATE FUNCTION uuid_v7() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7';
COMMENT ON FUNCTION uuid_v7() IS
    'UUID version 7 (RFC 9562 section 5.7): Unix time in ms, 12-bit fraction, 4-bit sequence, 58 random bits; strictly increasing within the session';

CREATE FUNCTION uuid_v7(shift interval) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_interval';
COMMENT ON FUNCTION uuid_v7(interval) IS
    'UUID version 7 as uuid_v7(), its time shifted by the interval; error outside 1970-01-01 to 10889-08-02 UTC';

CREATE FUNCTION uuid_v7_server() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_server';
COMMENT ON FUNCTION uuid_v7_server() IS
    'UUID version 7 (RFC 9562 sections 5.7 and 6.3), strictly increasing across all sessions and databases of the server and across restarts; error during recovery, or before PostgreSQL 17 if uuidx is not in shared_preload_libraries';

CREATE FUNCTION uuid_v7_advance(id uuid) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_advance';
COMMENT ON FUNCTION uuid_v7_advance(uuid) IS
    'raises later values of uuid_v7_server(), and of uuid_v7() in this session, above this UUID of version 7, which it returns; error for another version, or a time more than uuidx.max_clock_lead ahead of the clock';
REVOKE EXECUTE ON FUNCTION uuid_v7_advance(uuid) FROM PUBLIC;

CREATE FUNCTION uuid_generator_state(OUT scope text, OUT last_time timestamptz, OUT clock_lead interval,
    OUT high_water_mark timestamptz, OUT persistence text) RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 2
    AS 'MODULE_PATHNAME', 'uuidx_generator_state';
COMMENT ON FUNCTION uuid_generator_state() IS
    'state of the version 7 generators, one row for this session and one for the server: time of the last value, how far ahead of the clock it is, high-water mark above which a restart continues, and where that is kept';

CREATE FUNCTION uuidx_version() RETURNS text
    LANGUAGE C STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_version';
COMMENT ON FUNCTION uuidx_version() IS
    'release of uuidx whose library this session has loaded, such as 1.0.1';

CREATE FUNCTION uuid_v1_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v1_at';
COMMENT ON FUNCTION uuid_v1_at(timestamptz) IS
    'UUID version 1 (RFC 9562 section 5.1) for a given time, with random clock sequence and node; error outside 1582-10-15 to 5236-03-31 UTC';

CREATE FUNCTION uuid_v6_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_at';
COMMENT ON FUNCTION uuid_v6_at(timestamptz) IS
    'UUID version 6 (RFC 9562 section 5.6) for a given time, with random clock sequence and node; error outside 1582-10-15 to 5236-03-31 UTC';

CREATE FUNCTION uuid_v7_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_at';
COMMENT ON FUNCTION uuid_v7_at(timestamptz) IS
    'UUID version 7 (RFC 9562 section 5.7) for a given time, such as that of an existing row: Unix time in ms, its microseconds in rand_a, rounded down, 62 random bits; error outside 1970-01-01 to 10889-08-02 UTC';

CREATE FUNCTION uuid_v7_at(ts timestamptz, ordinal bigint) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_at_bigint';
COMMENT ON FUNCTION uuid_v7_at(timestamptz, bigint) IS
    'UUID version 7 for a given time and an ordinal among rows with the same time, 0 to 2147483647: as uuid_v7_at(timestamptz), with the ordinal in the 31 bits after rand_a and 31 random bits; error outside 1970-01-01 to 10889-08-02 UTC or for another ordinal';

CREATE FUNCTION uuid_v7_at(ts timestamptz, ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_at_text';
COMMENT ON FUNCTION uuid_v7_at(timestamptz, uuid, text) IS
    'UUID version 7 for a given time and a name in a namespace: as uuid_v7_at(timestamptz), with the last 62 bits of uuid_v8_hash(''sha256'', ns, name) instead of random ones, so that the same row always gets the same UUID; error outside 1970-01-01 to 10889-08-02 UTC';

CREATE FUNCTION uuid_v8(data bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8';
COMMENT ON FUNCTION uuid_v8(bytea) IS
    'UUID version 8 (RFC 9562 section 5.8) from 16 bytes of custom data, of which version and variant replace 6 bits; error for another length';

CREATE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_hash_text';
COMMENT ON FUNCTION uuid_v8_hash(text, uuid, text) IS
    'UUID version 8 by digest (RFC 9562 section B.2): sha224, sha256, sha384, sha512 or another OpenSSL digest of at least 128 bits, of namespace and name, the name encoded in UTF-8; error for another algorithm';

CREATE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_hash_bytea';
COMMENT ON FUNCTION uuid_v8_hash(text, uuid, bytea) IS
    'UUID version 8 by digest (RFC 9562 section B.2): sha224, sha256, sha384, sha512 or another OpenSSL digest of at least 128 bits, of namespace and name, the name given as bytes; error for another algorithm';

CREATE FUNCTION uuid_v8_node() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_node';
COMMENT ON FUNCTION uuid_v8_node() IS
    'UUID version 8 with the node ID uuidx.node_id (RFC 9562 sections 5.8 and 6.4): Unix time in ms, 12-bit fraction, 4-bit sequence, 16-bit node ID, 42 random bits; strictly increasing within the session; error if uuidx.node_id is not set';

CREATE FUNCTION uuid_v8_node(node integer) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_node_integer';
COMMENT ON FUNCTION uuid_v8_node(integer) IS
    'UUID version 8 as uuid_v8_node(), with this node ID; error outside 0 to 65535';

CREATE FUNCTION nil_uuid() RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_nil_uuid';
COMMENT ON FUNCTION nil_uuid() IS
    'the nil UUID, all bits zero (RFC 9562 section 5.9)';

CREATE FUNCTION max_uuid() RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_max_uuid';
COMMENT ON FUNCTION max_uuid() IS
    'the max UUID, all bits one (RFC 9562 section 5.10)';

CREATE FUNCTION uuid_namespace(name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_namespace';
COMMENT ON FUNCTION uuid_namespace(text) IS
    'namespace ID by name (RFC 9562 section 6.6): dns, url, oid or x500, in any letter case; error for another name';

-- Extract

-- Loads the library, which plans conditions on the time as conditions on the key.
CREATE FUNCTION uuid_time_column_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_column_support';
COMMENT ON FUNCTION uuid_time_column_support(internal) IS
    'planner support for functions that extract a time: conditions on it use the index of the key';

CREATE FUNCTION uuid_extract_v7_time(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_column_support
    AS 'MODULE_PATHNAME', 'uuidx_extract_v7_time';
COMMENT ON FUNCTION uuid_extract_v7_time(uuid) IS
    'time in a UUID of version 7 (RFC 9562 section 5.7), in milliseconds; NULL for any other; conditions on it and order by it use an index on the UUID';

CREATE FUNCTION uuid_extract_time(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_column_support
    AS 'MODULE_PATHNAME', 'uuidx_extract_time';
COMMENT ON FUNCTION uuid_extract_time(uuid) IS
    'time in a UUID of version 1 or 6 (rounded down to the microsecond) or 7 (in milliseconds); NULL for any other';

CREATE FUNCTION uuid_extract_time_precise(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_time_precise';
COMMENT ON FUNCTION uuid_extract_time_precise(uuid) IS
    'time in a UUID, with rand_a of version 7 read as the fraction of the millisecond (RFC 9562 section 6.2, method 3): the microsecond that was written, however it was rounded; other versions as uuid_extract_time()';

-- Renamed after COMMENT, which from PostgreSQL 17 on would find core's function with this name.
CREATE FUNCTION uuidx_extract_version(id uuid) RETURNS smallint
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_version';
COMMENT ON FUNCTION uuidx_extract_version(uuid) IS
    'version of a UUID, 0 to 15 (RFC 9562 section 4.2); NULL for a variant other than that of RFC 9562';
ALTER FUNCTION uuidx_extract_version(uuid) RENAME TO uuid_extract_version;

CREATE FUNCTION uuid_extract_variant(id uuid) RETURNS text
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_variant';
COMMENT ON FUNCTION uuid_extract_variant(uuid) IS
    'variant of a UUID (RFC 9562 section 4.1): ncs, rfc9562, microsoft or future';

CREATE FUNCTION uuid_extract_clock_seq(id uuid) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_clock_seq';
COMMENT ON FUNCTION uuid_extract_clock_seq(uuid) IS
    'clock sequence of a UUID of version 1 or 6, 0 to 16383; NULL for any other';

CREATE FUNCTION uuid_extract_node(id uuid) RETURNS macaddr
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_node';
COMMENT ON FUNCTION uuid_extract_node(uuid) IS
    'node of a UUID of version 1 or 6; NULL for any other';

CREATE FUNCTION uuid_extract_v8_node(id uuid) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_v8_node';
COMMENT ON FUNCTION uuid_extract_v8_node(uuid) IS
    'node ID in a UUID from uuid_v8_node(), 0 to 65535; NULL for a version other than 8';

CREATE FUNCTION uuid_extract_v8_time(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_v8_time';
COMMENT ON FUNCTION uuid_extract_v8_time(uuid) IS
    'time in a UUID from uuid_v8_node(), rounded down to the microsecond; NULL for a version other than 8';

CREATE FUNCTION uuid_inspect(id uuid,
    OUT version smallint, OUT variant text, OUT description text, OUT "time" timestamptz,
    OUT clock_seq integer, OUT node macaddr, OUT fields json) RETURNS record
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_inspect';
COMMENT ON FUNCTION uuid_inspect(uuid) IS
    'every field of a UUID, named as in RFC 9562 section 5, with a description; NULL for what its version does not have';

-- Convert

CREATE FUNCTION uuid_v1_to_v6(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6';
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
    'UUID of version 1 as version 6 with the same time, clock sequence and node (RFC 9562 section 5.6); error for another version';

CREATE FUNCTION uuid_v6_to_v1(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1';
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
    'UUID of version 6 as version 1 with the same time, clock sequence and node, the inverse of uuid_v1_to_v6(); error for another version';

CREATE FUNCTION uuid_to_v7(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_to_v7';
COMMENT ON FUNCTION uuid_to_v7(uuid) IS
    'UUID of version 1 or 6 as version 7 with the same time: milliseconds, fraction in rand_a, and 62 bits of the SHA-256 of its version 6 form, so that the same source always gives the same result; error for another version or a time before 1970';

CREATE FUNCTION uuid_encode(id uuid, format text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_encode';
COMMENT ON FUNCTION uuid_encode(uuid, text) IS
    'UUID in another text format: ulid, base32hex, base58, base64url, hex, urn or decimal, the format in any letter case; error for another format';

CREATE FUNCTION uuid_decode(data text, format text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_decode';
COMMENT ON FUNCTION uuid_decode(text, text) IS
    'UUID from a text format of uuid_encode(), read strictly; accepts any letter case (except in base58 and base64url), in ulid I and L for 1 and O for 0, base32hex with padding and base58 without; error for other text';

CREATE FUNCTION uuid_to_typeid(id uuid, prefix text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_to_typeid';
COMMENT ON FUNCTION uuid_to_typeid(uuid, text) IS
    'TypeID 0.3 of a UUID: the prefix, an underscore, and 26 digits in lower-case base 32; the digits alone for an empty prefix; error for a prefix other than a to z with underscores between them, at most 63 characters';

CREATE FUNCTION uuid_from_typeid(typeid text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_from_typeid';
COMMENT ON FUNCTION uuid_from_typeid(text) IS
    'UUID of a TypeID 0.3 with any prefix; error for text that uuid_to_typeid() does not return';

CREATE FUNCTION uuid_from_typeid(typeid text, prefix text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_from_typeid_text';
COMMENT ON FUNCTION uuid_from_typeid(text, text) IS
    'UUID of a TypeID 0.3 with this prefix; error for another prefix or text that uuid_to_typeid() does not write';

CREATE FUNCTION typeid_prefix(typeid text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_typeid_prefix';
COMMENT ON FUNCTION typeid_prefix(text) IS
    'prefix of a TypeID 0.3, empty if it has none; error for text that uuid_to_typeid() does not return';

CREATE FUNCTION uuid_swap_guid(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_swap_guid';
COMMENT ON FUNCTION uuid_swap_guid(uuid) IS
    'UUID with the bytes of its first three fields reversed: from the memory layout of a Microsoft GUID to the byte order of RFC 9562 section 4, and back';

CREATE FUNCTION uuid_to_bytea(id uuid) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_to_bytea';
COMMENT ON FUNCTION uuid_to_bytea(uuid) IS
    'the 16 bytes of a UUID in network byte order';

CREATE FUNCTION uuid_from_bytea(data bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_from_bytea';
COMMENT ON FUNCTION uuid_from_bytea(bytea) IS
    'UUID from 16 bytes in network byte order; error for another length';

CREATE FUNCTION uuid_v47_mask(id uuid, secret bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v47_mask';
COMMENT ON FUNCTION uuid_v47_mask(uuid, bytea) IS
    'version 4 mask that hides the timestamp of a UUID of version 7, by SipHash-2-4 of its random bits with a 16-byte secret (UUIDv47); error for another version or secret length';

CREATE FUNCTION uuid_v47_unmask(id uuid, secret bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v47_unmask';
COMMENT ON FUNCTION uuid_v47_unmask(uuid, bytea) IS
    'UUID of version 7 from its version 4 mask and the secret given to uuid_v47_mask(); a wrong secret gives a wrong time, not an error; error for another version or secret length';

-- Query by time

CREATE FUNCTION uuid_v7_min(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_min';
COMMENT ON FUNCTION uuid_v7_min(timestamptz) IS
    'smallest UUID of version 7 with a time at or after this one; the nil UUID before 1970-01-01, the max UUID after 10889-08-02 UTC';

CREATE FUNCTION uuid_v7_max(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_max';
COMMENT ON FUNCTION uuid_v7_max(timestamptz) IS
    'largest UUID of version 7 with a time at or before this one; the nil UUID before 1970-01-01, the max UUID after 10889-08-02 UTC';

CREATE FUNCTION uuid_v6_min(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_min';
COMMENT ON FUNCTION uuid_v6_min(timestamptz) IS
    'smallest UUID of version 6 with a time at or after this one; the nil UUID before 1582-10-15, the max UUID after 5236-03-31 UTC';

CREATE FUNCTION uuid_v6_max(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_max';
COMMENT ON FUNCTION uuid_v6_max(timestamptz) IS
    'largest UUID of version 6 with a time at or before this one; the nil UUID before 1582-10-15, the max UUID after 5236-03-31 UTC';

CREATE FUNCTION uuid_is_v7_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_is_v7_support';
COMMENT ON FUNCTION uuid_is_v7_support(internal) IS
    'planner support for uuid_is_v7(): row estimate';

CREATE FUNCTION uuid_is_v7(id uuid) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_is_v7_support
    AS 'MODULE_PATHNAME', 'uuidx_is_v7';
COMMENT ON FUNCTION uuid_is_v7(uuid) IS
    'true if the UUID is of version 7 (RFC 9562 section 5.7), which every time condition also tests; false for another version or variant';

-- Compare with a time: true if the UUID is of version 7 and its time compares so, false for every other UUID. The
-- functions have SQL-standard bodies that are simple enough for the planner to inline: it then sees a comparison of two
-- UUIDs, and the test of the version. They are not STRICT, as AND is not: the planner would not inline them. The
-- operators have no negators: for a UUID of another version, both < and >= are false.

CREATE FUNCTION uuid_lt_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_lt_timestamptz(uuid, timestamptz) IS
    'implementation of uuid < timestamptz';

CREATE FUNCTION uuid_le_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_le_timestamptz(uuid, timestamptz) IS
    'implementation of uuid <= timestamptz';

CREATE FUNCTION uuid_ge_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_ge_timestamptz(uuid, timestamptz) IS
    'implementation of uuid >= timestamptz';

CREATE FUNCTION uuid_gt_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_gt_timestamptz(uuid, timestamptz) IS
    'implementation of uuid > timestamptz';

CREATE FUNCTION timestamptz_lt_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_lt_uuid(timestamptz, uuid) IS
    'implementation of timestamptz < uuid';

CREATE FUNCTION timestamptz_le_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_le_uuid(timestamptz, uuid) IS
    'implementation of timestamptz <= uuid';

CREATE FUNCTION timestamptz_ge_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_ge_uuid(timestamptz, uuid) IS
    'implementation of timestamptz >= uuid';

CREATE FUNCTION timestamptz_gt_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_gt_uuid(timestamptz, uuid) IS
    'implementation of timestamptz > uuid';

CREATE OPERATOR < (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_lt_timestamptz,
    COMMUTATOR = >,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uuid, timestamptz) IS
    'the UUID is of version 7 and its time is before this time; NOT (id < ts) is true for every UUID of another version';

CREATE OPERATOR <= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_le_timestamptz,
    COMMUTATOR = >=,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uuid, timestamptz) IS
    'the UUID is of version 7 and its time is at or before this time; NOT (id <= ts) is true for every UUID of another version';

CREATE OPERATOR >= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_ge_timestamptz,
    COMMUTATOR = <=,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uuid, timestamptz) IS
    'the UUID is of version 7 and its time is at or after this time; NOT (id >= ts) is true for every UUID of another version';

CREATE OPERATOR > (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_gt_timestamptz,
    COMMUTATOR = <,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uuid, timestamptz) IS
    'the UUID is of version 7 and its time is after this time; NOT (id > ts) is true for every UUID of another version';

CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_lt_uuid,
    COMMUTATOR = >,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (timestamptz, uuid) IS
    'the UUID is of version 7 and this time is before its time; NOT (ts < id) is true for every UUID of another version';

CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_le_uuid,
    COMMUTATOR = >=,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (timestamptz, uuid) IS
    'the UUID is of version 7 and this time is at or before its time; NOT (ts <= id) is true for every UUID of another version';

CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_ge_uuid,
    COMMUTATOR = <=,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (timestamptz, uuid) IS
    'the UUID is of version 7 and this time is at or after its time; NOT (ts >= id) is true for every UUID of another version';

CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_gt_uuid,
    COMMUTATOR = <,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (timestamptz, uuid) IS
    'the UUID is of version 7 and this time is after its time; NOT (ts > id) is true for every UUID of another version';

-- Time ranges. The operators take this domain and not tstzrange itself. Otherwise they would be the better match for a
-- range and an untyped literal, and in range @> '[2026-01-01,2026-01-02)' PostgreSQL would read the literal as a UUID.

CREATE DOMAIN uuid_time_range AS tstzrange;
COMMENT ON DOMAIN uuid_time_range IS
    'time range as an operand of uuid <@ tstzrange; accepts every tstzrange';

CREATE FUNCTION uuid_v7_lower(time_range tstzrange) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_lower_tstzrange';
COMMENT ON FUNCTION uuid_v7_lower(tstzrange) IS
    'lowest UUID that is not before the range, as a bound for comparisons of uuid; above uuid_v7_upper() if no UUID is in the range';

CREATE FUNCTION uuid_v7_upper(time_range tstzrange) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_upper_tstzrange';
COMMENT ON FUNCTION uuid_v7_upper(tstzrange) IS
    'highest UUID that is not after the range, as a bound for comparisons of uuid; below uuid_v7_lower() if no UUID is in the range';

-- The internal form of conditions on time: the operators are inlined as the test of the version and a call of these.
CREATE FUNCTION uuid_time_range_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_range_support';
COMMENT ON FUNCTION uuid_time_range_support(internal) IS
    'planner support for conditions on the time of a UUID: index conditions, partition pruning and row estimates';

CREATE FUNCTION uuid_in_time_range(id uuid, time_range tstzrange) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_range_support
    AS 'MODULE_PATHNAME', 'uuidx_in_time_range_tstzrange';
COMMENT ON FUNCTION uuid_in_time_range(uuid, tstzrange) IS
    'the UUID is between the bounds of this time range, without a test of its version: for a UUID of another version the result is not defined; added to plans by the planner';

-- Parts of rewritten conditions on a time that is computed from a key.
CREATE FUNCTION uuid_condition(id uuid, condition boolean) RETURNS boolean
    LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_range_support
    AS 'MODULE_PATHNAME', 'uuidx_condition';
COMMENT ON FUNCTION uuid_condition(uuid, boolean) IS
    'the condition itself, beside others that count for the row estimate; an index on the id uses the comparisons in it; added to plans by the planner';

CREATE FUNCTION uuid_time_bound(steps text, upper boolean, value "any") RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_bound';
COMMENT ON FUNCTION uuid_time_bound(text, boolean, "any") IS
    'bound of a time for one of a value that is computed from it; added to plans by the planner';

CREATE FUNCTION uuid_contained_by_time_range(id uuid, time_range uuid_time_range) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN uuid_in_time_range(id, time_range) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_contained_by_time_range(uuid, uuid_time_range) IS
    'implementation of uuid <@ tstzrange';

CREATE FUNCTION time_range_contains_uuid(time_range uuid_time_range, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE LEAKPROOF PARALLEL SAFE
    RETURN uuid_in_time_range(id, time_range) AND uuid_is_v7(id);
COMMENT ON FUNCTION time_range_contains_uuid(uuid_time_range, uuid) IS
    'implementation of tstzrange @> uuid';

CREATE OPERATOR <@ (
    LEFTARG = uuid, RIGHTARG = uuid_time_range, FUNCTION = uuid_contained_by_time_range,
    COMMUTATOR = @>, RESTRICT = areasel, JOIN = areajoinsel
);
COMMENT ON OPERATOR <@ (uuid, uuid_time_range) IS
    'the UUID is of version 7 and its time is in this tstzrange; NOT (id <@ time_range) is true for every UUID of another version';

CREATE OPERATOR @> (
    LEFTARG = uuid_time_range, RIGHTARG = uuid, FUNCTION = time_range_contains_uuid,
    COMMUTATOR = <@, RESTRICT = areasel, JOIN = areajoinsel
);
COMMENT ON OPERATOR @> (uuid_time_range, uuid) IS
    'the UUID is of version 7 and this tstzrange contains its time; NOT (time_range @> id) is true for every UUID of another version';

-- Look up by the first digits

CREATE FUNCTION uuid_prefix_min(prefix text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_prefix_min';
COMMENT ON FUNCTION uuid_prefix_min(text) IS
    'lowest UUID whose text begins with these 0 to 32 hexadecimal digits, in any case and with or without hyphens; error for other text';

CREATE FUNCTION uuid_prefix_max(prefix text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_prefix_max';
COMMENT ON FUNCTION uuid_prefix_max(text) IS
    'highest UUID whose text begins with these 0 to 32 hexadecimal digits, in any case and with or without hyphens; error for other text';

-- Inlined like the comparisons with a time, so that the planner sees a range of the key.
CREATE FUNCTION uuid_starts_with(id uuid, prefix text) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_prefix_min(prefix) AND id OPERATOR(pg_catalog.<=) uuid_prefix_max(prefix);
COMMENT ON FUNCTION uuid_starts_with(uuid, text) IS
    'implementation of ^@ operator';

CREATE OPERATOR ^@ (
    LEFTARG = uuid, RIGHTARG = text, FUNCTION = uuid_starts_with,
    RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ^@ (uuid, text) IS
    'the text of the UUID begins with these 0 to 32 hexadecimal digits, in any case and with or without hyphens; error for other text';

-- pg_partman passes the id as text to its time decoder. By the type's input function and not a cast, which a user may
-- have redefined.
CREATE FUNCTION uuid_time_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_extract_time(pg_catalog.uuid_in(pg_catalog.textout(id)));
COMMENT ON FUNCTION uuid_time_decoder(text) IS
    'uuid_extract_time() of a UUID given as text, for use as time decoder in pg_partman; error if the text is not a UUID';

-- Check

CREATE FUNCTION uuidx_check(target regclass DEFAULT NULL)
    RETURNS TABLE (relation regclass, column_name name, kind text, expression text, problem text, remedy text)
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'uuidx_check';
COMMENT ON FUNCTION uuidx_check(regclass) IS
    'each time column, and each key of version 7 in a table without one: what keeps conditions on its time or order by it from the index of the key, and the SQL that changes that; NULL if nothing does; for one table or view, or for all that the caller may read';

-- Aggregates. They are not created if the server has them in pg_catalog, which comes first in every search_path:
-- PostgreSQL 20 does. Not by DO, as a database may lack plpgsql.
CREATE FUNCTION uuidx_create_aggregates() RETURNS void LANGUAGE sql AS $$
    CREATE FUNCTION uuid_min_transfn(internal, uuid) RETURNS internal
        LANGUAGE C IMMUTABLE PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_min_transfn';
    COMMENT ON FUNCTION uuid_min_transfn(internal, uuid) IS
        'aggregate transition function of min(uuid)';

    CREATE FUNCTION uuid_min_combine(internal, internal) RETURNS internal
        LANGUAGE C IMMUTABLE PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_min_combine';
    COMMENT ON FUNCTION uuid_min_combine(internal, internal) IS
        'aggregate combine function of min(uuid)';

    CREATE FUNCTION uuid_max_transfn(internal, uuid) RETURNS internal
        LANGUAGE C IMMUTABLE PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_max_transfn';
    COMMENT ON FUNCTION uuid_max_transfn(internal, uuid) IS
        'aggregate transition function of max(uuid)';

    CREATE FUNCTION uuid_max_combine(internal, internal) RETURNS internal
        LANGUAGE C IMMUTABLE PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_max_combine';
    COMMENT ON FUNCTION uuid_max_combine(internal, internal) IS
        'aggregate combine function of max(uuid)';

    CREATE FUNCTION uuid_minmax_serialize(internal) RETURNS bytea
        LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_minmax_serialize';
    COMMENT ON FUNCTION uuid_minmax_serialize(internal) IS
        'aggregate serial function of min(uuid) and max(uuid)';

    CREATE FUNCTION uuid_minmax_deserialize(bytea, internal) RETURNS internal
        LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_minmax_deserialize';
    COMMENT ON FUNCTION uuid_minmax_deserialize(bytea, internal) IS
        'aggregate deserial function of min(uuid) and max(uuid)';

    CREATE FUNCTION uuid_minmax_finalfn(internal) RETURNS uuid
        LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_minmax_finalfn';
    COMMENT ON FUNCTION uuid_minmax_finalfn(internal) IS
        'aggregate final function of min(uuid) and max(uuid)';

    -- SSPACE makes the estimate for hashing that of a state of type uuid: 16 bytes and two pointers. Without it,
    -- PostgreSQL assumes 8 kB for each group.
    CREATE AGGREGATE min(uuid) (
        SFUNC = uuid_min_transfn,
        STYPE = internal,
        SSPACE = 32,
        FINALFUNC = uuid_minmax_finalfn,
        COMBINEFUNC = uuid_min_combine,
        SERIALFUNC = uuid_minmax_serialize,
        DESERIALFUNC = uuid_minmax_deserialize,
        SORTOP = OPERATOR(pg_catalog.<),
        PARALLEL = SAFE
    );
    COMMENT ON AGGREGATE min(uuid) IS
        'smallest of all UUIDs; can use an index on the column';

    CREATE AGGREGATE max(uuid) (
        SFUNC = uuid_max_transfn,
        STYPE = internal,
        SSPACE = 32,
        FINALFUNC = uuid_minmax_finalfn,
        COMBINEFUNC = uuid_max_combine,
        SERIALFUNC = uuid_minmax_serialize,
        DESERIALFUNC = uuid_minmax_deserialize,
        SORTOP = OPERATOR(pg_catalog.>),
        PARALLEL = SAFE
    );
    COMMENT ON AGGREGATE max(uuid) IS
        'largest of all UUIDs; can use an index on the column';
$$;
SELECT uuidx_create_aggregates() WHERE pg_catalog.to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS NULL;
DROP FUNCTION uuidx_create_aggregates();
