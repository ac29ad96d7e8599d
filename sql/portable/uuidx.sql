-- uuidx in plain SQL, for servers on which no C library can be installed: the functions, operators and aggregates of
-- the extension that SQL can provide, with the same names, arguments and results. doc/managed.md lists what is missing
-- and why, and how to install, upgrade and remove it.
--
-- The owner of a database can run this file, in any schema:
--   BEGIN;
--   CREATE SCHEMA uuidx;
--   SET LOCAL search_path = uuidx, pg_temp;
--   \i uuidx.sql
--   GRANT USAGE ON SCHEMA uuidx TO PUBLIC;
--   GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA uuidx TO PUBLIC;
--   COMMIT;
-- Where an older version is installed, this upgrades it in place. The file has neither commands of psql nor transaction
-- control, so migration tools and pg_tle can run it, too.
--
-- How functions are written, as this decides how fast they are:
-- - Short expressions are SQL functions that the planner inlines. That forbids STRICT if they use CASE or AND; their
--   results are NULL for NULL all the same. An argument that is used twice must be cheap.
-- - All others are PL/pgSQL, which is prepared once in a session. PostgreSQL would plan an SQL function that it cannot
--   inline again in each query, and those called by it in each call.
-- - A VOLATILE function is always inlined: it has each argument once, and an IMMUTABLE helper takes the clock and the
--   random bits as arguments. One that is called starts a command, which a parallel CREATE TABLE AS does not allow.
-- - No name depends on the search_path of the session. SQL bodies are parsed here, once. PL/pgSQL functions set it;
--   those that are called most name the schema of each operator instead, as setting it takes longer than what they do.
-- - Operands and arguments have exactly the types of an operator or a function in pg_catalog, so that no other one
--   matches better. Where that takes any type, its schema is named.

-- Whoever can create objects in a schema of the path could have the file's names mean others. As that is not excluded
-- yet, functions, types and tables name their schema here; so do operators until pg_catalog is known to be first.
DO $$
DECLARE
    path pg_catalog.name[] := pg_catalog.current_schemas(true);
    here pg_catalog.name := pg_catalog.current_schema();
    stranger pg_catalog.record;
BEGIN
    IF here IS NULL THEN
        RAISE invalid_schema_name USING MESSAGE = 'no schema has been selected to install uuidx in';
    ELSIF here OPERATOR(pg_catalog.^@) 'pg_temp_' THEN
        RAISE invalid_schema_name USING MESSAGE = 'uuidx cannot be installed in a temporary schema';
    ELSIF pg_catalog.array_position(path, pg_catalog.name 'pg_catalog')
            OPERATOR(pg_catalog.>) pg_catalog.array_position(path, here) THEN
        RAISE 'pg_catalog must be first in search_path to install uuidx';
    END IF;

    SELECT nspname AS schema, coalesce(rolname, 'public') AS role,
            creator.role = coalesce(datdba, nspowner) AND pg_catalog.pg_has_role(creator.role, 'MEMBER') AS is_mine
        INTO stranger
        FROM pg_catalog.pg_namespace AS schema
            LEFT JOIN pg_catalog.pg_database
                ON nspowner = CAST(pg_catalog.regrole 'pg_database_owner' AS pg_catalog.oid)
                    AND datname = pg_catalog.current_database(),
            LATERAL (
                SELECT grantee AS role FROM pg_catalog.aclexplode(nspacl)
                    WHERE privilege_type = 'CREATE' AND grantee <> nspowner
                UNION SELECT coalesce(datdba, nspowner)
                UNION SELECT proowner FROM pg_catalog.pg_proc WHERE pronamespace = schema.oid
                UNION SELECT oprowner FROM pg_catalog.pg_operator WHERE oprnamespace = schema.oid
                UNION SELECT typowner FROM pg_catalog.pg_type WHERE typnamespace = schema.oid
                UNION SELECT relowner FROM pg_catalog.pg_class WHERE relnamespace = schema.oid
                UNION SELECT proowner FROM pg_catalog.pg_cast
                    JOIN pg_catalog.pg_proc AS f ON f.oid = CAST(castfunc AS oid)
                    JOIN pg_catalog.pg_type AS t ON t.oid = castsource OR t.oid = casttarget
                    WHERE typnamespace = schema.oid) AS creator
            LEFT JOIN pg_catalog.pg_roles AS role ON role.oid = creator.role
        WHERE nspname = ANY (path) AND nspname <> 'pg_catalog'
            AND coalesce(NOT rolsuper AND rolname <> current_user, true)
        LIMIT 1;
    IF FOUND THEN
        RAISE insufficient_privilege USING
            MESSAGE = pg_catalog.format('role "%s" can create objects in schema %I, or has done so', stranger.role,
                stranger.schema),
            HINT = CASE WHEN stranger.schema OPERATOR(pg_catalog.^@) 'pg_temp_' THEN 'Install uuidx in a new session.'
                WHEN stranger.is_mine THEN pg_catalog.format('Run SET ROLE %I first.', stranger.role)
                ELSE 'Set search_path to a schema of your own alone, in which no other role can create objects.' END;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION uuidx_version() RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN '1.0.0';

-- Helpers, whose names begin with uuidx_. One whose arguments or result change gets another name, as those of an
-- existing function cannot be replaced.

