-- uuidx in plain SQL, for servers on which no C library can be installed: the functions, operators and aggregates of
-- the extension that SQL can provide, with the same names, arguments and results.
--
-- Missing are uuid_v1, uuid_v5, uuid_v6, uuid_v7_cluster, uuid_v7_advance, uuid_generator_state, uuid_v8_node,
-- uuid_v47_mask, uuid_v47_unmask; before PostgreSQL 18, the order of uuid_v7() in a session; LEAKPROOF; estimates of
-- how many UUIDs are of version 7. "Managed servers" in doc/install.md has the reasons, and how fast it is.
--
-- The owner of a database can run this file, in any schema:
--   BEGIN;
--   CREATE SCHEMA uuidx;
--   SET LOCAL search_path = uuidx;
--   \i uuidx.sql
--   GRANT USAGE ON SCHEMA uuidx TO PUBLIC;
--   COMMIT;
-- It has neither commands of psql nor transaction control, so migration tools and pg_tle can run it, too.
--
-- Bodies are parsed here and once, so that no function depends on the search_path of a session that calls it. Names and
-- operators of PostgreSQL come first in the search_path, which the first statement checks.

DO $$
BEGIN
    IF to_regprocedure(format('%I.uuid_is_v7(uuid)', current_schema())) IS NOT NULL THEN
        RAISE duplicate_function USING MESSAGE = format('uuidx is already installed in schema "%s"', current_schema());
    ELSIF array_position(current_schemas(true), 'pg_catalog') > array_position(current_schemas(true), current_schema())
    THEN
        RAISE 'pg_catalog must be first in search_path to install uuidx';
    END IF;
END
$$;

-- Helpers, whose names begin with uuidx_.

-- Raises an error. Volatile, so that the planner does not raise it when it simplifies an expression.
CREATE FUNCTION uuidx_raise(state text, message text, detail text, hint text) RETURNS uuid
    LANGUAGE plpgsql VOLATILE PARALLEL SAFE
    AS $$
BEGIN
    IF detail IS NOT NULL THEN
        RAISE USING ERRCODE = state, MESSAGE = message, DETAIL = detail;
    ELSIF hint IS NOT NULL THEN
        RAISE USING ERRCODE = state, MESSAGE = message, HINT = hint;
    END IF;
    RAISE USING ERRCODE = state, MESSAGE = message;
END
$$;

CREATE FUNCTION uuidx_raise_time(version integer) RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN uuidx_raise('22008', format('timestamp out of range for UUID version %s', version),
        format('UUID version %s holds times from %s.', version,
            CASE version WHEN 7 THEN '1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC'
                ELSE '1582-10-15 00:00:00 to 5236-03-31 21:21:00.684697 UTC' END), NULL);

