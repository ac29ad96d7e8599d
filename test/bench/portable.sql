-- For portable.py: sql/portable/uuidx.sql in the schema plain, tables, and home-made functions of the two kinds that
-- are copied most, PL/pgSQL with bytes and SQL with digits. They keep milliseconds only, and check neither times nor
-- versions.
CREATE SCHEMA plain;
SET search_path = plain;
\ir ../../sql/portable/uuidx.sql
SET search_path = public, plain;

-- A key every 8 seconds for 9 days.
CREATE TABLE event AS SELECT uuid_v7_at(t) AS id, i AS n, t
    FROM generate_series(1, 100000) AS i, LATERAL (SELECT timestamptz '2026-01-01' + i * interval '8 s' AS t) AS at;
ALTER TABLE event ADD PRIMARY KEY (id);
CREATE TABLE sample AS SELECT id, t, uuid_v1_at(t) AS v1, 'name-' || n AS name, uuid_encode(id, 'ulid') AS ulid
    FROM event WHERE n <= 2000;
VACUUM (FREEZE, ANALYZE);

CREATE SCHEMA plpgsql;
CREATE FUNCTION plpgsql.uuid_v7() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING substr(int8send(
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;
END $$;
CREATE FUNCTION plpgsql.uuid_v7_at(t timestamptz) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING substr(int8send(
        floor(extract(epoch FROM t) * 1000)::bigint), 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;
END $$;
CREATE FUNCTION plpgsql.uuid_v7_min(t timestamptz) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN encode(set_bit(set_bit(overlay(uuid_send('00000000-0000-4000-8000-000000000000') PLACING substr(int8send(
        floor(extract(epoch FROM t) * 1000)::bigint), 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;
END $$;
CREATE FUNCTION plpgsql.uuid_extract_time(id uuid) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN to_timestamp(('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint / 1000.0);
END $$;

CREATE SCHEMA sql;
CREATE FUNCTION sql.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid $$;
CREATE FUNCTION sql.uuid_v7_at(t timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM t) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid $$;
CREATE FUNCTION sql.uuid_v7_min(t timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM t) * 1000)::bigint), 12, '0')
        || '70008000000000000000')::uuid $$;
CREATE FUNCTION sql.uuid_extract_time(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

-- Returns the microseconds of a statement with its planning.
CREATE FUNCTION statement_us(query text, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    FOR i IN 1 .. times LOOP
        EXECUTE query;
    END LOOP;
    RETURN extract(epoch FROM clock_timestamp() - began) * 1e6 / times;
END $$;