-- Returns the 32 hexadecimal digits of a UUID.
CREATE OR REPLACE FUNCTION uuidx_hex(id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(uuid_send(id), 'hex');

-- Returns the UUID of 32 hexadecimal digits. By the type's input function and not a cast, which a user may have
-- redefined.
CREATE OR REPLACE FUNCTION uuidx_uuid(hex text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_in(textout(hex));

-- Returns a text in UTF-8. Not inlined: convert_to is STABLE, as a conversion can be replaced by another one.
CREATE OR REPLACE FUNCTION uuidx_utf8(name text) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    RETURN pg_catalog.convert_to(name, 'UTF8');
END
$$;

-- Returns 16 bytes with the version and the RFC variant set (RFC 9562, sections 4.1 and 4.2).
CREATE OR REPLACE FUNCTION uuidx_stamp(data bytea, version integer) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    RETURN pg_catalog.uuid_in(pg_catalog.textout(pg_catalog.encode(pg_catalog.set_byte(pg_catalog.set_byte(data,
        6, version OPERATOR(pg_catalog.*) 16
            OPERATOR(pg_catalog.|) (pg_catalog.get_byte(data, 6) OPERATOR(pg_catalog.&) 15)),
        8, 128 OPERATOR(pg_catalog.|) (pg_catalog.get_byte(data, 8) OPERATOR(pg_catalog.&) 63)), 'hex')));
END
$$;

-- Extract

-- uuid_is_v7 compares by <> for the planner, which expects = to hold for few rows. From PostgreSQL 17 on, the server's
-- own function takes a fifth of the time. It has no version for other variants: `id <> id` is false then, and NULL for
-- NULL. Before, 135 is 7 of the version and 2 of the variant.
DO $do$
BEGIN
    IF pg_catalog.to_regprocedure('pg_catalog.uuid_extract_version(pg_catalog.uuid)') IS NOT NULL THEN
        CREATE OR REPLACE FUNCTION uuid_is_v7(id uuid) RETURNS boolean
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CAST(coalesce(pg_catalog.uuid_extract_version(id) = 7::smallint, id <> id) AS integer) <> 0;
        CREATE OR REPLACE FUNCTION uuid_extract_version(id uuid) RETURNS smallint
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN pg_catalog.uuid_extract_version(id);
    ELSE
        CREATE OR REPLACE FUNCTION uuid_is_v7(id uuid) RETURNS boolean
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN CAST(((get_byte(uuid_send(id), 6) >> 4) | (get_byte(uuid_send(id), 8) & 192)) = 135
                AS integer) <> 0;
        CREATE OR REPLACE FUNCTION uuid_extract_version(id uuid) RETURNS smallint
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN get_byte(uuid_send(id), 8) >> 6 = 2
                THEN CAST(get_byte(uuid_send(id), 6) >> 4 AS smallint) END;
    END IF;
END
$do$;

CREATE OR REPLACE FUNCTION uuid_extract_variant(id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (CAST('{ncs,ncs,ncs,ncs,rfc9562,rfc9562,microsoft,future}' AS text[]))[
        (get_byte(uuid_send(id), 8) >> 5) + 1];

-- Returns the milliseconds of a version 7 UUID as a time in UTC, 24 bits at a time: an interval is multiplied by a
-- floating-point number, which could not hold the product of all 48.
CREATE OR REPLACE FUNCTION uuidx_v7_timestamp(id uuid) RETURNS timestamp
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN timestamp '1970-01-01'
        + interval '16777.216 seconds' * (get_byte(uuid_send(id), 0) * 65536 + get_byte(uuid_send(id), 1) * 256
            + get_byte(uuid_send(id), 2))::double precision
        + interval '0.001 seconds' * (get_byte(uuid_send(id), 3) * 65536 + get_byte(uuid_send(id), 4) * 256
            + get_byte(uuid_send(id), 5))::double precision;

-- Returns the time of a version 1 or 6 UUID, NULL for another. In days and seconds, as a floating-point number cannot
-- hold the microseconds of all years.
CREATE OR REPLACE FUNCTION uuidx_gregorian_time(id uuid) RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    hex text := encode(uuid_send(id), 'hex');
    digits text := CASE WHEN get_byte(uuid_send(id), 8) >> 6 = 2 THEN
        CASE substr(hex, 13, 1) WHEN '1' THEN substr(hex, 14, 3) || substr(hex, 9, 4) || substr(hex, 1, 8)
            WHEN '6' THEN substr(hex, 1, 12) || substr(hex, 14, 3) END END;
    micros bigint := CAST(bit_in(textout('x0' || digits), oid '0', 64) AS bigint) / 10;
BEGIN
    RETURN timezone('UTC', timestamp '1582-10-15' + make_interval(days => CAST(micros / 86400000000 AS integer),
        secs => CAST(micros % 86400000000 AS double precision) / 1e6::double precision));
END
$$;

-- From PostgreSQL 18 on by the server's own functions. As they are leakproof, an index on a time is also used under
-- row-level security.
DO $do$
BEGIN
    IF pg_catalog.to_regprocedure('pg_catalog.uuidv7(interval)') IS NOT NULL THEN
        CREATE OR REPLACE FUNCTION uuid_extract_v7_time(id uuid) RETURNS timestamptz
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN pg_catalog.uuid_extract_version(id) = 7::smallint
                THEN pg_catalog.uuid_extract_timestamp(id) END;
        CREATE OR REPLACE FUNCTION uuid_extract_time(id uuid) RETURNS timestamptz
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN coalesce(pg_catalog.uuid_extract_timestamp(id), uuidx_gregorian_time(id));
    ELSE
        CREATE OR REPLACE FUNCTION uuid_extract_v7_time(id uuid) RETURNS timestamptz
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN uuid_is_v7(id) THEN timezone(interval '0', uuidx_v7_timestamp(id)) END;
        CREATE OR REPLACE FUNCTION uuid_extract_time(id uuid) RETURNS timestamptz
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN coalesce(uuid_extract_v7_time(id), uuidx_gregorian_time(id));
    END IF;
END
$do$;

-- The microsecond that begins in a step of 1/4096 ms, or the one around it: so a microsecond that was rounded to a step,
-- down or up, is read back.
CREATE OR REPLACE FUNCTION uuid_extract_time_precise(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_is_v7(id) THEN timezone(interval '0', uuidx_v7_timestamp(id) + interval '0.000001 seconds'
            * ((((get_byte(uuid_send(id), 6) & 15) * 256 + get_byte(uuid_send(id), 7)) * 1000 + 999) / 4096
                )::double precision)
        ELSE uuidx_gregorian_time(id) END;

CREATE OR REPLACE FUNCTION uuid_extract_clock_seq(id uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) IN (1::smallint, 6::smallint) THEN
        (get_byte(uuid_send(id), 8) & 63) * 256 + get_byte(uuid_send(id), 9) END;

CREATE OR REPLACE FUNCTION uuid_extract_node(id uuid) RETURNS macaddr
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) IN (1::smallint, 6::smallint) THEN
        macaddr_in(textout(substr(uuidx_hex(id), 21))) END;

CREATE OR REPLACE FUNCTION uuid_extract_v8_node(id uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 8::smallint THEN
        (get_byte(uuid_send(id), 8) & 3) * 16384 + get_byte(uuid_send(id), 9) * 64
            + get_byte(uuid_send(id), 10) / 4 END;

-- 12 bits of fraction after the version, the other 4 after the variant.
CREATE OR REPLACE FUNCTION uuid_extract_v8_time(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 8::smallint THEN
        timezone(interval '0', uuidx_v7_timestamp(id) + interval '0.000001 seconds'
            * (((get_byte(uuid_send(id), 6) & 15) * 4096 + get_byte(uuid_send(id), 7) * 16
                + (get_byte(uuid_send(id), 8) & 63) / 4) * 1000 / 65536)::double precision) END;

-- Returns the fields of a UUID as JSON.
CREATE OR REPLACE FUNCTION uuidx_fields(id uuid) RETURNS json
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    digits text := encode(uuid_send(id), 'hex');
    version text := substr(digits, 13, 1);
    names text[] := CASE version
        WHEN '1' THEN CAST('{time_low,time_mid,time_high}' AS text[])
        WHEN '3' THEN CAST('{md5_high,md5_mid,md5_low}' AS text[])
        WHEN '4' THEN CAST('{random_a,random_b,random_c}' AS text[])
        WHEN '5' THEN CAST('{sha1_high,sha1_mid,sha1_low}' AS text[])
        WHEN '6' THEN CAST('{time_high,time_mid,time_low}' AS text[])
        WHEN '7' THEN CAST('{unix_ts_ms,rand_a,rand_b}' AS text[])
        WHEN '8' THEN CAST('{custom_a,custom_b,custom_c}' AS text[]) END;
    last text := translate(substr(digits, 17, 1), '89ab', '0123');
BEGIN
    IF names IS NULL OR get_byte(uuid_send(id), 8) >> 6 <> 2 THEN
        RETURN NULL;
    ELSIF version IN ('1', '6') THEN
        RETURN json_in(textout(format('{"%s": "0x%s", "%s": "0x%s", "ver": "0x%s", "%s": "0x%s", "var": "0x2", '
            '"clock_seq": "0x%s", "node": "0x%s"}', names[1], left(digits, 8), names[2], substr(digits, 9, 4), version,
            names[3], substr(digits, 14, 3), last || substr(digits, 18, 3), substr(digits, 21))));
    END IF;
    RETURN json_in(textout(format('{"%s": "0x%s", "ver": "0x%s", "%s": "0x%s", "var": "0x2", "%s": "0x%s"}',
        names[1], left(digits, 12), version, names[2], substr(digits, 14, 3), names[3], last || substr(digits, 18))));
END
$$;

-- Generate

CREATE OR REPLACE FUNCTION nil_uuid() RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid '00000000-0000-0000-0000-000000000000';

CREATE OR REPLACE FUNCTION max_uuid() RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';

CREATE OR REPLACE FUNCTION uuid_v4() RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN gen_random_uuid();

-- Returns a version 7 UUID of a time, with the last 8 of 16 bytes. The fraction is rounded down.
CREATE OR REPLACE FUNCTION uuidx_v7(ts timestamptz, data bytea) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    micros bigint;
BEGIN
    IF ts OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00'
        OR ts OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00' THEN
        RAISE datetime_field_overflow USING MESSAGE = 'timestamp out of range for UUID version 7',
            DETAIL = 'UUID version 7 can represent times from 1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC.';
    END IF;
    micros := CAST(extract(epoch FROM ts) OPERATOR(pg_catalog.*) 1000000.0 AS bigint);
    RETURN pg_catalog.uuid_in(pg_catalog.textout(pg_catalog.encode(pg_catalog.overlay(data, pg_catalog.int8send(
        micros OPERATOR(pg_catalog./) 1000 OPERATOR(pg_catalog.<<) 16 OPERATOR(pg_catalog.|) bigint '28672'
        OPERATOR(pg_catalog.|) (micros OPERATOR(pg_catalog.%) bigint '1000' OPERATOR(pg_catalog.*) 4096
            OPERATOR(pg_catalog./) 1000)), 1, 8), 'hex')));
END
$$;

-- Returns 16 bytes with an ordinal in the first 31 of the 62 bits after the variant.
CREATE OR REPLACE FUNCTION uuidx_numbered(data bytea, ordinal bigint) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF ordinal OPERATOR(pg_catalog.<) 0 OR ordinal OPERATOR(pg_catalog.>) 2147483647 THEN
        RAISE numeric_value_out_of_range USING MESSAGE = pg_catalog.format('ordinal %s is out of range', ordinal),
            DETAIL = 'An ordinal is a number from 0 to 2147483647.';
    END IF;
    RETURN pg_catalog.set_bit(pg_catalog.overlay(data, pg_catalog.substr(pg_catalog.int8send(
        (ordinal OPERATOR(pg_catalog.>>) 1) OPERATOR(pg_catalog.|) 2147483648), 5, 4), 9, 4), bigint '103',
        CAST(ordinal OPERATOR(pg_catalog.&) bigint '1' AS integer));
END
$$;

CREATE OR REPLACE FUNCTION uuid_v7_at(ts timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN uuidx_v7(ts, uuid_send(gen_random_uuid()));

CREATE OR REPLACE FUNCTION uuid_v7_at(ts timestamptz, ordinal bigint) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN uuidx_v7(ts, uuidx_numbered(uuid_send(gen_random_uuid()), ordinal));

-- From PostgreSQL 18 on by its own functions, whose values increase strictly in a session.
DO $do$
BEGIN
    IF pg_catalog.to_regprocedure('pg_catalog.uuidv7(interval)') IS NOT NULL THEN
        -- Returns the interval if UUID version 7 can represent the time after it, which uuidv7 does not check.
        CREATE OR REPLACE FUNCTION uuidx_checked_shift(clock timestamptz, shift interval) RETURNS interval
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
            AS $$
DECLARE
    ts timestamp with time zone := clock OPERATOR(pg_catalog.+) shift;
BEGIN
    IF ts OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00'
        OR ts OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00' THEN
        RAISE datetime_field_overflow USING MESSAGE = 'timestamp out of range for UUID version 7',
            DETAIL = 'UUID version 7 can represent times from 1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC.';
    END IF;
    RETURN shift;
END
$$;

        CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN pg_catalog.uuidv7();
        CREATE OR REPLACE FUNCTION uuid_v7(shift interval) RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN pg_catalog.uuidv7(uuidx_checked_shift(clock_timestamp(), shift));
    ELSE
        -- Returns a version 7 UUID of the clock, with the last 8 bytes of another UUID. A floating-point number holds
        -- the microseconds until 2041, then with an error of one.
        CREATE OR REPLACE FUNCTION uuidx_v7_now(clock timestamptz, random uuid) RETURNS uuid
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
            AS $$
DECLARE
    micros bigint := CAST(pg_catalog.date_part('epoch', clock) OPERATOR(pg_catalog.*) double precision '1e6' AS bigint);
BEGIN
    RETURN pg_catalog.uuid_in(pg_catalog.textout(pg_catalog.encode(pg_catalog.overlay(
        pg_catalog.uuid_send(random), pg_catalog.int8send(
            micros OPERATOR(pg_catalog./) 1000 OPERATOR(pg_catalog.<<) 16 OPERATOR(pg_catalog.|) bigint '28672'
            OPERATOR(pg_catalog.|) (micros OPERATOR(pg_catalog.%) bigint '1000' OPERATOR(pg_catalog.*) 4096
                OPERATOR(pg_catalog./) 1000)), 1, 8), 'hex')));
END
$$;

        CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN uuidx_v7_now(clock_timestamp(), gen_random_uuid());
        CREATE OR REPLACE FUNCTION uuid_v7(shift interval) RETURNS uuid
            LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
            RETURN uuidx_v7(clock_timestamp() + shift, uuid_send(gen_random_uuid()));
    END IF;
END
$do$;

CREATE OR REPLACE FUNCTION uuid_inspect(id uuid, OUT version smallint, OUT variant text, OUT description text,
    OUT "time" timestamptz, OUT clock_seq integer, OUT node macaddr, OUT fields json) RETURNS record
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ROW(uuid_extract_version(id), uuid_extract_variant(id),
        CASE WHEN id = uuid '00000000-0000-0000-0000-000000000000' THEN 'nil'
            WHEN id = uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN 'max'
            WHEN uuid_extract_version(id) IS NULL THEN 'variant outside RFC 9562'
            ELSE coalesce((CAST('{unused version,Gregorian time-based,"DCE Security, layout outside RFC 9562",
                "name-based, MD5",random,"name-based, SHA-1",reordered Gregorian time-based,Unix Epoch time-based,
                custom}' AS text[]))[(get_byte(uuid_send(id), 6) >> 4) + 1], 'version reserved for future use') END,
        uuid_extract_time(id), uuid_extract_clock_seq(id), uuid_extract_node(id), uuidx_fields(id));

-- Returns a UUID of version 1 or 6 of a time, with the last 8 of 16 bytes.
CREATE OR REPLACE FUNCTION uuidx_gregorian_at(ts timestamptz, version integer, data bytea) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    ticks bigint;
BEGIN
    IF ts OPERATOR(pg_catalog.<) timestamp with time zone '1582-10-15 00:00:00+00'
        OR ts OPERATOR(pg_catalog.>) timestamp with time zone '5236-03-31 21:21:00.684697+00' THEN
        RAISE datetime_field_overflow USING
            MESSAGE = pg_catalog.format('timestamp out of range for UUID version %s', version),
            DETAIL = pg_catalog.format('UUID version %s can represent times from 1582-10-15 00:00:00 to '
                '5236-03-31 21:21:00.684697 UTC.', version);
    END IF;
    ticks := CAST(extract(epoch FROM ts) OPERATOR(pg_catalog.*) 10000000.0 AS bigint)
        OPERATOR(pg_catalog.+) 122192928000000000;
    RETURN pg_catalog.uuid_in(pg_catalog.textout(pg_catalog.encode(pg_catalog.overlay(data, pg_catalog.int8send(
        CASE WHEN version OPERATOR(pg_catalog.=) 6 THEN ticks OPERATOR(pg_catalog.>>) 12 OPERATOR(pg_catalog.<<) 16
            OPERATOR(pg_catalog.|) bigint '24576' OPERATOR(pg_catalog.|) (ticks OPERATOR(pg_catalog.&) bigint '4095')
        ELSE ticks OPERATOR(pg_catalog.<<) 32 OPERATOR(pg_catalog.|) bigint '4096'
            OPERATOR(pg_catalog.|) (ticks OPERATOR(pg_catalog.>>) 32 OPERATOR(pg_catalog.&) bigint '65535'
                OPERATOR(pg_catalog.<<) 16)
            OPERATOR(pg_catalog.|) (ticks OPERATOR(pg_catalog.>>) 48) END), 1, 8), 'hex')));
END
$$;

-- The random node has the multicast bit, so that it is no network card's address.
CREATE OR REPLACE FUNCTION uuid_v1_at(ts timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN uuidx_gregorian_at(ts, 1, set_bit(uuid_send(gen_random_uuid()), bigint '80', 1));

CREATE OR REPLACE FUNCTION uuid_v6_at(ts timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
    RETURN uuidx_gregorian_at(ts, 6, set_bit(uuid_send(gen_random_uuid()), bigint '80', 1));

-- Raises the error for bytes that are not 16. The helpers that raise errors are IMMUTABLE, so that their callers are
-- inlined, and take what is wrong as an argument, so that the planner evaluates them only if that is a constant.
CREATE OR REPLACE FUNCTION uuidx_raise_length(data bytea, what text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RAISE USING ERRCODE = '22P03', MESSAGE = format('invalid input length for %s', what),
        DETAIL = format('Expected 16 bytes, got %s.', length(data));
END
$$;

CREATE OR REPLACE FUNCTION uuid_v8(data bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN length(data) = 16 THEN uuidx_stamp(data, 8)
        ELSE uuidx_raise_length(data, 'UUID version 8') END;

-- Raises the error for a name of no namespace.
CREATE OR REPLACE FUNCTION uuidx_raise_namespace(name text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RAISE invalid_parameter_value USING MESSAGE = format('unrecognized UUID namespace: "%s"', name),
        HINT = 'The namespaces are "dns", "url", "oid", and "x500"; for another one, pass its UUID instead.';
END
$$;

CREATE OR REPLACE FUNCTION uuid_namespace(name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE lower(name COLLATE "C")
        WHEN 'dns' THEN uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
        WHEN 'url' THEN uuid '6ba7b811-9dad-11d1-80b4-00c04fd430c8'
        WHEN 'oid' THEN uuid '6ba7b812-9dad-11d1-80b4-00c04fd430c8'
        WHEN 'x500' THEN uuid '6ba7b814-9dad-11d1-80b4-00c04fd430c8'
        ELSE uuidx_raise_namespace(name) END;

CREATE OR REPLACE FUNCTION uuid_v3(ns uuid, name bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(decode(md5(uuid_send(ns) || name), 'hex'), 3);

CREATE OR REPLACE FUNCTION uuid_v3(ns uuid, name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(decode(md5(uuid_send(ns) || uuidx_utf8(name)), 'hex'), 3);

-- Returns the digest, whose name may be spelled as OpenSSL accepts it: sha256, SHA-256, or sha2-256.
CREATE OR REPLACE FUNCTION uuidx_hash(algorithm text, data bytea) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    digest bytea := CASE regexp_replace(lower(algorithm COLLATE "C"), '^sha2?-', 'sha')
        WHEN 'md5' THEN decode(md5(data), 'hex')
        WHEN 'sha224' THEN sha224(data)
        WHEN 'sha256' THEN sha256(data)
        WHEN 'sha384' THEN sha384(data)
        WHEN 'sha512' THEN sha512(data) END;
BEGIN
    IF digest IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = format('unrecognized digest algorithm: "%s"', algorithm),
            HINT = 'Use "md5", "sha224", "sha256", "sha384", or "sha512".';
    END IF;
    RETURN substr(digest, 1, 16);
END
$$;

CREATE OR REPLACE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(uuidx_hash(algorithm, uuid_send(ns) || name), 8);

CREATE OR REPLACE FUNCTION uuid_v8_hash(algorithm text, ns uuid, name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_stamp(uuidx_hash(algorithm, uuid_send(ns) || uuidx_utf8(name)), 8);

-- The second half of the digest, after its variant is set.
CREATE OR REPLACE FUNCTION uuid_v7_at(ts timestamptz, ns uuid, name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_v7(ts, uuid_send(uuidx_stamp(substr(sha256(uuid_send(ns) || uuidx_utf8(name)), 1, 16), 7)));

-- Query by time. The bounds of a time are not for the planner to inline, so that it shows their names in a plan.

CREATE OR REPLACE FUNCTION uuid_v7_min(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF ts OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00' THEN
        RETURN '00000000-0000-0000-0000-000000000000';
    ELSIF ts OPERATOR(pg_catalog.>) timestamp with time zone '10889-08-02 05:31:50.655+00' THEN
        RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    END IF;
    RETURN pg_catalog.uuid_in(pg_catalog.textout(pg_catalog.lpad(pg_catalog.to_hex(CAST(pg_catalog.ceil(
        extract(epoch FROM ts) OPERATOR(pg_catalog.*) 1000.0) AS bigint)), 12, '0')
        OPERATOR(pg_catalog.||) '70008000000000000000'));
END
$$;

CREATE OR REPLACE FUNCTION uuid_v7_max(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF ts OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00' THEN
        RETURN '00000000-0000-0000-0000-000000000000';
    ELSIF ts OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00' THEN
        RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    END IF;
    RETURN pg_catalog.uuid_in(pg_catalog.textout(pg_catalog.lpad(pg_catalog.to_hex(CAST(pg_catalog.floor(
        extract(epoch FROM ts) OPERATOR(pg_catalog.*) 1000.0) AS bigint)), 12, '0')
        OPERATOR(pg_catalog.||) '7fffbfffffffffffffff'));
END
$$;

CREATE OR REPLACE FUNCTION uuid_v6_min(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF ts < timestamptz '1582-10-15 00:00:00+00' THEN
        RETURN '00000000-0000-0000-0000-000000000000';
    ELSIF ts > timestamptz '5236-03-31 21:21:00.684697+00' THEN
        RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    END IF;
    RETURN uuid_in(textout(overlay(lpad(to_hex(CAST(extract(epoch FROM ts) * 10000000.0
        + 122192928000000000.0 AS bigint)), 15, '0') PLACING '6' FROM 13 FOR 0) || '8000000000000000'));
END
$$;

-- The last of the ten ticks in the microsecond, except that the range ends within its last microsecond.
CREATE OR REPLACE FUNCTION uuid_v6_max(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF ts < timestamptz '1582-10-15 00:00:00+00' THEN
        RETURN '00000000-0000-0000-0000-000000000000';
    ELSIF ts > timestamptz '5236-03-31 21:21:00.684697+00' THEN
        RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    END IF;
    RETURN uuid_in(textout(overlay(lpad(to_hex(CAST(least(extract(epoch FROM ts) * 10000000.0
        + 122192928000000009.0, 1152921504606846975.0) AS bigint)), 15, '0') PLACING '6' FROM 13 FOR 0)
        || 'bfffffffffffffff'));
END
$$;

-- Compare with a time: true if the UUID is of version 7 and its time compares so, false for every other UUID. The
-- bodies are simple enough for the planner to inline: it then sees a comparison of two UUIDs, and the test of the
-- version. They are not STRICT, as AND is not: the planner would not inline them.

CREATE OR REPLACE FUNCTION uuid_lt_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION uuid_le_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION uuid_ge_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION uuid_gt_timestamptz(id uuid, ts timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION timestamptz_lt_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>) uuid_v7_max(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION timestamptz_le_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_min(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION timestamptz_ge_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<=) uuid_v7_max(ts) AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION timestamptz_gt_uuid(ts timestamptz, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.<) uuid_v7_min(ts) AND uuid_is_v7(id);

-- Time ranges. The operators take a domain for the reason given in the extension's script: a literal beside a range
-- would otherwise be read as a UUID.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_type WHERE typbasetype = CAST(pg_catalog.regtype 'tstzrange' AS oid)
            AND oid = CAST(pg_catalog.to_regtype(pg_catalog.format('%I.uuid_time_range',
                pg_catalog.current_schema())) AS oid)) THEN
        CREATE DOMAIN uuid_time_range AS tstzrange;
    END IF;
END
$$;

-- The bounds of a range without a UUID may differ from those of the extension, but the lower one is above the upper
-- one.

CREATE OR REPLACE FUNCTION uuid_v7_lower(time_range tstzrange) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    bound timestamp with time zone := pg_catalog.lower(time_range);
    inclusive boolean := pg_catalog.lower_inc(time_range);
    milliseconds numeric;
BEGIN
    IF pg_catalog.isempty(time_range)
        OR NOT inclusive AND bound OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00'
        OR inclusive AND bound OPERATOR(pg_catalog.>) timestamp with time zone '10889-08-02 05:31:50.655+00' THEN
        RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    ELSIF bound IS NULL OR bound OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00' THEN
        -- Above the nil UUID, which is the upper bound if the range ends before 1970.
        RETURN CASE WHEN bound IS NOT NULL AND NOT inclusive OR NOT pg_catalog.upper_inc(time_range)
                AND pg_catalog.upper(time_range)
                    OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00'
            THEN '00000000-0000-0000-0000-000000000001' ELSE '00000000-0000-0000-0000-000000000000' END;
    END IF;
    milliseconds := extract(epoch FROM bound) OPERATOR(pg_catalog.*) 1000.0;
    RETURN pg_catalog.uuid_in(pg_catalog.textout(CASE WHEN inclusive
        THEN pg_catalog.lpad(pg_catalog.to_hex(CAST(pg_catalog.ceil(milliseconds) AS bigint)), 12, '0')
            OPERATOR(pg_catalog.||) '70008000000000000000'
        ELSE pg_catalog.lpad(pg_catalog.to_hex(CAST(pg_catalog.floor(milliseconds) AS bigint)), 12, '0')
            OPERATOR(pg_catalog.||) '7fffc000000000000000' END));
END
$$;

CREATE OR REPLACE FUNCTION uuid_v7_upper(time_range tstzrange) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    bound timestamp with time zone := pg_catalog.upper(time_range);
    inclusive boolean := pg_catalog.upper_inc(time_range);
    milliseconds numeric;
BEGIN
    IF pg_catalog.isempty(time_range)
        OR bound OPERATOR(pg_catalog.<) timestamp with time zone '1970-01-01 00:00:00+00' THEN
        RETURN '00000000-0000-0000-0000-000000000000';
    ELSIF bound IS NULL OR bound OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00'
        OR NOT inclusive AND bound OPERATOR(pg_catalog.>) timestamp with time zone '10889-08-02 05:31:50.655+00' THEN
        -- Below the max UUID, which is the lower bound if the range begins after the last time.
        RETURN CASE WHEN bound IS NOT NULL AND NOT inclusive OR NOT pg_catalog.lower_inc(time_range)
                AND pg_catalog.lower(time_range)
                    OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00'
            THEN 'ffffffff-ffff-ffff-ffff-fffffffffffe' ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff' END;
    END IF;
    milliseconds := extract(epoch FROM bound) OPERATOR(pg_catalog.*) 1000.0;
    RETURN pg_catalog.uuid_in(pg_catalog.textout(CASE WHEN inclusive
        THEN pg_catalog.lpad(pg_catalog.to_hex(CAST(pg_catalog.floor(milliseconds) AS bigint)), 12, '0')
            OPERATOR(pg_catalog.||) '7fffbfffffffffffffff'
        ELSE pg_catalog.lpad(pg_catalog.to_hex(CAST(pg_catalog.ceil(milliseconds) AS bigint)), 12, '0')
            OPERATOR(pg_catalog.||) '70007fffffffffffffff' END));
END
$$;

CREATE OR REPLACE FUNCTION uuid_contained_by_time_range(id uuid, time_range uuid_time_range) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_lower(time_range) AND id OPERATOR(pg_catalog.<=) uuid_v7_upper(time_range)
        AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION time_range_contains_uuid(time_range uuid_time_range, id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_v7_lower(time_range) AND id OPERATOR(pg_catalog.<=) uuid_v7_upper(time_range)
        AND uuid_is_v7(id);

CREATE OR REPLACE FUNCTION uuid_time_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_extract_time(uuid_in(textout(id)));

-- Keep a column equal to the time in the key

-- Returns the type of the column that a trigger sets; raises an error if it cannot be set, or the key.
CREATE OR REPLACE FUNCTION uuidx_time_type(target oid, key text, time_column text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    names name[] := ARRAY[CAST(key AS name), CAST(time_column AS name)];
    types text[];
    type oid;
    generated "char";
BEGIN
    FOR i IN 1..2 LOOP
        SELECT atttypid, attgenerated INTO type, generated FROM pg_attribute
            WHERE attrelid = target AND attname = names[i] AND attnum > 0 AND NOT attisdropped;
        IF NOT FOUND THEN
            RAISE undefined_column USING MESSAGE = format('column "%s" of relation "%s" does not exist', names[i],
                (SELECT relname FROM pg_class WHERE oid = target));
        ELSIF generated <> '' THEN
            RAISE generated_always USING MESSAGE = format('column "%s" is a generated column', names[i]);
        END IF;
        types[i] := format_type(type, NULL);
    END LOOP;
    IF types[1] <> 'uuid'
        OR types[2] NOT IN ('timestamp with time zone', 'timestamp without time zone', 'date') THEN
        RAISE datatype_mismatch USING MESSAGE = CASE WHEN types[1] <> 'uuid'
            THEN format('column "%s" is of type %s, not uuid', names[1], types[1])
            ELSE format('column "%s" is of type %s, not timestamptz, timestamp or date', names[2], types[2]) END;
    END IF;
    RETURN types[2];
END
$$;

-- Returns the seconds of a tolerance.
CREATE OR REPLACE FUNCTION uuidx_tolerance(tolerance text) RETURNS numeric
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    allowed interval := interval_in(textout(tolerance), oid '0', -1);
BEGIN
    IF date_trunc('month', allowed) <> interval '0' OR extract(epoch FROM allowed) < 0.0
        OR extract(epoch FROM allowed) > 9223372036854.775807 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('invalid tolerance: "%s"', tolerance),
            DETAIL = 'A tolerance has no months, and is not negative.';
    END IF;
    RETURN extract(epoch FROM allowed);
END
$$;

-- The columns are known only at run time: EXECUTE reads them, without the others, which may be large, and JSON sets
-- them. In it, a time in UTC with its zone suits each type. Times are compared as seconds since 1970, which can be
-- infinite; a date has the times from `first` to `last`.
DO $do$
BEGIN
    CREATE OR REPLACE FUNCTION uuid_time_trigger() RETURNS trigger
        LANGUAGE plpgsql VOLATILE PARALLEL SAFE
        AS $$
DECLARE
    given_key uuid;
    first numeric;
    last numeric;
    type text;
    tolerance numeric;
    ts timestamptz;
    id uuid;
    of_key numeric;
    began numeric;
    ends numeric;
    changed record;
    times text;
    is_upsert boolean := false;
BEGIN
    IF TG_WHEN <> 'BEFORE' OR TG_LEVEL <> 'ROW' OR TG_OP NOT IN ('INSERT', 'UPDATE') THEN
        RAISE trigger_protocol_violated
            USING MESSAGE = 'function "uuid_time_trigger" must be fired BEFORE INSERT OR UPDATE FOR EACH ROW';
    ELSIF TG_NARGS NOT IN (2, 3) THEN
        RAISE trigger_protocol_violated USING
            MESSAGE = format('trigger "%s" must have two or three arguments', TG_NAME),
            DETAIL = 'They are the names of the key and of the column, and the tolerance.';
    END IF;
    BEGIN
        EXECUTE format('SELECT uuid_in(uuid_out(($1).%I)), extract(epoch FROM ($1).%2$I), pg_typeof(($1).%2$I)',
            TG_ARGV[0], TG_ARGV[1]) INTO given_key, first, type USING NEW;
    EXCEPTION WHEN undefined_column OR undefined_function THEN
        PERFORM uuidx_time_type(TG_RELID, TG_ARGV[0], TG_ARGV[1]);
        RAISE;
    END;
    -- A generated column has no value yet.
    IF given_key IS NULL OR first IS NULL
        OR type NOT IN ('timestamp with time zone', 'timestamp without time zone', 'date') THEN
        type := uuidx_time_type(TG_RELID, TG_ARGV[0], TG_ARGV[1]);
    END IF;
    last := first + CASE type WHEN 'date' THEN 86399.999999 ELSE 0.0 END;
    tolerance := CASE TG_NARGS WHEN 3 THEN uuidx_tolerance(TG_ARGV[2]) ELSE 3600.0 END;

    IF given_key IS NOT NULL THEN
        id := given_key;
    ELSIF first IS NULL OR extract(epoch FROM statement_timestamp()) BETWEEN first - 1.0 AND last + 1.0
        OR extract(epoch FROM clock_timestamp()) BETWEEN first - 1.0 AND last + 1.0 THEN
        id := uuid_v7();
    ELSE
        EXECUTE format(CASE type WHEN 'timestamp with time zone' THEN 'SELECT ($1).%I'
            ELSE 'SELECT timezone(''UTC'', CAST(($1).%I AS timestamp))' END, TG_ARGV[1]) INTO ts USING NEW;
        id := uuid_v7_at(ts);
    END IF;
    ts := uuid_extract_v7_time(id);
    of_key := extract(epoch FROM ts);
    IF ts IS NULL THEN
        RAISE check_violation USING MESSAGE = format('UUID in column "%s" is not of version 7', TG_ARGV[0]),
            SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = TG_ARGV[0];
    ELSIF first = of_key AND last = of_key AND given_key IS NOT NULL THEN
        RETURN NEW;
    END IF;
    changed := jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], id,
        TG_ARGV[1], (to_jsonb(timezone('UTC', ts)) #>> '{}') || 'Z'));

    -- Beyond the tolerance, or nearly so, it matters how the time is rounded in the column.
    IF given_key IS NOT NULL AND of_key NOT BETWEEN first - tolerance + 1.0 AND last + tolerance - 1.0 THEN
        EXECUTE format('SELECT CASE $3 WHEN ''date'' THEN $4 ELSE extract(epoch FROM ($1).%1$I) END, '
            'format(''They are %%s and %%s.'', ($2).%1$I, ($1).%1$I)', TG_ARGV[1])
            INTO of_key, times USING changed, NEW, type, of_key;
        began := extract(epoch FROM transaction_timestamp()) - 1.0;
        ends := extract(epoch FROM clock_timestamp()) + 1.0;
        -- An INSERT of a key that is there adds no row: it fails, or does what its ON CONFLICT says.
        IF TG_OP = 'INSERT' AND last >= least(began, ends - tolerance) AND first <= ends + tolerance
            AND has_column_privilege(TG_RELID, TG_ARGV[0], 'SELECT') AND EXISTS (
                SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                WHERE indrelid = TG_RELID AND attname = TG_ARGV[0] AND indnkeyatts = 1 AND indisunique AND indimmediate
                    AND indisvalid AND indpred IS NULL) THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE %I = $1)', CAST(TG_RELID AS regclass), TG_ARGV[0])
                INTO is_upsert USING id;
        END IF;
        IF NOT is_upsert AND of_key NOT BETWEEN first - tolerance AND last + tolerance
            AND NOT (of_key BETWEEN began AND ends AND last >= began AND first <= ends) THEN
            RAISE check_violation USING
                -- An UPDATE may reach a row, or move it to a partition, that the role may not read.
                DETAIL = CASE WHEN TG_OP = 'INSERT' AND NOT (SELECT relispartition FROM pg_class WHERE oid = TG_RELID)
                    THEN times ELSE 'The times are not shown, as the row may have been there before.' END,
                MESSAGE = format(
                    'time in column "%s" differs from the time in column "%s" by more than %s', TG_ARGV[1], TG_ARGV[0],
                    CASE TG_NARGS WHEN 3 THEN TG_ARGV[2] ELSE '1 hour' END),
                HINT = 'Generate the key of a row with a given time by uuid_v7_at().',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = TG_ARGV[1];
        END IF;
    END IF;
    RETURN changed;
END
$$;

    -- It calls functions of this file by name.
    EXECUTE pg_catalog.format('ALTER FUNCTION uuid_time_trigger() SET search_path = pg_catalog, %I, pg_temp',
        pg_catalog.current_schema());
END
$do$;

-- Convert

CREATE OR REPLACE FUNCTION uuid_to_bytea(id uuid) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_send(id);

CREATE OR REPLACE FUNCTION uuid_from_bytea(data bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN length(data) = 16 THEN uuid_in(textout(encode(data, 'hex')))
        ELSE uuidx_raise_length(data, 'type uuid') END;

CREATE OR REPLACE FUNCTION uuid_swap_guid(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuid_in(textout(substr(uuidx_hex(id), 7, 2) || substr(uuidx_hex(id), 5, 2) || substr(uuidx_hex(id), 3, 2)
        || substr(uuidx_hex(id), 1, 2) || substr(uuidx_hex(id), 11, 2) || substr(uuidx_hex(id), 9, 2)
        || substr(uuidx_hex(id), 15, 2) || substr(uuidx_hex(id), 13, 2) || substr(uuidx_hex(id), 17)));

-- Raises the error for a UUID of the wrong version, naming the one that it has.
CREATE OR REPLACE FUNCTION uuidx_raise_version(id uuid, variant text, wanted text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RAISE invalid_parameter_value USING MESSAGE = CASE variant
        WHEN 'rfc9562' THEN format('UUID is of version %s, not %s', get_byte(uuid_send(id), 6) >> 4, wanted)
        ELSE format('UUID is of variant %s, not of version %s', variant, wanted) END;
END
$$;

CREATE OR REPLACE FUNCTION uuid_v1_to_v6(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 1::smallint THEN
            uuid_in(textout(substr(uuidx_hex(id), 14, 3) || substr(uuidx_hex(id), 9, 4) || substr(uuidx_hex(id), 1, 5)
                || '6' || substr(uuidx_hex(id), 6, 3) || substr(uuidx_hex(id), 17)))
        ELSE uuidx_raise_version(id, uuid_extract_variant(id), '1') END;

CREATE OR REPLACE FUNCTION uuid_v6_to_v1(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_extract_version(id) = 6::smallint THEN
            uuid_in(textout(substr(uuidx_hex(id), 8, 5) || substr(uuidx_hex(id), 14, 3) || substr(uuidx_hex(id), 4, 4)
                || '1' || substr(uuidx_hex(id), 1, 3) || substr(uuidx_hex(id), 17)))
        ELSE uuidx_raise_version(id, uuid_extract_variant(id), '6') END;

-- Returns the version 7 UUID of a version 6 UUID. The fraction is rounded down, except that it is before the step of the
-- next microsecond, as which it would be read.
CREATE OR REPLACE FUNCTION uuidx_v6_to_v7(id uuid) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    bytes bytea := uuid_send(id);
    -- Units of 100 ns after 1970.
    ticks bigint := CAST(bit_in(textout('x0' || encode(substr(bytes, 1, 6), 'hex')
        || substr(encode(substr(bytes, 7, 2), 'hex'), 2)), oid '0', 64) AS bigint) - 122192928000000000;
    rest bigint := ticks % bigint '10000';
BEGIN
    IF ticks < 0 THEN
        RAISE datetime_field_overflow USING MESSAGE = 'timestamp out of range for UUID version 7',
            DETAIL = 'UUID version 7 can represent times from 1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC.';
    END IF;
    bytes := int8send((ticks / bigint '10000' << 16) | bigint '28672' | least(rest * bigint '4096' / bigint '10000',
        (rest / bigint '10' + bigint '1') * bigint '4096' / bigint '1000' - bigint '1')) || substr(sha256(bytes), 1, 8);
    RETURN uuid_in(textout(encode(set_byte(bytes, 8, (get_byte(bytes, 8) & 63) | 128), 'hex')));
END
$$;

CREATE OR REPLACE FUNCTION uuid_to_v7(id uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE uuid_extract_version(id) WHEN 1::smallint THEN uuidx_v6_to_v7(uuid_v1_to_v6(id))
        WHEN 6::smallint THEN uuidx_v6_to_v7(id)
        ELSE uuidx_raise_version(id, uuid_extract_variant(id), '1 or 6') END;

-- Other text formats: each is the number that the UUID is, or in base32hex that number followed by two zero bits, in
-- the digits of an alphabet.

-- Returns a UUID in 26 characters of an alphabet of 32, so many zero bits before it and the rest of two after it.
-- 40 bits become 8 characters at a time: their groups of 5 are spread over 8 bytes, as the characters from 0 to O,
-- which the alphabet then replaces.
CREATE OR REPLACE FUNCTION uuidx_to_base32(id uuid, zeros integer, alphabet text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    digits text := CASE zeros WHEN 2 THEN '00000000' ELSE '' END || encode(uuid_send(id), 'hex')
        || CASE zeros WHEN 2 THEN '' ELSE '00000000' END;
    written bytea := '';
    x bigint;
BEGIN
    FOR i IN 0..3 LOOP
        x := CAST(bit_in(textout('x000000' || substr(digits, 1 + 10 * i, 10)), oid '0', 64) AS bigint);
        x := ((x & 1099510579200) << 12) | (x & bigint '1048575');
        x := ((x & 4499201581906944) << 6) | (x & 4393751544831);
        x := ((x & 279227437569541088) << 3) | (x & 8725857424048159);
        written := written || int8send(x + 3472328296227680304);
    END LOOP;
    RETURN translate(substr(encode(written, 'escape'), CASE zeros WHEN 2 THEN 7 ELSE 1 END, 26),
        '0123456789:;<=>?@ABCDEFGHIJKLMNO', alphabet);
END
$$;

-- Returns the UUID, or NULL if the text is none.
CREATE OR REPLACE FUNCTION uuidx_from_base32(data text, zeros integer, alphabet text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    bytes bytea;
    written text := '';
    x bigint;
BEGIN
    IF length(data) <> 26 OR translate(data, alphabet, '') <> '' THEN
        RETURN NULL;
    END IF;
    bytes := decode(CASE zeros WHEN 2 THEN '000000' ELSE '' END
        || translate(data, alphabet, '0123456789:;<=>?@ABCDEFGHIJKLMNO')
        || CASE zeros WHEN 2 THEN '' ELSE '000000' END, 'escape');
    FOR i IN 0..3 LOOP
        x := CAST(bit_in(textout('x' || encode(substr(bytes, 1 + 8 * i, 8), 'hex')), oid '0', 64) AS bigint)
            - 3472328296227680304;
        x := ((x >> 3) & 279227437569541088) | (x & 8725857424048159);
        x := ((x >> 6) & 4499201581906944) | (x & 4393751544831);
        x := ((x >> 12) & 1099510579200) | (x & bigint '1048575');
        written := written || lpad(to_hex(x), 10, '0');
    END LOOP;
    IF zeros = 2 AND substr(written, 1, 8) = '00000000' THEN
        RETURN uuid_in(textout(substr(written, 9)));
    ELSIF zeros = 0 AND substr(written, 33) = '00000000' THEN
        RETURN uuid_in(textout(substr(written, 1, 32)));
    END IF;
    RETURN NULL;
END
$$;

-- Returns the number of at most 15 hexadecimal digits.
CREATE OR REPLACE FUNCTION uuidx_numeric(hex text) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CAST(CAST(bit_in(textout('x' || lpad(hex, 16, '0')), oid '0', 64) AS bigint) AS numeric);

CREATE OR REPLACE FUNCTION uuidx_to_number(id uuid) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_numeric(substr(uuidx_hex(id), 1, 8)) * 79228162514264337593543950336
        + uuidx_numeric(substr(uuidx_hex(id), 9, 12)) * numeric '281474976710656'
        + uuidx_numeric(substr(uuidx_hex(id), 21));

-- Returns the UUID, or NULL if the number exceeds 128 bits.
CREATE OR REPLACE FUNCTION uuidx_from_number(number numeric) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    high numeric := div(number, 1152921504606846976.0);
    higher bigint := div(high, 1152921504606846976.0);
BEGIN
    IF higher < bigint '256' THEN
        RETURN uuid_in(textout(lpad(to_hex(higher), 2, '0')
            || lpad(to_hex(CAST(high % 1152921504606846976.0 AS bigint)), 15, '0')
            || lpad(to_hex(CAST(number % 1152921504606846976.0 AS bigint)), 15, '0')));
    END IF;
    RETURN NULL;
END
$$;

-- Returns a number in base 58, ten digits at a time: so many fit into a bigint.
CREATE OR REPLACE FUNCTION uuidx_to_base58(number numeric) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    high numeric := div(number, 430804206899405824.0);
    part bigint := number % 430804206899405824.0;
    written text := '';
BEGIN
    FOR i IN 1..22 LOOP
        written := substr('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
            1 + CAST(part % bigint '58' AS integer), 1) || written;
        part := CASE i WHEN 10 THEN CAST(high % 430804206899405824.0 AS bigint)
            WHEN 20 THEN CAST(div(high, 430804206899405824.0) AS bigint) ELSE part / bigint '58' END;
    END LOOP;
    RETURN written;
END
$$;

-- Returns the number, or NULL if the text is none; it may lack leading ones. The characters become those from ! on,
-- whose codes are consecutive.
CREATE OR REPLACE FUNCTION uuidx_from_base58(data text) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    bytes bytea;
    number numeric;
    part bigint := 0;
BEGIN
    IF data !~ '^[1-9A-HJ-NP-Za-km-z]{1,22}$' COLLATE "C" THEN
        RETURN NULL;
    END IF;
    bytes := decode(translate(lpad(data, 22, '1'), '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
        '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ'), 'escape');
    FOR i IN 0..21 LOOP
        part := part * bigint '58' + CAST(get_byte(bytes, i) - 33 AS bigint);
        IF i = 1 THEN
            number := part;
            part := 0;
        ELSIF i = 11 THEN
            number := number * 430804206899405824.0 + CAST(part AS numeric);
            part := 0;
        END IF;
    END LOOP;
    RETURN number * 430804206899405824.0 + CAST(part AS numeric);
END
$$;

-- Raises the error for a text that is no UUID in a format, at its first fault. `digits` is the text in the letter case
-- of the alphabet, and `form` has an # for each digit.
CREATE OR REPLACE FUNCTION uuidx_raise_text(data text, what text, digits text, alphabet text, form text, scale numeric)
    RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    base numeric := length(alphabet);
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
            number := number * base + CAST(digit AS numeric);
            fault := CASE WHEN number >= end_of_range
                THEN 'Character "%s" at position %s makes the value exceed 128 bits.'
                WHEN i = length(rtrim(form, '=')) AND number % scale <> 0.0
                THEN 'Character "%s" at position %s sets bits beyond the first 128.'
                WHEN base = 10.0 AND i = 1 AND digit = 0 AND length(data) > 1
                THEN 'Character "%s" at position %s is a leading zero.' END;
        END IF;
        IF fault IS NOT NULL THEN
            RAISE invalid_text_representation USING DETAIL = format(fault, substr(data, i, 1), i),
                MESSAGE = format('invalid input syntax for %s: "%s"', what, data);
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

-- Raises the error for an unknown format. Takes the other argument, too, so that the planner does not raise it.
CREATE OR REPLACE FUNCTION uuidx_raise_format(format text, data text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RAISE invalid_parameter_value USING MESSAGE = format('unrecognized UUID format: "%s"', format),
        HINT = 'Supported formats are "ulid", "base32hex", "base58", "base64url", "hex", "urn", and "decimal".';
END
$$;

CREATE OR REPLACE FUNCTION uuid_encode(id uuid, format text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE lower(format COLLATE "C")
        WHEN 'ulid' THEN uuidx_to_base32(id, 2, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')
        WHEN 'base32hex' THEN uuidx_to_base32(id, 0, '0123456789ABCDEFGHIJKLMNOPQRSTUV')
        WHEN 'base58' THEN uuidx_to_base58(uuidx_to_number(id))
        WHEN 'base64url' THEN rtrim(translate(encode(uuid_send(id), 'base64'), '+/', '-_'), '=')
        WHEN 'hex' THEN uuidx_hex(id)
        WHEN 'urn' THEN 'urn:uuid:' || textin(uuid_out(id))
        WHEN 'decimal' THEN textin(numeric_out(uuidx_to_number(id)))
        ELSE uuidx_raise_format(format, uuidx_hex(id)) END;

-- Each format first as it is nearly always written; what is no UUID then gets its error.
CREATE OR REPLACE FUNCTION uuid_decode(data text, format text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE lower(format COLLATE "C")
        WHEN 'ulid' THEN coalesce(
            uuidx_from_base32(translate(upper(data COLLATE "C"), 'ILO', '110'), 2, '0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
            uuidx_raise_text(data, 'UUID format "' || format || '"', translate(upper(data COLLATE "C"), 'ILO', '110'),
                '0123456789ABCDEFGHJKMNPQRSTVWXYZ', repeat('#', 26), 1.0))
        WHEN 'base32hex' THEN coalesce(
            uuidx_from_base32(CASE WHEN length(data) = 32 AND right(data, 6) = '======'
                    THEN left(upper(data COLLATE "C"), 26) ELSE upper(data COLLATE "C") END, 0,
                '0123456789ABCDEFGHIJKLMNOPQRSTUV'),
            uuidx_raise_text(data, 'UUID format "' || format || '"', upper(data COLLATE "C"),
                '0123456789ABCDEFGHIJKLMNOPQRSTUV',
                repeat('#', 26) || CASE WHEN length(data) = 32 AND right(data, 6) = '======' THEN '======' ELSE '' END,
                4.0))
        WHEN 'base58' THEN coalesce(uuidx_from_number(uuidx_from_base58(data)),
            uuidx_raise_text(data, 'UUID format "' || format || '"', data,
                '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', repeat('#', 22), 1.0))
        WHEN 'base64url' THEN CASE WHEN data ~ '^[A-Za-z0-9_-]{21}[AQgw]$' COLLATE "C"
            THEN uuid_in(textout(encode(decode(translate(data, '-_', '+/') || '==', 'base64'), 'hex')))
            ELSE uuidx_raise_text(data, 'UUID format "' || format || '"', data,
                'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', repeat('#', 22), 16.0) END
        WHEN 'hex' THEN CASE WHEN data ~ '^[0-9A-Fa-f]{32}$' COLLATE "C" THEN uuid_in(textout(data))
            ELSE uuidx_raise_text(data, 'UUID format "' || format || '"', lower(data COLLATE "C"), '0123456789abcdef',
                repeat('#', 32), 1.0) END
        WHEN 'urn' THEN CASE WHEN lower(data COLLATE "C")
                ~ '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' COLLATE "C"
            THEN uuid_in(textout(substr(data, 10)))
            ELSE uuidx_raise_text(data, 'UUID format "' || format || '"', lower(data COLLATE "C"), '0123456789abcdef',
                'urn:uuid:########-####-####-####-############', 1.0) END
        WHEN 'decimal' THEN coalesce(
            CASE WHEN data ~ '^(0|[1-9][0-9]{0,38})$' COLLATE "C"
                THEN uuidx_from_number(numeric_in(textout(data), oid '0', -1)) END,
            uuidx_raise_text(data, 'UUID format "' || format || '"', data, '0123456789',
                repeat('#', greatest(length(data), 1)), 1.0))
        ELSE uuid_in(textout(uuidx_raise_format(format, data))) END;

-- TypeID

-- Raises the error for a text that is no TypeID, at its first fault. The prefix ends at the last underscore.
CREATE OR REPLACE FUNCTION uuidx_raise_typeid_prefix(typeid text) RETURNS text
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
    RETURN coalesce(prefix || '_', '');
END
$$;

-- Returns a prefix given for a TypeID, or raises an error if it is none.
CREATE OR REPLACE FUNCTION uuidx_checked_prefix(prefix text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF prefix !~ '^([a-z]([a-z_]{0,61}[a-z])?)?$' COLLATE "C" THEN
        RAISE invalid_parameter_value USING MESSAGE = format('invalid TypeID prefix: "%s"', prefix),
            DETAIL = 'A prefix has at most 63 characters, lower-case letters a to z and, between them, underscores.';
    END IF;
    RETURN prefix;
END
$$;

CREATE OR REPLACE FUNCTION uuid_to_typeid(id uuid, prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN id IS NOT NULL THEN uuidx_checked_prefix(prefix) || CASE prefix WHEN '' THEN '' ELSE '_' END
        || uuidx_to_base32(id, 2, '0123456789abcdefghjkmnpqrstvwxyz') END;

-- The pattern is short, as PostgreSQL prepares it again for each text.
CREATE OR REPLACE FUNCTION uuid_from_typeid(typeid text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(
        CASE WHEN left(typeid, -26) ~ '^([a-z]([a-z_]*[a-z])?_)?$' COLLATE "C" AND length(typeid) <= 90
            THEN uuidx_from_base32(right(typeid, 26), 2, '0123456789abcdefghjkmnpqrstvwxyz') END,
        uuidx_raise_text(typeid, 'TypeID', typeid, '0123456789abcdefghjkmnpqrstvwxyz',
            uuidx_raise_typeid_prefix(typeid) || repeat('#', 26), 1.0));

CREATE OR REPLACE FUNCTION typeid_prefix(typeid text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN uuid_from_typeid(typeid) IS NOT NULL THEN left(typeid, greatest(length(typeid) - 27, 0)) END;

-- Raises the error for a TypeID with another prefix.
CREATE OR REPLACE FUNCTION uuidx_raise_typeid(typeid text, wanted text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RAISE invalid_parameter_value USING MESSAGE = format('TypeID has prefix "%s", not "%s"',
        left(typeid, greatest(length(typeid) - 27, 0)), wanted);
END
$$;

-- Reads the text once if it has the prefix.
CREATE OR REPLACE FUNCTION uuid_from_typeid(typeid text, prefix text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN typeid IS NULL OR prefix IS NULL THEN NULL
        WHEN left(typeid, greatest(length(typeid) - 27, 0)) = uuidx_checked_prefix(prefix) THEN uuid_from_typeid(typeid)
        WHEN typeid_prefix(typeid) IS NOT NULL THEN uuidx_raise_typeid(typeid, prefix) END;

-- Look up by the first digits

-- Returns the UUID whose text begins with a prefix and goes on with the other digit, or raises an error at the prefix's
-- first fault.
CREATE OR REPLACE FUNCTION uuidx_prefix(prefix text, digit text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    digits text := '';
    c text;
BEGIN
    IF prefix ~ '^[0-9A-Fa-f]{0,8}$' COLLATE "C" THEN
        RETURN uuid_in(textout(rpad(prefix, 32, digit)));
    END IF;
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
    RETURN uuid_in(textout(rpad(digits, 32, digit)));
END
$$;

CREATE OR REPLACE FUNCTION uuid_prefix_min(prefix text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_prefix(prefix, '0');

CREATE OR REPLACE FUNCTION uuid_prefix_max(prefix text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN uuidx_prefix(prefix, 'f');

CREATE OR REPLACE FUNCTION uuid_starts_with(id uuid, prefix text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) uuid_prefix_min(prefix) AND id OPERATOR(pg_catalog.<=) uuid_prefix_max(prefix);

-- Operators, those that are not there yet.
DO $$
DECLARE
    wanted record;
BEGIN
    FOR wanted IN SELECT * FROM (VALUES
        ('<', 'uuid', 'timestamptz', 'uuid_lt_timestamptz', '>', 'scalarltsel', 'scalarltjoinsel'),
        ('<=', 'uuid', 'timestamptz', 'uuid_le_timestamptz', '>=', 'scalarlesel', 'scalarlejoinsel'),
        ('>=', 'uuid', 'timestamptz', 'uuid_ge_timestamptz', '<=', 'scalargesel', 'scalargejoinsel'),
        ('>', 'uuid', 'timestamptz', 'uuid_gt_timestamptz', '<', 'scalargtsel', 'scalargtjoinsel'),
        ('<', 'timestamptz', 'uuid', 'timestamptz_lt_uuid', '>', 'scalarltsel', 'scalarltjoinsel'),
        ('<=', 'timestamptz', 'uuid', 'timestamptz_le_uuid', '>=', 'scalarlesel', 'scalarlejoinsel'),
        ('>=', 'timestamptz', 'uuid', 'timestamptz_ge_uuid', '<=', 'scalargesel', 'scalargejoinsel'),
        ('>', 'timestamptz', 'uuid', 'timestamptz_gt_uuid', '<', 'scalargtsel', 'scalargtjoinsel'),
        ('<@', 'uuid', 'uuid_time_range', 'uuid_contained_by_time_range', '@>', 'contsel', 'areajoinsel'),
        ('@>', 'uuid_time_range', 'uuid', 'time_range_contains_uuid', '<@', 'contsel', 'areajoinsel'),
        ('^@', 'uuid', 'text', 'uuid_starts_with', NULL, 'matchingsel', 'matchingjoinsel'))
        AS definition (name, left_type, right_type, function, commutator, estimate, join_estimate)
    LOOP
        -- Another operator's commutator is there without a function until it is created.
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_operator WHERE CAST(oprcode AS oid) <> oid '0'
                AND oid = CAST(pg_catalog.to_regoperator(pg_catalog.format('%I.%s(%s, %s)',
                    pg_catalog.current_schema(), wanted.name, wanted.left_type, wanted.right_type)) AS oid)) THEN
            EXECUTE pg_catalog.format(
                'CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %s,%s RESTRICT = %s, JOIN = %s)',
                wanted.name, wanted.left_type, wanted.right_type, wanted.function,
                CASE WHEN wanted.commutator IS NOT NULL THEN
                    pg_catalog.format(' COMMUTATOR = OPERATOR(%I.%s),', pg_catalog.current_schema(),
                        wanted.commutator) END,
                wanted.estimate, wanted.join_estimate);
        END IF;
    END LOOP;
END
$$;

-- Aggregates, unless the server has them.
DO $$
BEGIN
    IF pg_catalog.to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS NOT NULL THEN
        RETURN;
    END IF;

    CREATE OR REPLACE FUNCTION uuidx_smaller(a uuid, b uuid) RETURNS uuid
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN least(a, b);
    CREATE OR REPLACE FUNCTION uuidx_larger(a uuid, b uuid) RETURNS uuid
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN greatest(a, b);

    CREATE OR REPLACE AGGREGATE min(uuid) (
        SFUNC = uuidx_smaller,
        STYPE = uuid,
        COMBINEFUNC = uuidx_smaller,
        SORTOP = OPERATOR(pg_catalog.<),
        PARALLEL = SAFE
    );

    CREATE OR REPLACE AGGREGATE max(uuid) (
        SFUNC = uuidx_larger,
        STYPE = uuid,
        COMBINEFUNC = uuidx_larger,
        SORTOP = OPERATOR(pg_catalog.>),
        PARALLEL = SAFE
    );
END
$$;