-- Returns the 32 hexadecimal digits of a UUID.
CREATE FUNCTION uuidx_hex(id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(uuid_send(id), 'hex');

-- Returns the UUID of 32 hexadecimal digits. By the type's input function and not a cast, which a user may have
-- redefined.
CREATE FUNCTION uuidx_uuid(hex text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_in(textout(hex));

-- Returns the number of at most 16 hexadecimal digits.
CREATE FUNCTION uuidx_number(hex text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CAST(CAST('x' || lpad(hex, 16, '0') AS bit(64)) AS bigint);

-- Returns the 15 digits of a number of 60 bits.
CREATE FUNCTION uuidx_digits(number numeric) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lpad(to_hex(CAST(number AS bigint)), 15, '0');

-- Returns the first 16 digits of a version 6 or 7 UUID, whose timestamp and version these are.
CREATE FUNCTION uuidx_head(version text, ticks numeric) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN overlay(uuidx_digits(ticks) PLACING version FROM 13 FOR 0);

-- Returns the 32 digits with the version and the RFC variant set (RFC 9562, sections 4.1 and 4.2).
CREATE FUNCTION uuidx_stamp(hex text, version text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_uuid(substr(hex, 1, 12) || version || substr(hex, 14, 3)
        || translate(substr(hex, 17, 1), '0123456789abcdef', '89ab89ab89ab89ab') || substr(hex, 18, 15));

-- Returns the time that is so many microseconds after another one, in UTC. In days and seconds, as a floating-point
-- number cannot hold the microseconds of all years.
CREATE FUNCTION uuidx_time(since timestamp, micros bigint) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN timezone('UTC', since + make_interval(days => CAST(micros / 86400000000 AS integer),
        secs => CAST(micros % 86400000000 AS double precision) / 1e6::double precision));

-- Returns seconds since 1970 and since 1582, which must be finite.
CREATE FUNCTION uuidx_unix_seconds("time" timestamptz) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN extract(epoch FROM "time" - timestamptz '1970-01-01 00:00:00+00');
CREATE FUNCTION uuidx_gregorian_seconds("time" timestamptz) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN extract(epoch FROM "time" - timestamptz '1582-10-15 00:00:00+00');

-- True if a UUID of version 7 can hold the time, or one of version 1 or 6.
CREATE FUNCTION uuidx_in_v7_range("time" timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN "time" >= timestamptz '1970-01-01 00:00:00+00' AND "time" < timestamptz '10889-08-02 05:31:50.656+00';
CREATE FUNCTION uuidx_in_gregorian_range("time" timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN "time" >= timestamptz '1582-10-15 00:00:00+00' AND "time" <= timestamptz '5236-03-31 21:21:00.684697+00';

-- Extract

-- 7 of version and 2 of variant. The comparison is <> for the planner, which expects = to hold for few rows.
CREATE FUNCTION uuid_is_v7(id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CAST((get_byte(uuid_send(id), 8) & 192) * 256 + (get_byte(uuid_send(id), 6) & 240) = 128 * 256 + 112
        AS integer) <> 0;

CREATE FUNCTION uuid_extract_variant(id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE get_byte(uuid_send(id), 8) >> 5 WHEN 4 THEN 'rfc9562' WHEN 5 THEN 'rfc9562' WHEN 6 THEN 'microsoft'
        WHEN 7 THEN 'future' ELSE 'ncs' END;

CREATE FUNCTION uuid_extract_version(id uuid) RETURNS smallint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN get_byte(uuid_send(id), 8) >> 6 = 2 THEN CAST(get_byte(uuid_send(id), 6) >> 4 AS smallint) END;

-- Returns the time of a version 7 UUID, 24 bits of milliseconds at a time: an interval is multiplied by a
-- floating-point number, which could not hold the product of all 48.
CREATE FUNCTION uuidx_v7_time(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN timezone('UTC', timestamp '1970-01-01'
        + interval '16777.216 seconds' * (get_byte(uuid_send(id), 0) * 65536 + get_byte(uuid_send(id), 1) * 256
            + get_byte(uuid_send(id), 2))::double precision
        + interval '0.001 seconds' * (get_byte(uuid_send(id), 3) * 65536 + get_byte(uuid_send(id), 4) * 256
            + get_byte(uuid_send(id), 5))::double precision);

-- Returns the timestamp of a version 6 UUID.
CREATE FUNCTION uuidx_v6_ticks(id uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_number(substr(uuidx_hex(id), 1, 12) || substr(uuidx_hex(id), 14, 3));

-- Returns the time of a version 1 or 6 UUID, NULL for another.
CREATE FUNCTION uuidx_gregorian_time(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE uuid_extract_version(id)
        WHEN 1 THEN uuidx_time('1582-10-15', uuidx_number(substr(uuidx_hex(id), 14, 3) || substr(uuidx_hex(id), 9, 4)
            || substr(uuidx_hex(id), 1, 8)) / 10)
        WHEN 6 THEN uuidx_time('1582-10-15', uuidx_v6_ticks(id) / 10) END;

CREATE FUNCTION uuid_extract_time(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_is_v7(id) THEN uuidx_v7_time(id) ELSE uuidx_gregorian_time(id) END;

CREATE FUNCTION uuid_extract_time_precise(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_is_v7(id) THEN uuidx_v7_time(id) + make_interval(
            secs => ((get_byte(uuid_send(id), 6) & 15) * 256 + get_byte(uuid_send(id), 7)) * 1000 / 4096
                / 1e6::double precision)
        ELSE uuid_extract_time(id) END;

CREATE FUNCTION uuid_extract_clock_seq(id uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) IN (1, 6) THEN
        (get_byte(uuid_send(id), 8) & 63) * 256 + get_byte(uuid_send(id), 9) END;

CREATE FUNCTION uuid_extract_node(id uuid) RETURNS macaddr
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) IN (1, 6) THEN macaddr_in(textout(substr(uuidx_hex(id), 21))) END;

CREATE FUNCTION uuid_extract_v8_node(id uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 8 THEN
        CAST(uuidx_number(substr(uuidx_hex(id), 17)) >> 42 & 65535 AS integer) END;

CREATE FUNCTION uuid_extract_v8_time(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 8 THEN
        uuidx_time('1970-01-01', uuidx_number(substr(uuidx_hex(id), 1, 12)) * 1000
            + ((uuidx_number(substr(uuidx_hex(id), 14, 3)) * 16
                + (uuidx_number(substr(uuidx_hex(id), 17, 2)) & 63) / 4) * 1000 >> 16)) END;

-- Returns the fields of a UUID as JSON, from the name of each field and, after it, its place among the digits.
CREATE FUNCTION uuidx_fields(hex text, layout text) RETURNS json
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT CAST('{' || string_agg(format('"%s": "0x%s"', field[1], CASE field[1] WHEN 'var' THEN '2'
                ELSE substr(overlay(hex PLACING translate(substr(hex, 17, 1), '89ab', '0123') FROM 17),
                    CAST(field[2] AS integer), CAST(field[3] AS integer)) END), ', ') || '}' AS json)
        FROM regexp_matches(layout, '(\w+) ?(\d*) ?(\d*)', 'g') AS field);

CREATE FUNCTION uuid_inspect(id uuid, OUT version smallint, OUT variant text, OUT description text,
    OUT "time" timestamptz, OUT clock_seq integer, OUT node macaddr, OUT fields json) RETURNS record
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ROW(uuid_extract_version(id), uuid_extract_variant(id),
        CASE WHEN id = uuid '00000000-0000-0000-0000-000000000000' THEN 'nil'
            WHEN id = uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN 'max'
            WHEN uuid_extract_version(id) IS NULL THEN 'variant outside RFC 9562'
            ELSE coalesce((ARRAY['unused version', 'Gregorian time-based', 'DCE Security, layout outside RFC 9562',
                'name-based, MD5', 'random', 'name-based, SHA-1', 'reordered Gregorian time-based',
                'Unix Epoch time-based', 'custom'])[uuid_extract_version(id) + 1],
                'version reserved for future use') END,
        uuid_extract_time(id), uuid_extract_clock_seq(id), uuid_extract_node(id),
        uuidx_fields(uuidx_hex(id), CASE uuid_extract_version(id)
            WHEN 1 THEN 'time_low 1 8, time_mid 9 4, ver 13 1, time_high 14 3, var, clock_seq 17 4, node 21 12'
            WHEN 3 THEN 'md5_high 1 12, ver 13 1, md5_mid 14 3, var, md5_low 17 16'
            WHEN 4 THEN 'random_a 1 12, ver 13 1, random_b 14 3, var, random_c 17 16'
            WHEN 5 THEN 'sha1_high 1 12, ver 13 1, sha1_mid 14 3, var, sha1_low 17 16'
            WHEN 6 THEN 'time_high 1 8, time_mid 9 4, ver 13 1, time_low 14 3, var, clock_seq 17 4, node 21 12'
            WHEN 7 THEN 'unix_ts_ms 1 12, ver 13 1, rand_a 14 3, var, rand_b 17 16'
            WHEN 8 THEN 'custom_a 1 12, ver 13 1, custom_b 14 3, var, custom_c 17 16' END));

-- Generate

CREATE FUNCTION nil_uuid() RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid '00000000-0000-0000-0000-000000000000';

CREATE FUNCTION max_uuid() RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';

CREATE FUNCTION uuid_v4() RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN gen_random_uuid();

-- Returns a version 7 UUID with a timestamp in units of 1/4096 ms and 62 random bits.
CREATE FUNCTION uuidx_v7(ticks numeric) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN uuidx_uuid(uuidx_head('7', ticks) || substr(textin(uuid_out(gen_random_uuid())), 20));

-- As existing rows may be given a time, its microsecond must be read back: readers round down, so this rounds up.
CREATE FUNCTION uuid_v7_at("time" timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuidx_in_v7_range("time") THEN uuidx_v7(ceil(uuidx_unix_seconds("time") * 4096000))
        ELSE uuidx_raise_time(7) END;

-- The ordinal takes the first 31 of the 62 bits after the version.
CREATE FUNCTION uuid_v7_at("time" timestamptz, ordinal integer) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN CASE WHEN ordinal < 0 THEN uuidx_raise('22003', format('ordinal %s is out of range', ordinal),
            'An ordinal is a number from 0 to 2147483647.', NULL)
        WHEN uuidx_in_v7_range("time") THEN
            uuidx_stamp(uuidx_head('7', ceil(uuidx_unix_seconds("time") * 4096000))
                || lpad(to_hex(CAST(ordinal AS bigint) << 31
                    | (uuidx_number(substr(uuidx_hex(gen_random_uuid()), 25)) & 2147483647)), 16, '0'), '7')
        ELSE uuidx_raise_time(7) END;

-- From PostgreSQL 18 on by its own functions, whose values increase strictly in a session.
DO $do$
BEGIN
    IF to_regprocedure('pg_catalog.uuidv7(interval)') IS NOT NULL THEN
        CREATE FUNCTION uuid_v7() RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN pg_catalog.uuidv7();
        CREATE FUNCTION uuid_v7(shift interval) RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN CASE WHEN uuidx_in_v7_range(clock_timestamp() + shift) THEN pg_catalog.uuidv7(shift)
                ELSE uuidx_raise_time(7) END;
    ELSE
        CREATE FUNCTION uuid_v7() RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN uuidx_v7(floor(uuidx_unix_seconds(clock_timestamp()) * 4096000));
        CREATE FUNCTION uuid_v7(shift interval) RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN uuid_v7_at(clock_timestamp() + shift);
    END IF;
END
$do$;

-- Returns 16 digits: the RFC variant, a random clock sequence, and a random node with the multicast bit, so that it is
-- no network card's address.
CREATE FUNCTION uuidx_random_node() RETURNS text
    LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN substr(encode(set_bit(uuid_send(gen_random_uuid()), 80, 1), 'hex'), 17);

CREATE FUNCTION uuid_v6_at("time" timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuidx_in_gregorian_range("time") THEN
            uuidx_uuid(uuidx_head('6', uuidx_gregorian_seconds("time") * 10000000) || uuidx_random_node())
        ELSE uuidx_raise_time(6) END;

-- Returns the first 16 digits of a version 1 UUID from the 15 digits of its timestamp.
CREATE FUNCTION uuidx_v1_head(digits text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substr(digits, 8, 8) || substr(digits, 4, 4) || '1' || substr(digits, 1, 3);

CREATE FUNCTION uuid_v1_at("time" timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuidx_in_gregorian_range("time") THEN
            uuidx_uuid(uuidx_v1_head(uuidx_digits(uuidx_gregorian_seconds("time") * 10000000)) || uuidx_random_node())
        ELSE uuidx_raise_time(1) END;

CREATE FUNCTION uuid_v8(data bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN length(data) = 16 THEN uuidx_stamp(encode(data, 'hex'), '8')
        ELSE uuidx_raise('22023', 'invalid input length for UUID version 8',
            format('Expected 16 bytes, got %s.', length(data)), NULL) END;

CREATE FUNCTION uuid_namespace(name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE lower(name COLLATE "C")
        WHEN 'dns' THEN uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
        WHEN 'url' THEN uuid '6ba7b811-9dad-11d1-80b4-00c04fd430c8'
        WHEN 'oid' THEN uuid '6ba7b812-9dad-11d1-80b4-00c04fd430c8'
        WHEN 'x500' THEN uuid '6ba7b814-9dad-11d1-80b4-00c04fd430c8'
        ELSE uuidx_raise('22023', format('unrecognized UUID namespace: "%s"', name), NULL,
            'The namespaces are "dns", "url", "oid", and "x500"; for another one, pass its UUID instead.') END;

CREATE FUNCTION uuid_v3(ns uuid, name bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(md5(uuid_send(ns) || name), '3');

CREATE FUNCTION uuid_v3(ns uuid, name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_v3(ns, convert_to(name, 'UTF8'));

-- Returns the digest as digits. In PL/pgSQL, which prepares it once, while SQL would in each call of a caller.
CREATE FUNCTION uuidx_digest(algorithm text, data bytea) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    digest text := CASE lower(algorithm COLLATE "C")
        WHEN 'md5' THEN md5(data)
        WHEN 'sha224' THEN encode(sha224(data), 'hex')
        WHEN 'sha256' THEN encode(sha256(data), 'hex')
        WHEN 'sha384' THEN encode(sha384(data), 'hex')
        WHEN 'sha512' THEN encode(sha512(data), 'hex') END;
BEGIN
    IF digest IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = format('unrecognized digest algorithm: "%s"', algorithm),
            HINT = 'Use "md5", "sha224", "sha256", "sha384", or "sha512".';
    END IF;
    RETURN digest;
END
$$;

CREATE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(uuidx_digest(algorithm, uuid_send(ns) || name), '8');

CREATE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(uuidx_digest(algorithm, uuid_send(ns) || convert_to(name, 'UTF8')), '8');

CREATE FUNCTION uuid_v7_at("time" timestamptz, ns uuid, name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuidx_in_v7_range("time") THEN
            uuidx_stamp(uuidx_head('7', ceil(uuidx_unix_seconds("time") * 4096000))
                || substr(uuidx_digest('sha256', uuid_send(ns) || convert_to(name, 'UTF8')), 17, 16), '7')
        ELSE uuidx_raise_time(7) END;

-- Query by time

-- Returns the UUID with a timestamp in units of 1/4096 ms, version 7, and these digits after it.
CREATE FUNCTION uuidx_bound(ticks numeric, tail text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_uuid(uuidx_head('7', ticks) || tail);

-- The bounds of a time. They are not written for the planner to inline, so that it shows their names in a plan.
CREATE FUNCTION uuid_v7_min("time" timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN "time" < timestamptz '1970-01-01 00:00:00+00' THEN uuid '00000000-0000-0000-0000-000000000000'
        WHEN "time" > timestamptz '10889-08-02 05:31:50.655+00' THEN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        ELSE uuidx_bound(ceil(uuidx_unix_seconds("time") * 1000) * 4096, '8000000000000000') END;

CREATE FUNCTION uuid_v7_max("time" timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN "time" < timestamptz '1970-01-01 00:00:00+00' THEN uuid '00000000-0000-0000-0000-000000000000'
        WHEN "time" >= timestamptz '10889-08-02 05:31:50.656+00' THEN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        ELSE uuidx_bound(floor(uuidx_unix_seconds("time") * 1000) * 4096 + 4095, 'bfffffffffffffff') END;

CREATE FUNCTION uuid_v6_min("time" timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuidx_in_gregorian_range("time") THEN
            uuidx_uuid(uuidx_head('6', uuidx_gregorian_seconds("time") * 10000000) || '8000000000000000')
        WHEN "time" < timestamptz '1582-10-15 00:00:00+00' THEN uuid '00000000-0000-0000-0000-000000000000'
        ELSE uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff' END;

-- The last of the ten ticks in the microsecond, except that the range ends within its last microsecond.
CREATE FUNCTION uuid_v6_max("time" timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuidx_in_gregorian_range("time") THEN
            uuidx_uuid(uuidx_head('6', least(uuidx_gregorian_seconds("time") * 10000000 + 9, 1152921504606846975))
                || 'bfffffffffffffff')
        WHEN "time" < timestamptz '1582-10-15 00:00:00+00' THEN uuid '00000000-0000-0000-0000-000000000000'
        ELSE uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff' END;

-- Compare with a time: true if the UUID is of version 7 and its time compares so, false for every other UUID. The
-- bodies are simple enough for the planner to inline: it then sees a comparison of two UUIDs, and the test of the
-- version. They are not STRICT, as AND is not: the planner would not inline them.

CREATE FUNCTION uuid_lt_timestamptz(id uuid, "time" timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min("time") AND uuid_is_v7(id);

CREATE FUNCTION uuid_le_timestamptz(id uuid, "time" timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max("time") AND uuid_is_v7(id);

CREATE FUNCTION uuid_ge_timestamptz(id uuid, "time" timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min("time") AND uuid_is_v7(id);

CREATE FUNCTION uuid_gt_timestamptz(id uuid, "time" timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max("time") AND uuid_is_v7(id);

CREATE FUNCTION timestamptz_lt_uuid("time" timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max("time") AND uuid_is_v7(id);

CREATE FUNCTION timestamptz_le_uuid("time" timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min("time") AND uuid_is_v7(id);

CREATE FUNCTION timestamptz_ge_uuid("time" timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max("time") AND uuid_is_v7(id);

CREATE FUNCTION timestamptz_gt_uuid("time" timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min("time") AND uuid_is_v7(id);

CREATE OPERATOR < (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_lt_timestamptz,
    COMMUTATOR = >,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

CREATE OPERATOR <= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_le_timestamptz,
    COMMUTATOR = >=,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

CREATE OPERATOR >= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_ge_timestamptz,
    COMMUTATOR = <=,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR > (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuid_gt_timestamptz,
    COMMUTATOR = <,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_lt_uuid,
    COMMUTATOR = >,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_le_uuid,
    COMMUTATOR = >=,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_ge_uuid,
    COMMUTATOR = <=,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = timestamptz_gt_uuid,
    COMMUTATOR = <,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

-- Time ranges. The operators take domains for the reason given in the extension's script: a literal beside a range
-- would otherwise be read as a UUID.

CREATE DOMAIN uuid_period AS tstzrange;
CREATE DOMAIN uuid_periods AS tstzmultirange;

-- The bounds of a range without a UUID may differ from those of the extension, but the lower one is above the upper
-- one. Each function is one expression without calls of the others, which PostgreSQL would prepare anew in each call.

CREATE FUNCTION uuid_v7_lower(period tstzrange) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE
        WHEN isempty(period) OR NOT lower_inc(period) AND lower(period) >= timestamptz '10889-08-02 05:31:50.656+00'
        THEN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        WHEN NOT upper_inc(period) AND upper(period) < timestamptz '1970-01-01 00:00:00+00'
        THEN uuid '00000000-0000-0000-0000-000000000001'
        WHEN lower_inf(period) OR lower_inc(period) AND lower(period) < timestamptz '1970-01-01 00:00:00+00'
        THEN uuid '00000000-0000-0000-0000-000000000000'
        WHEN lower(period) < timestamptz '1970-01-01 00:00:00+00' THEN uuid '00000000-0000-0000-0000-000000000001'
        WHEN lower_inc(period) AND lower(period) > timestamptz '10889-08-02 05:31:50.655+00'
        THEN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        WHEN lower_inc(period)
        THEN uuidx_bound(ceil(uuidx_unix_seconds(lower(period)) * 1000) * 4096, '8000000000000000')
        ELSE uuidx_bound(floor(uuidx_unix_seconds(lower(period)) * 1000) * 4096 + 4095, 'c000000000000000') END;

CREATE FUNCTION uuid_v7_upper(period tstzrange) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE
        WHEN isempty(period) OR upper(period) < timestamptz '1970-01-01 00:00:00+00'
        THEN uuid '00000000-0000-0000-0000-000000000000'
        WHEN NOT lower_inc(period) AND lower(period) >= timestamptz '10889-08-02 05:31:50.656+00'
        THEN uuid 'ffffffff-ffff-ffff-ffff-fffffffffffe'
        WHEN upper_inf(period) OR upper_inc(period) AND upper(period) >= timestamptz '10889-08-02 05:31:50.656+00'
        THEN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        WHEN upper_inc(period)
        THEN uuidx_bound(floor(uuidx_unix_seconds(upper(period)) * 1000) * 4096 + 4095, 'bfffffffffffffff')
        WHEN upper(period) > timestamptz '10889-08-02 05:31:50.655+00' THEN uuid 'ffffffff-ffff-ffff-ffff-fffffffffffe'
        ELSE uuidx_bound(ceil(uuidx_unix_seconds(upper(period)) * 1000) * 4096, '7fffffffffffffff') END;

CREATE FUNCTION uuid_v7_lower(periods tstzmultirange) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN coalesce((SELECT lowest FROM unnest(periods) AS period, uuid_v7_lower(period) AS lowest
            WHERE lowest <= uuid_v7_upper(period) ORDER BY lowest LIMIT 1),
        uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff');

CREATE FUNCTION uuid_v7_upper(periods tstzmultirange) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN coalesce((SELECT highest FROM unnest(periods) AS period, uuid_v7_upper(period) AS highest
            WHERE highest >= uuid_v7_lower(period) ORDER BY highest DESC LIMIT 1),
        uuid '00000000-0000-0000-0000-000000000000');

CREATE FUNCTION uuid_recheck_periods(id uuid, periods tstzmultirange) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN uuidx_v7_time(id) OPERATOR(pg_catalog.<@) periods AND uuid_is_v7(id);

CREATE FUNCTION uuid_contained_by_period(id uuid, period uuid_period) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_lower(period) AND id OPERATOR(pg_catalog.<=) uuid_v7_upper(period)
        AND uuid_is_v7(id);

CREATE FUNCTION period_contains_uuid(period uuid_period, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_lower(period) AND id OPERATOR(pg_catalog.<=) uuid_v7_upper(period)
        AND uuid_is_v7(id);

CREATE OPERATOR <@ (
    LEFTARG = uuid, RIGHTARG = uuid_period, FUNCTION = uuid_contained_by_period,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = areajoinsel
);

CREATE OPERATOR @> (
    LEFTARG = uuid_period, RIGHTARG = uuid, FUNCTION = period_contains_uuid,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = areajoinsel
);

CREATE FUNCTION uuid_contained_by_periods(id uuid, periods uuid_periods) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_lower(periods) AND id OPERATOR(pg_catalog.<=) uuid_v7_upper(periods)
        AND uuid_recheck_periods(id, periods);

CREATE FUNCTION periods_contain_uuid(periods uuid_periods, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_lower(periods) AND id OPERATOR(pg_catalog.<=) uuid_v7_upper(periods)
        AND uuid_recheck_periods(id, periods);

CREATE OPERATOR <@ (
    LEFTARG = uuid, RIGHTARG = uuid_periods, FUNCTION = uuid_contained_by_periods,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = areajoinsel
);

CREATE OPERATOR @> (
    LEFTARG = uuid_periods, RIGHTARG = uuid, FUNCTION = periods_contain_uuid,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = areajoinsel
);

CREATE FUNCTION uuid_time_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_extract_time(uuid_in(textout(id)));

-- Convert

CREATE FUNCTION uuid_to_bytea(id uuid) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_send(id);

CREATE FUNCTION uuid_from_bytea(octets bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN length(octets) = 16 THEN uuidx_uuid(encode(octets, 'hex'))
        ELSE uuidx_raise('22P03', 'invalid input length for type uuid',
            format('Expected 16 bytes, got %s.', length(octets)), NULL) END;

CREATE FUNCTION uuid_swap_guid(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_uuid(regexp_replace(uuidx_hex(id), '^(..)(..)(..)(..)(..)(..)(..)(..)', '\4\3\2\1\6\5\8\7'));

-- Raises the error for a UUID of the wrong version, naming the one that it has.
CREATE FUNCTION uuidx_raise_version(id uuid, wanted text) RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN uuidx_raise('22023', CASE WHEN uuid_extract_variant(id) = 'rfc9562'
            THEN format('UUID is of version %s, not %s', uuid_extract_version(id), wanted)
            ELSE format('UUID is of variant %s, not of version %s', uuid_extract_variant(id), wanted) END, NULL, NULL);

CREATE FUNCTION uuid_v1_to_v6(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 1 THEN
            uuidx_uuid(substr(uuidx_hex(id), 14, 3) || substr(uuidx_hex(id), 9, 4) || substr(uuidx_hex(id), 1, 5) || '6'
                || substr(uuidx_hex(id), 6, 3) || substr(uuidx_hex(id), 17))
        ELSE uuidx_raise_version(id, '1') END;

CREATE FUNCTION uuid_v6_to_v1(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 6 THEN
            uuidx_uuid(uuidx_v1_head(substr(uuidx_hex(id), 1, 12) || substr(uuidx_hex(id), 14, 3))
                || substr(uuidx_hex(id), 17))
        ELSE uuidx_raise_version(id, '6') END;

-- Returns the version 7 UUID of a version 6 UUID, whose time is so many units of 100 ns after 1970. The fraction is
-- rounded down, except that it is at least the first step of its microsecond: so that is read back, and order is kept.
CREATE FUNCTION uuidx_v6_to_v7(id uuid, ticks bigint) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN ticks >= 0 THEN
            uuidx_stamp(lpad(to_hex(ticks / 10000 * 65536
                + greatest(ticks % 10000 * 4096 / 10000, (ticks % 10000 / 10 * 4096 + 999) / 1000)), 16, '0')
                || encode(sha256(uuid_send(id)), 'hex'), '7')
        ELSE uuidx_raise_time(7) END;

CREATE FUNCTION uuidx_v6_to_v7(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_v6_to_v7(id, uuidx_v6_ticks(id) - 122192928000000000);

CREATE FUNCTION uuid_to_v7(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE uuid_extract_version(id) WHEN 1 THEN uuidx_v6_to_v7(uuid_v1_to_v6(id)) WHEN 6 THEN uuidx_v6_to_v7(id)
        ELSE uuidx_raise_version(id, '1 or 6') END;

-- Other text formats. Each writes a number in the digits of an alphabet: that of the UUID, times a scale if zero bits
-- follow it.

CREATE FUNCTION uuidx_to_number(id uuid) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_number(substr(uuidx_hex(id), 1, 8)) * 79228162514264337593543950336
        + uuidx_number(substr(uuidx_hex(id), 9, 12)) * numeric '281474976710656'
        + uuidx_number(substr(uuidx_hex(id), 21));

CREATE FUNCTION uuidx_write(number numeric, alphabet text, width integer) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    base numeric := length(alphabet);
    written text := '';
BEGIN
    FOR i IN 1..width LOOP
        written := substr(alphabet, 1 + CAST(number % base AS integer), 1) || written;
        number := div(number, base);
    END LOOP;
    RETURN written;
END
$$;

-- Returns the digits of the UUID that a text writes, or raises an error at its first fault. `digits` is the text in the
-- letter case of the alphabet, `form` has an # for each digit, and a first digit after `last_first` is too large.
CREATE FUNCTION uuidx_read(data text, what text, digits text, alphabet text, form text, scale integer,
    last_first text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    base integer := length(alphabet);
    end_of_range numeric := scale * 340282366920938463463374607431768211456;
    number numeric := 0;
    digit integer;
    fault text;
BEGIN
    FOR i IN 1..greatest(length(data), length(form)) LOOP
        digit := strpos(alphabet, substr(digits, i, 1)) - 1;
        IF i > length(data) THEN
            fault := 'Unexpected end of text at position %2$s.';
        ELSIF i > length(form) THEN
            fault := 'Unexpected trailing character "%s" at position %s.';
        ELSIF substr(form, i, 1) = '#' AND digit < 0 OR substr(form, i, 1) NOT IN ('#', substr(digits, i, 1)) THEN
            fault := 'Unexpected character "%s" at position %s.';
        ELSIF substr(form, i, 1) = '#' THEN
            number := number * base + digit;
            fault := CASE WHEN number >= end_of_range OR i = strpos(form, '#') AND digit >= strpos(alphabet, last_first)
                THEN 'Character "%s" at position %s makes the value exceed 128 bits.'
                WHEN i = length(rtrim(form, '=')) AND number % scale <> 0
                THEN 'Character "%s" at position %s sets bits beyond the first 128.'
                WHEN base = 10 AND i = 1 AND digit = 0 AND length(data) > 1
                THEN 'Character "%s" at position %s is a leading zero.' END;
        END IF;
        IF fault IS NOT NULL THEN
            RAISE invalid_text_representation USING DETAIL = format(fault, substr(data, i, 1), i),
                MESSAGE = format('invalid input syntax for %s: "%s"', what, data);
        END IF;
    END LOOP;
    number := div(number, scale);
    RETURN lpad(to_hex(CAST(div(number, 79228162514264337593543950336) AS bigint)), 8, '0')
        || lpad(to_hex(CAST(div(number, 281474976710656) % 281474976710656 AS bigint)), 12, '0')
        || lpad(to_hex(CAST(number % 281474976710656 AS bigint)), 12, '0');
END
$$;

CREATE FUNCTION uuidx_raise_format(format text) RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN uuidx_raise('22023', format('unrecognized UUID format: "%s"', format), NULL,
        'Supported formats are "ulid", "base32hex", "base58", "base64url", "hex", "urn", and "decimal".');

CREATE FUNCTION uuid_encode(id uuid, format text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE lower(format COLLATE "C")
        WHEN 'ulid' THEN uuidx_write(uuidx_to_number(id), '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 26)
        WHEN 'base32hex' THEN uuidx_write(uuidx_to_number(id) * 4, '0123456789ABCDEFGHIJKLMNOPQRSTUV', 26)
        WHEN 'base58' THEN
            uuidx_write(uuidx_to_number(id), '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 22)
        WHEN 'base64url' THEN rtrim(translate(encode(uuid_send(id), 'base64'), '+/', '-_'), '=')
        WHEN 'hex' THEN uuidx_hex(id)
        WHEN 'urn' THEN 'urn:uuid:' || textin(uuid_out(id))
        WHEN 'decimal' THEN textin(numeric_out(uuidx_to_number(id)))
        ELSE uuidx_hex(uuidx_raise_format(format)) END;

CREATE FUNCTION uuidx_format(format text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN format('UUID format "%s"', format);

CREATE FUNCTION uuid_decode(data text, format text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_uuid(CASE lower(format COLLATE "C")
        WHEN 'ulid' THEN uuidx_read(data, uuidx_format(format), translate(upper(data COLLATE "C"), 'ILO', '110'),
            '0123456789ABCDEFGHJKMNPQRSTVWXYZ', repeat('#', 26), 1, '7')
        WHEN 'base32hex' THEN uuidx_read(data, uuidx_format(format), upper(data COLLATE "C"),
            '0123456789ABCDEFGHIJKLMNOPQRSTUV',
            repeat('#', 26) || CASE WHEN length(data) = 32 AND right(data, 6) = '======' THEN '======' ELSE '' END,
            4, NULL)
        WHEN 'base58' THEN uuidx_read(data, uuidx_format(format), data,
            '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', repeat('#', 22), 1, NULL)
        WHEN 'base64url' THEN uuidx_read(data, uuidx_format(format), data,
            'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', repeat('#', 22), 16, NULL)
        WHEN 'hex' THEN uuidx_read(data, uuidx_format(format), lower(data COLLATE "C"), '0123456789abcdef',
            repeat('#', 32), 1, NULL)
        WHEN 'urn' THEN uuidx_read(data, uuidx_format(format), lower(data COLLATE "C"), '0123456789abcdef',
            'urn:uuid:########-####-####-####-############', 1, NULL)
        WHEN 'decimal' THEN uuidx_read(data, uuidx_format(format), data,
            '0123456789', repeat('#', greatest(length(data), 1)), 1, NULL)
        ELSE uuidx_hex(uuidx_raise_format(format)) END);

-- TypeID

-- Returns the prefix of a TypeID, which ends at the last underscore, or raises an error at its first fault.
CREATE FUNCTION uuidx_typeid_prefix(typeid text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    prefix text := substring(typeid FROM '^(.*)_');
BEGIN
    FOR i IN 1..CASE WHEN prefix IS NULL THEN 0 ELSE greatest(length(prefix), 1) END LOOP
        IF i > 63 OR substr(typeid, i, 1) !~ '[a-z_]' COLLATE "C"
            OR substr(typeid, i, 1) = '_' AND i IN (1, length(prefix)) THEN
            RAISE invalid_text_representation USING MESSAGE = format('invalid input syntax for TypeID: "%s"', typeid),
                DETAIL = format('Unexpected character "%s" at position %s.', substr(typeid, i, 1), i);
        END IF;
    END LOOP;
    RETURN coalesce(prefix, '');
END
$$;

-- Returns a prefix given for a TypeID, or raises an error if it is none.
CREATE FUNCTION uuidx_checked_prefix(prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN prefix ~ '^([a-z]([a-z_]{0,61}[a-z])?)?$' COLLATE "C" THEN prefix
        ELSE uuidx_hex(uuidx_raise('22023', format('invalid TypeID prefix: "%s"', prefix),
            'A prefix has at most 63 characters, lower-case letters a to z and, between them, underscores.', NULL)) END;

CREATE FUNCTION uuid_to_typeid(id uuid, prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_checked_prefix(prefix) || CASE prefix WHEN '' THEN '' ELSE '_' END
        || uuidx_write(uuidx_to_number(id), '0123456789abcdefghjkmnpqrstvwxyz', 26);

CREATE FUNCTION uuid_from_typeid(typeid text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_uuid(uuidx_read(typeid, 'TypeID', typeid, '0123456789abcdefghjkmnpqrstvwxyz',
        uuidx_typeid_prefix(typeid) || CASE WHEN strpos(typeid, '_') > 0 THEN '_' ELSE '' END || repeat('#', 26),
        1, '7'));

CREATE FUNCTION typeid_prefix(typeid text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN uuid_from_typeid(typeid) IS NOT NULL THEN uuidx_typeid_prefix(typeid) END;

CREATE FUNCTION uuid_from_typeid(typeid text, prefix text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN typeid_prefix(typeid) = uuidx_checked_prefix(prefix) THEN uuid_from_typeid(typeid)
        ELSE uuidx_raise('22023', format('TypeID has prefix "%s", not "%s"', typeid_prefix(typeid), prefix), NULL, NULL)
        END;

-- Look up by the first digits

-- Returns the UUID whose text begins with a prefix and goes on with the other digit, or raises an error at the prefix's
-- first fault.
CREATE FUNCTION uuidx_prefix(prefix text, digit text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    digits text := '';
    c text;
BEGIN
    FOR i IN 1..length(prefix) LOOP
        c := substr(prefix, i, 1);
        IF c = '-' AND length(digits) IN (8, 12, 16, 20) AND substr(prefix, i - 1, 1) <> '-' THEN
            CONTINUE;
        ELSIF c !~ '[0-9A-Fa-f]' COLLATE "C" OR length(digits) = 32 THEN
            RAISE invalid_text_representation USING
                MESSAGE = format('invalid input syntax for UUID prefix: "%s"', prefix),
                DETAIL = format(CASE WHEN c ~ '[0-9A-Fa-f]' COLLATE "C"
                    THEN 'Unexpected trailing character "%s" at position %s.'
                    ELSE 'Unexpected character "%s" at position %s.' END, c, i);
        END IF;
        digits := digits || c;
    END LOOP;
    RETURN CAST(rpad(digits, 32, digit) AS uuid);
END
$$;

CREATE FUNCTION uuid_prefix_min(prefix text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_prefix(prefix, '0');

CREATE FUNCTION uuid_prefix_max(prefix text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_prefix(prefix, 'f');

CREATE FUNCTION uuid_starts_with(id uuid, prefix text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_prefix_min(prefix) AND id OPERATOR(pg_catalog.<=) uuid_prefix_max(prefix);

CREATE OPERATOR ^@ (
    LEFTARG = uuid, RIGHTARG = text, FUNCTION = uuid_starts_with,
    RESTRICT = matchingsel, JOIN = matchingjoinsel
);

-- Aggregates, unless the server has them.
DO $$
BEGIN
    IF to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS NOT NULL THEN
        RETURN;
    END IF;

    CREATE FUNCTION uuidx_smaller(a uuid, b uuid) RETURNS uuid
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN least(a, b);
    CREATE FUNCTION uuidx_larger(a uuid, b uuid) RETURNS uuid
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN greatest(a, b);

    CREATE AGGREGATE min(uuid) (
        SFUNC = uuidx_smaller,
        STYPE = uuid,
        COMBINEFUNC = uuidx_smaller,
        SORTOP = OPERATOR(pg_catalog.<),
        PARALLEL = SAFE
    );

    CREATE AGGREGATE max(uuid) (
        SFUNC = uuidx_larger,
        STYPE = uuid,
        COMBINEFUNC = uuidx_larger,
        SORTOP = OPERATOR(pg_catalog.>),
        PARALLEL = SAFE
    );
END
$$;
