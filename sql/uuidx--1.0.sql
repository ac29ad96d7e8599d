\echo Use "CREATE EXTENSION uuidx" to load this file. \quit

-- Generate

CREATE FUNCTION uuid_v1() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v1';
COMMENT ON FUNCTION uuid_v1() IS
    'generate UUID version 1';

CREATE FUNCTION uuid_v3(ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v3_text';
COMMENT ON FUNCTION uuid_v3(uuid, text) IS
    'generate UUID version 3 from namespace and name';

CREATE FUNCTION uuid_v3(ns uuid, name bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v3_bytea';
COMMENT ON FUNCTION uuid_v3(uuid, bytea) IS
    'generate UUID version 3 from namespace and name';

CREATE FUNCTION uuid_v4() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v4';
COMMENT ON FUNCTION uuid_v4() IS
    'generate UUID version 4';

CREATE FUNCTION uuid_v5(ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v5_text';
COMMENT ON FUNCTION uuid_v5(uuid, text) IS
    'generate UUID version 5 from namespace and name';

CREATE FUNCTION uuid_v5(ns uuid, name bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v5_bytea';
COMMENT ON FUNCTION uuid_v5(uuid, bytea) IS
    'generate UUID version 5 from namespace and name';

CREATE FUNCTION uuid_v6() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6';
COMMENT ON FUNCTION uuid_v6() IS
    'generate UUID version 6, strictly increasing in the session';

CREATE FUNCTION uuid_v7() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7';
COMMENT ON FUNCTION uuid_v7() IS
    'generate UUID version 7, strictly increasing in the session';

CREATE FUNCTION uuid_v7(shift interval) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_interval';
COMMENT ON FUNCTION uuid_v7(interval) IS
    'generate UUID version 7 with a timestamp shifted by specified interval';

CREATE FUNCTION uuid_v7_server() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_server';
COMMENT ON FUNCTION uuid_v7_server() IS
    'generate UUID version 7, strictly increasing across all sessions and restarts of the server';

CREATE FUNCTION uuid_v7_advance(id uuid) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_advance';
COMMENT ON FUNCTION uuid_v7_advance(uuid) IS
    'raise later values of uuid_v7_server() above this UUID version 7';
REVOKE EXECUTE ON FUNCTION uuid_v7_advance(uuid) FROM PUBLIC;

CREATE FUNCTION uuid_generator_state(OUT scope text, OUT last_time timestamptz, OUT clock_lead interval,
    OUT high_water_mark timestamptz, OUT persistence text) RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 2
    AS 'MODULE_PATHNAME', 'uuidx_generator_state';
COMMENT ON FUNCTION uuid_generator_state() IS
    'state of the UUID version 7 generators of this session and of the server';

CREATE FUNCTION uuidx_version() RETURNS text
    LANGUAGE C STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_version';
COMMENT ON FUNCTION uuidx_version() IS
    'release of the library that this session has loaded';

CREATE FUNCTION uuid_v1_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v1_at';
COMMENT ON FUNCTION uuid_v1_at(timestamptz) IS
    'generate UUID version 1 for a given time';

CREATE FUNCTION uuid_v6_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_at';
COMMENT ON FUNCTION uuid_v6_at(timestamptz) IS
    'generate UUID version 6 for a given time';

CREATE FUNCTION uuid_v7_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_at';
COMMENT ON FUNCTION uuid_v7_at(timestamptz) IS
    'generate UUID version 7 for a given time, to the microsecond';

CREATE FUNCTION uuid_v7_at(ts timestamptz, ordinal bigint) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_at_bigint';
COMMENT ON FUNCTION uuid_v7_at(timestamptz, bigint) IS
    'generate UUID version 7 for a given time and an ordinal among rows with the same time';

CREATE FUNCTION uuid_v7_at(ts timestamptz, ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_at_text';
COMMENT ON FUNCTION uuid_v7_at(timestamptz, uuid, text) IS
    'generate UUID version 7 for a given time, repeatable, from namespace and name';

CREATE FUNCTION uuid_v8(data bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8';
COMMENT ON FUNCTION uuid_v8(bytea) IS
    'UUID version 8 from 16 bytes of custom data';

CREATE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_hash_text';
COMMENT ON FUNCTION uuid_v8_hash(text, uuid, text) IS
    'generate UUID version 8 from a digest of namespace and name';

CREATE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_hash_bytea';
COMMENT ON FUNCTION uuid_v8_hash(text, uuid, bytea) IS
    'generate UUID version 8 from a digest of namespace and name';

CREATE FUNCTION uuid_v8_node() RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_node';
COMMENT ON FUNCTION uuid_v8_node() IS
    'generate UUID version 8 with time and the node ID uuidx.node_id, strictly increasing in the session';

CREATE FUNCTION uuid_v8_node(node integer) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v8_node_integer';
COMMENT ON FUNCTION uuid_v8_node(integer) IS
    'generate UUID version 8 with time and this node ID';

CREATE FUNCTION nil_uuid() RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_nil_uuid';
COMMENT ON FUNCTION nil_uuid() IS
    'nil UUID, all bits zero';

CREATE FUNCTION max_uuid() RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_max_uuid';
COMMENT ON FUNCTION max_uuid() IS
    'max UUID, all bits one';

CREATE FUNCTION uuid_namespace(name text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_namespace';
COMMENT ON FUNCTION uuid_namespace(text) IS
    'namespace by name: dns, url, oid or x500';

-- Extract

-- Loads the library, which plans conditions on the time as conditions on the key.
CREATE FUNCTION uuid_time_column_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_column_support';
COMMENT ON FUNCTION uuid_time_column_support(internal) IS
    'planner support for functions that extract a time';

CREATE FUNCTION uuid_extract_v7_time(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_column_support
    AS 'MODULE_PATHNAME', 'uuidx_extract_v7_time';
COMMENT ON FUNCTION uuid_extract_v7_time(uuid) IS
    'extract timestamp from UUID version 7; NULL for other versions';

CREATE FUNCTION uuid_extract_time(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_column_support
    AS 'MODULE_PATHNAME', 'uuidx_extract_time';
COMMENT ON FUNCTION uuid_extract_time(uuid) IS
    'extract timestamp from UUID version 1, 6 or 7';

CREATE FUNCTION uuid_extract_time_precise(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_column_support
    AS 'MODULE_PATHNAME', 'uuidx_extract_time_precise';
COMMENT ON FUNCTION uuid_extract_time_precise(uuid) IS
    'extract timestamp from UUID version 1, 6 or 7, with microseconds';

-- Renamed after COMMENT, which from PostgreSQL 17 on would find core's function with this name.
CREATE FUNCTION uuidx_extract_version(id uuid) RETURNS smallint
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_version';
COMMENT ON FUNCTION uuidx_extract_version(uuid) IS
    'extract version from RFC 9562 UUID';
ALTER FUNCTION uuidx_extract_version(uuid) RENAME TO uuid_extract_version;

CREATE FUNCTION uuid_extract_variant(id uuid) RETURNS text
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_variant';
COMMENT ON FUNCTION uuid_extract_variant(uuid) IS
    'extract variant from UUID: ncs, rfc9562, microsoft or future';

CREATE FUNCTION uuid_extract_clock_seq(id uuid) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_clock_seq';
COMMENT ON FUNCTION uuid_extract_clock_seq(uuid) IS
    'extract clock sequence from UUID version 1 or 6';

CREATE FUNCTION uuid_extract_node(id uuid) RETURNS macaddr
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_node';
COMMENT ON FUNCTION uuid_extract_node(uuid) IS
    'extract node from UUID version 1 or 6';

CREATE FUNCTION uuid_extract_v8_node(id uuid) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_v8_node';
COMMENT ON FUNCTION uuid_extract_v8_node(uuid) IS
    'extract node ID from UUID of uuid_v8_node()';

CREATE FUNCTION uuid_extract_v8_time(id uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_extract_v8_time';
COMMENT ON FUNCTION uuid_extract_v8_time(uuid) IS
    'extract timestamp from UUID of uuid_v8_node()';

CREATE FUNCTION uuid_inspect(id uuid,
    OUT version smallint, OUT variant text, OUT description text, OUT "time" timestamptz,
    OUT clock_seq integer, OUT node macaddr, OUT fields json) RETURNS record
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_inspect';
COMMENT ON FUNCTION uuid_inspect(uuid) IS
    'every field of a UUID, by its name in RFC 9562';

-- Convert

CREATE FUNCTION uuid_v1_to_v6(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6';
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
    'convert UUID version 1 to version 6';

CREATE FUNCTION uuid_v6_to_v1(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1';
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
    'convert UUID version 6 to version 1';

CREATE FUNCTION uuid_to_v7(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_to_v7';
COMMENT ON FUNCTION uuid_to_v7(uuid) IS
    'convert UUID version 1 or 6 to version 7, repeatable';

CREATE FUNCTION uuid_encode(id uuid, format text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_encode';
COMMENT ON FUNCTION uuid_encode(uuid, text) IS
    'encode UUID as text: ulid, base32hex, base58, base64url, hex, urn or decimal';

CREATE FUNCTION uuid_decode(data text, format text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_decode';
COMMENT ON FUNCTION uuid_decode(text, text) IS
    'decode UUID from a text format of uuid_encode()';

CREATE FUNCTION uuid_to_typeid(id uuid, prefix text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_to_typeid';
COMMENT ON FUNCTION uuid_to_typeid(uuid, text) IS
    'convert UUID to TypeID with this prefix';

CREATE FUNCTION uuid_from_typeid(typeid text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_from_typeid';
COMMENT ON FUNCTION uuid_from_typeid(text) IS
    'convert TypeID to UUID';

CREATE FUNCTION uuid_from_typeid(typeid text, prefix text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_from_typeid_text';
COMMENT ON FUNCTION uuid_from_typeid(text, text) IS
    'convert TypeID with this prefix to UUID';

CREATE FUNCTION typeid_prefix(typeid text) RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_typeid_prefix';
COMMENT ON FUNCTION typeid_prefix(text) IS
    'extract prefix from TypeID';

CREATE FUNCTION uuid_swap_guid(id uuid) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_swap_guid';
COMMENT ON FUNCTION uuid_swap_guid(uuid) IS
    'swap bytes between UUID and Microsoft GUID';

CREATE FUNCTION uuid_to_bytea(id uuid) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_to_bytea';
COMMENT ON FUNCTION uuid_to_bytea(uuid) IS
    'convert UUID to 16 bytes';

CREATE FUNCTION uuid_from_bytea(data bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_from_bytea';
COMMENT ON FUNCTION uuid_from_bytea(bytea) IS
    'convert 16 bytes to UUID';

CREATE FUNCTION uuid_v47_mask(id uuid, secret bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v47_mask';
COMMENT ON FUNCTION uuid_v47_mask(uuid, bytea) IS
    'hide timestamp of UUID version 7 in a UUID version 4, with a secret of 16 bytes';

CREATE FUNCTION uuid_v47_unmask(id uuid, secret bytea) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v47_unmask';
COMMENT ON FUNCTION uuid_v47_unmask(uuid, bytea) IS
    'restore UUID version 7 from the result of uuid_v47_mask()';

-- Query by time

CREATE FUNCTION uuid_v7_min(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_min';
COMMENT ON FUNCTION uuid_v7_min(timestamptz) IS
    'smallest UUID version 7 at or after this time';

CREATE FUNCTION uuid_v7_max(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_max';
COMMENT ON FUNCTION uuid_v7_max(timestamptz) IS
    'largest UUID version 7 at or before this time';

CREATE FUNCTION uuid_v6_min(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_min';
COMMENT ON FUNCTION uuid_v6_min(timestamptz) IS
    'smallest UUID version 6 at or after this time';

CREATE FUNCTION uuid_v6_max(ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v6_max';
COMMENT ON FUNCTION uuid_v6_max(timestamptz) IS
    'largest UUID version 6 at or before this time';

CREATE FUNCTION uuid_is_v7_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_is_v7_support';
COMMENT ON FUNCTION uuid_is_v7_support(internal) IS
    'planner support for uuid_is_v7()';

CREATE FUNCTION uuid_is_v7(id uuid) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_is_v7_support
    AS 'MODULE_PATHNAME', 'uuidx_is_v7';
COMMENT ON FUNCTION uuid_is_v7(uuid) IS
    'is UUID of version 7?';

-- Compare with a time: true if the UUID is of version 7 and its time compares so, false for every other UUID. The
-- functions have SQL-standard bodies that are simple enough for the planner to inline: it then sees a comparison of two
-- UUIDs, and the test of the version. They are not STRICT, as AND is not: the planner would not inline them. Nor are
-- they LEAKPROOF, unlike what they are inlined as: from PostgreSQL 18 on, a function in SQL that is not inlined is
-- planned with its arguments as constants, and debug_print_plan shows them. The operators have no negators: for a UUID
-- of another version, both < and >= are false.

CREATE FUNCTION uuid_lt_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_lt_timestamptz(uuid, timestamptz) IS
    'implementation of uuid < timestamptz';

CREATE FUNCTION uuid_le_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_le_timestamptz(uuid, timestamptz) IS
    'implementation of uuid <= timestamptz';

CREATE FUNCTION uuid_ge_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_ge_timestamptz(uuid, timestamptz) IS
    'implementation of uuid >= timestamptz';

CREATE FUNCTION uuid_gt_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_gt_timestamptz(uuid, timestamptz) IS
    'implementation of uuid > timestamptz';

CREATE FUNCTION timestamptz_lt_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_lt_uuid(timestamptz, uuid) IS
    'implementation of timestamptz < uuid';

CREATE FUNCTION timestamptz_le_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_le_uuid(timestamptz, uuid) IS
    'implementation of timestamptz <= uuid';

CREATE FUNCTION timestamptz_ge_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_ge_uuid(timestamptz, uuid) IS
    'implementation of timestamptz >= uuid';

CREATE FUNCTION timestamptz_gt_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min(ts) AND uuid_is_v7(id);
COMMENT ON FUNCTION timestamptz_gt_uuid(timestamptz, uuid) IS
    'implementation of timestamptz > uuid';

CREATE OPERATOR < (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_lt_timestamptz,
    COMMUTATOR = >,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uuid, timestamptz) IS
    'UUID version 7 before time';

CREATE OPERATOR <= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_le_timestamptz,
    COMMUTATOR = >=,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uuid, timestamptz) IS
    'UUID version 7 at or before time';

CREATE OPERATOR >= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_ge_timestamptz,
    COMMUTATOR = <=,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uuid, timestamptz) IS
    'UUID version 7 at or after time';

CREATE OPERATOR > (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_gt_timestamptz,
    COMMUTATOR = <,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uuid, timestamptz) IS
    'UUID version 7 after time';

CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_lt_uuid,
    COMMUTATOR = >,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (timestamptz, uuid) IS
    'time before UUID version 7';

CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_le_uuid,
    COMMUTATOR = >=,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (timestamptz, uuid) IS
    'time at or before UUID version 7';

CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_ge_uuid,
    COMMUTATOR = <=,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (timestamptz, uuid) IS
    'time at or after UUID version 7';

CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_gt_uuid,
    COMMUTATOR = <,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (timestamptz, uuid) IS
    'time after UUID version 7';

-- Time ranges. The operators take this domain and not tstzrange itself. Otherwise they would be the better match for a
-- range and an untyped literal, and in range @> '[2026-01-01,2026-01-02)' PostgreSQL would read the literal as a UUID.

CREATE DOMAIN uuid_time_range AS tstzrange;
COMMENT ON DOMAIN uuid_time_range IS
    'tstzrange as operand of uuid <@ tstzrange';

CREATE FUNCTION uuid_v7_lower(time_range tstzrange) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_lower_tstzrange';
COMMENT ON FUNCTION uuid_v7_lower(tstzrange) IS
    'lower bound of version 7 UUIDs in time range';

CREATE FUNCTION uuid_v7_upper(time_range tstzrange) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_upper_tstzrange';
COMMENT ON FUNCTION uuid_v7_upper(tstzrange) IS
    'upper bound of version 7 UUIDs in time range';

-- The internal form of conditions on time: the operators are inlined as the test of the version and a call of these.
CREATE FUNCTION uuid_time_range_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_range_support';
COMMENT ON FUNCTION uuid_time_range_support(internal) IS
    'planner support for conditions on the time of a UUID';

CREATE FUNCTION uuid_in_time_range(id uuid, time_range tstzrange) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuid_time_range_support
    AS 'MODULE_PATHNAME', 'uuidx_in_time_range_tstzrange';
COMMENT ON FUNCTION uuid_in_time_range(uuid, tstzrange) IS
    'is UUID, known to be of version 7, in time range? added to plans by the planner';

-- Parts of rewritten conditions on a time that is computed from a key. The planner evaluates the cheapest conditions
-- first: one that is wrapped costs what it did before, to the last bit, and so keeps its place.
CREATE FUNCTION uuid_condition(id uuid, condition boolean) RETURNS boolean
    LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 1e-20 SUPPORT uuid_time_range_support
    AS 'MODULE_PATHNAME', 'uuidx_condition';
COMMENT ON FUNCTION uuid_condition(uuid, boolean) IS
    'condition that an index on the UUID serves in part; added to plans by the planner';

CREATE FUNCTION uuid_time_bound(steps text, upper boolean, value "any") RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_bound';
COMMENT ON FUNCTION uuid_time_bound(text, boolean, "any") IS
    'bound of a time for one of a value that is computed from it; added to plans by the planner';

CREATE FUNCTION uuid_beyond_bound(id uuid, steps text, upper boolean, value "any") RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1e-20
    AS 'MODULE_PATHNAME', 'uuidx_beyond_bound';
COMMENT ON FUNCTION uuid_beyond_bound(uuid, text, boolean, "any") IS
    'true if the time of a UUID is beyond uuid_time_bound(); added to plans by the planner';

CREATE FUNCTION uuid_v7_bound(ts timestamptz, upper boolean) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_v7_bound';
COMMENT ON FUNCTION uuid_v7_bound(timestamptz, boolean) IS
    'bound of version 7 UUIDs for one of their time with microseconds; added to plans by the planner';

-- Restricted, as a worker could not have the plans of the session made anew.
CREATE FUNCTION uuid_check_zone(id uuid, fixed boolean) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'uuidx_check_zone';
COMMENT ON FUNCTION uuid_check_zone(uuid, boolean) IS
    'true, if the order of keys is that of local days in the time zone; added to plans by the planner';

CREATE FUNCTION uuid_contained_by_time_range(id uuid, time_range uuid_time_range) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN uuid_in_time_range(id, time_range) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_contained_by_time_range(uuid, uuid_time_range) IS
    'implementation of uuid <@ tstzrange';

CREATE FUNCTION time_range_contains_uuid(time_range uuid_time_range, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN uuid_in_time_range(id, time_range) AND uuid_is_v7(id);
COMMENT ON FUNCTION time_range_contains_uuid(uuid_time_range, uuid) IS
    'implementation of tstzrange @> uuid';

CREATE OPERATOR <@ (
    LEFTARG = uuid, RIGHTARG = uuid_time_range, FUNCTION = uuid_contained_by_time_range,
    COMMUTATOR = @>, RESTRICT = areasel, JOIN = areajoinsel
);
COMMENT ON OPERATOR <@ (uuid, uuid_time_range) IS
    'UUID version 7 is in time range';

CREATE OPERATOR @> (
    LEFTARG = uuid_time_range, RIGHTARG = uuid, FUNCTION = time_range_contains_uuid,
    COMMUTATOR = <@, RESTRICT = areasel, JOIN = areajoinsel
);
COMMENT ON OPERATOR @> (uuid_time_range, uuid) IS
    'time range contains UUID version 7';

-- Look up by the first digits

CREATE FUNCTION uuid_prefix_min(prefix text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_prefix_min';
COMMENT ON FUNCTION uuid_prefix_min(text) IS
    'smallest UUID with this prefix';

CREATE FUNCTION uuid_prefix_max(prefix text) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_prefix_max';
COMMENT ON FUNCTION uuid_prefix_max(text) IS
    'largest UUID with this prefix';

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
    'starts with';

-- pg_partman passes the id as text to its time decoder. By the type's input function and not a cast, which a user may
-- have redefined.
CREATE FUNCTION uuid_time_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_extract_time(pg_catalog.uuid_in(pg_catalog.textout(id)));
COMMENT ON FUNCTION uuid_time_decoder(text) IS
    'extract timestamp from UUID as text; time decoder for pg_partman';

-- Keep a column equal to the time in the key

CREATE FUNCTION uuid_time_trigger() RETURNS trigger
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'uuidx_time_trigger';
COMMENT ON FUNCTION uuid_time_trigger() IS
    'trigger that sets a column to the time of UUID version 7: arguments key, column and tolerance';

-- Check

CREATE FUNCTION uuidx_check(target regclass DEFAULT NULL)
    RETURNS TABLE (relation regclass, column_name name, kind text, expression text, problem text, remedy text)
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'uuidx_check';
COMMENT ON FUNCTION uuidx_check(regclass) IS
    'each time column, and each key of version 7 in a table without one: what keeps conditions on its time or order by it from the index of the key, and the SQL that changes that; NULL if nothing does; for one table or view, or for all that the caller owns';

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
        'minimum value of all uuid input values';

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
        'maximum value of all uuid input values';
$$;
SELECT uuidx_create_aggregates() WHERE pg_catalog.to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS NULL;
DROP FUNCTION uuidx_create_aggregates();
