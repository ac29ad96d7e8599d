-- A database that uses everything of the extension in objects that pg_upgrade must keep. Rows of the past have fixed
-- times, so that views on them return the same on every version. One function has its schema, as from 17 on, core has a
-- function of this name.
SET timezone = 'UTC';

CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_compat;
CREATE ROLE keeper;
CREATE SCHEMA present;
COMMENT ON SCHEMA present IS 'views of the current state, which changes';

-- Every generator as a default.
CREATE TABLE made (
    n int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    server int NOT NULL DEFAULT current_setting('server_version_num')::int / 10000,
    v1 uuid NOT NULL UNIQUE DEFAULT uuid_v1(),
    v3_text uuid NOT NULL DEFAULT uuid_v3(uuid_namespace('dns'), 'www.example.com'),
    v3_bytea uuid NOT NULL DEFAULT uuid_v3(uuid_namespace('dns'), '\x7777'::bytea),
    v4 uuid NOT NULL UNIQUE DEFAULT uuid_v4(),
    v5_text uuid NOT NULL DEFAULT uuid_v5(uuid_namespace('url'), 'https://example.com'),
    v5_bytea uuid NOT NULL DEFAULT uuid_v5(uuid_namespace('url'), '\x7777'::bytea),
    v6 uuid NOT NULL UNIQUE DEFAULT uuid_v6(),
    v7 uuid NOT NULL UNIQUE DEFAULT uuid_v7(),
    v7_time timestamptz DEFAULT now() CHECK (v7_time = uuid_extract_v7_time(v7)),
    v7_shifted uuid NOT NULL UNIQUE DEFAULT uuid_v7(interval '-1 day'),
    v7_server uuid NOT NULL UNIQUE DEFAULT uuid_v7_server(),
    v1_at uuid NOT NULL UNIQUE DEFAULT uuid_v1_at('2024-02-29 12:00 UTC'),
    v6_at uuid NOT NULL UNIQUE DEFAULT uuid_v6_at('2024-02-29 12:00 UTC'),
    v7_at uuid NOT NULL UNIQUE DEFAULT uuid_v7_at('2024-02-29 12:00 UTC'),
    v7_ordinal uuid NOT NULL DEFAULT uuid_v7_at('2024-02-29 12:00 UTC', 7),
    v7_named uuid NOT NULL DEFAULT uuid_v7_at('2024-02-29 12:00 UTC', uuid_namespace('dns'), 'www.example.com'),
    v8 uuid NOT NULL DEFAULT uuid_v8('\x000102030405060708090a0b0c0d0e0f'),
    v8_hash_text uuid NOT NULL DEFAULT uuid_v8_hash('sha256', uuid_namespace('oid'), '1.2.3'),
    v8_hash_bytea uuid NOT NULL DEFAULT uuid_v8_hash('sha512', uuid_namespace('x500'), '\x7777'::bytea),
    v8_node uuid NOT NULL UNIQUE DEFAULT uuid_v8_node(),
    v8_node_7 uuid NOT NULL UNIQUE DEFAULT uuid_v8_node(7),
    nil uuid NOT NULL DEFAULT nil_uuid(),
    max uuid NOT NULL DEFAULT max_uuid()
);
CREATE TRIGGER made_time BEFORE INSERT OR UPDATE ON made
    FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('v7', 'v7_time');

-- Core's names, without a schema: those of uuidx_compat, unless the server has its own.
CREATE TABLE core_name (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    server int NOT NULL DEFAULT current_setting('server_version_num')::int / 10000,
    due uuid NOT NULL DEFAULT uuidv7('1 day'),
    token uuid NOT NULL DEFAULT uuidv4(),
    -- PostgreSQL 17 has the time of version 1 only.
    old uuid NOT NULL DEFAULT uuid_v1(),
    made_at timestamptz NOT NULL GENERATED ALWAYS AS (uuid_extract_timestamp(old)) STORED
);

-- A key with a time: generated column, CHECKs by function and by operator, expression and partial indexes,
-- statistics.
CREATE DOMAIN key7 AS uuid CHECK (public.uuid_extract_version(VALUE) = 7);
CREATE TABLE event (
    id key7 PRIMARY KEY DEFAULT uuid_v7(),
    made_at timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED,
    body text NOT NULL,
    CONSTRAINT event_recent CHECK (id >= timestamptz '2020-01-01 UTC'),
    CONSTRAINT event_in_range CHECK (id <@ tstzrange '[2020-01-01 UTC,2100-01-01 UTC)')
);
CREATE INDEX event_time ON event (uuid_extract_time(id));
CREATE INDEX event_ulid ON event (uuid_encode(id, 'ulid'));
CREATE UNIQUE INDEX event_octets ON event (uuid_to_bytea(id));
CREATE INDEX event_late ON event (body) WHERE id >= uuid_v7_min('2024-12-01 UTC');
CREATE INDEX event_early ON event (body) WHERE id < timestamptz '2024-02-01 UTC';
CREATE INDEX event_march ON event (body) WHERE id <@ tstzrange '[2024-03-01 UTC,2024-04-01 UTC)';
CREATE INDEX event_brin ON event USING brin (id) WITH (pages_per_range = 4);
CREATE INDEX event_hash ON event USING hash (id);
ALTER TABLE event ALTER id SET STATISTICS 200;
CREATE STATISTICS event_days ON date_trunc('day', uuid_extract_time(id), 'UTC'), body FROM event;
INSERT INTO event (id, body)
SELECT uuid_v7_at(timestamptz '2024-01-01 UTC' + n * interval '26 minutes'), 'body ' || n % 100
FROM generate_series(0, 19999) AS n;

-- Partitions: by bounds of the key, by its version, by its time.
CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7(), line text) PARTITION BY RANGE (id);
CREATE TABLE log_2024_1 PARTITION OF log
    FOR VALUES FROM (uuid_v7_min('2024-01-01 UTC')) TO (uuid_v7_min('2024-04-01 UTC'));
CREATE TABLE log_2024_2 PARTITION OF log
    FOR VALUES FROM (uuid_v7_min('2024-04-01 UTC')) TO (uuid_v7_min('2024-07-01 UTC'));
CREATE TABLE log_2024_3 PARTITION OF log
    FOR VALUES FROM (uuid_v7_min('2024-07-01 UTC')) TO (uuid_v7_min('2025-01-01 UTC'));
CREATE TABLE log_later PARTITION OF log FOR VALUES FROM (uuid_v7_min('2025-01-01 UTC')) TO (MAXVALUE);
CREATE TABLE log_rest PARTITION OF log DEFAULT;
INSERT INTO log SELECT id, body FROM event;
INSERT INTO log VALUES (nil_uuid(), 'nil');

CREATE TABLE mixed (id uuid NOT NULL, note text) PARTITION BY LIST (public.uuid_extract_version(id));
CREATE TABLE mixed_1 PARTITION OF mixed FOR VALUES IN (1);
CREATE TABLE mixed_6 PARTITION OF mixed FOR VALUES IN (6);
CREATE TABLE mixed_7 PARTITION OF mixed FOR VALUES IN (7);
CREATE TABLE mixed_rest PARTITION OF mixed DEFAULT;
CREATE INDEX mixed_version ON mixed (public.uuid_extract_version(id), id);
INSERT INTO mixed SELECT id, 'n ' || n FROM generate_series(1, 500) AS n,
    LATERAL (VALUES (uuid_v1()), (uuid_v4()), (uuid_v5(nil_uuid(), n::text)), (uuid_v6()), (uuid_v7()),
        (uuid_v8_node(n)), (nil_uuid()), (max_uuid())) AS v (id);

CREATE TABLE timed (id uuid NOT NULL, note text) PARTITION BY RANGE (uuid_extract_time(id));
CREATE TABLE timed_2024 PARTITION OF timed FOR VALUES FROM ('2024-01-01 UTC') TO ('2025-01-01 UTC');
CREATE TABLE timed_later PARTITION OF timed FOR VALUES FROM ('2025-01-01 UTC') TO (MAXVALUE);
INSERT INTO timed SELECT uuid_v6_at(timestamptz '2024-06-01 UTC' + n * interval '1 day'), 'n ' || n
    FROM generate_series(1, 365) AS n;

-- The extension's domain as columns, in arrays and in a composite type.
CREATE TYPE shift AS (name text, time_range uuid_time_range);
CREATE TABLE roster (
    n int PRIMARY KEY, time_range uuid_time_range, list uuid_time_range[], shift shift,
    first uuid GENERATED ALWAYS AS (uuid_v7_lower(time_range)) STORED);
INSERT INTO roster
SELECT n, p, ARRAY[p, p], ('shift ' || n, p)::shift
FROM generate_series(1, 12) AS n,
    LATERAL (SELECT tstzrange(timestamptz '2024-01-10 UTC' + n * interval '20 days',
        timestamptz '2024-01-11 UTC' + n * interval '20 days') AS p) AS s;

-- Order across the server. After an upgrade, the documented call advances it.
CREATE TABLE ticket (id uuid PRIMARY KEY DEFAULT uuid_v7_server(), what text);
CREATE FUNCTION go_on() RETURNS uuid LANGUAGE sql
    BEGIN ATOMIC SELECT uuid_v7_advance(max(id)) FROM ticket; END;

-- Views: a time range, minimum and maximum, all operators, all fields of a key.
CREATE VIEW march AS SELECT * FROM event WHERE id <@ tstzrange '[2024-03-01 UTC,2024-04-01 UTC)';
CREATE VIEW april AS
SELECT id, line, uuid_extract_v7_time(id) AS created_at FROM log
WHERE uuid_condition(id, id >= uuid_v7_min('2024-04-01 UTC')) AND id < timestamptz '2024-05-01 UTC';
CREATE VIEW bounds AS
SELECT b.*
FROM (VALUES ('86400000000;zone;local=UTC', true)) AS steps (steps, upper), LATERAL (SELECT
    uuid_time_bound(steps, upper, date '2024-04-01') AS of_date,
    uuid_time_bound(steps, upper, timestamp '2024-04-01') AS of_timestamp,
    uuid_time_bound(steps, upper, timestamptz '2024-04-01 UTC') AS of_timestamptz,
    uuid_time_bound(steps, upper, ARRAY[timestamptz '2024-04-01 UTC']) AS of_array,
    uuid_time_bound(steps, upper, tstzrange '[2024-04-01 UTC,2024-05-01 UTC)') AS of_range,
    uuid_v7_bound('2024-04-01 UTC', upper) AS precise,
    uuid_beyond_bound('01900000-0000-7000-8000-000000000000', steps, upper, date '2024-04-01') AS beyond,
    uuid_check_zone('01900000-0000-7000-8000-000000000000', upper) AS in_order,
    uuid_time_bound(steps, upper, 1711929600::float8) AS of_float,
    uuid_time_bound(steps, upper, 1711929600::numeric) AS of_numeric) AS b;
CREATE VIEW ends AS SELECT min(id) AS first, max(id) AS last FROM event WHERE id < timestamptz '2025-01-01 UTC';
CREATE VIEW compared AS
SELECT count(*) FILTER (WHERE id < t) AS lt, count(*) FILTER (WHERE id <= t) AS le,
    count(*) FILTER (WHERE id >= t) AS ge, count(*) FILTER (WHERE id > t) AS gt,
    count(*) FILTER (WHERE t < id) AS after, count(*) FILTER (WHERE t <= id) AS at_or_after,
    count(*) FILTER (WHERE t >= id) AS at_or_before, count(*) FILTER (WHERE t > id) AS before,
    count(*) FILTER (WHERE id <@ p) AS in_time_range, count(*) FILTER (WHERE p @> id) AS of_time_range,
    count(*) FILTER (WHERE id BETWEEN uuid_v7_lower(p) AND uuid_v7_upper(p)) AS span,
    count(*) FILTER (WHERE id <= uuid_v7_max(t)) AS up_to
FROM event, (VALUES (timestamptz '2024-05-01 UTC', tstzrange '[2024-05-01 UTC,2024-06-01 UTC]')) AS v (t, p)
WHERE id < timestamptz '2025-01-01 UTC';
CREATE VIEW old_order AS
SELECT count(*) FROM timed WHERE id BETWEEN uuid_v6_min('2024-07-01 UTC') AND uuid_v6_max('2024-08-01 UTC');
CREATE MATERIALIZED VIEW face AS
SELECT id, uuid_extract_variant(id) AS variant, uuid_extract_time_precise(id) AS precise,
    uuid_extract_clock_seq(id) AS clock_seq, uuid_extract_node(id) AS node,
    uuid_extract_v8_node(id) AS v8_node, uuid_extract_v8_time(id) AS v8_time,
    (SELECT row_to_json(i)::text FROM uuid_inspect(id) AS i) AS inspected,
    uuid_decode(uuid_encode(id, 'base58'), 'base58') AS decoded, uuid_swap_guid(id) AS guid,
    typeid_prefix(uuid_to_typeid(id, 'kind')) AS kind, uuid_from_typeid(uuid_to_typeid(id, 'kind')) AS of_any_kind,
    uuid_from_typeid(uuid_to_typeid(id, 'kind'), 'kind') AS of_a_kind, id ^@ '0' AS begins_with_0,
    uuid_from_bytea(uuid_to_bytea(id)) AS octets, uuid_time_decoder(id::text) AS text_time,
    CASE version WHEN 1 THEN uuid_v1_to_v6(id) WHEN 6 THEN uuid_v6_to_v1(id) END AS other,
    CASE WHEN version IN (1, 6) THEN uuid_to_v7(id) END AS v7,
    CASE version WHEN 7 THEN uuid_v47_mask(id, '\x000102030405060708090a0b0c0d0e0f') END AS masked,
    CASE version WHEN 4 THEN uuid_v47_unmask(id, '\x000102030405060708090a0b0c0d0e0f') END AS unmasked
FROM mixed, public.uuid_extract_version(id) AS version;
CREATE VIEW present.state AS SELECT * FROM uuid_generator_state();
CREATE VIEW present.release AS SELECT uuidx_version();
CREATE VIEW present.problem AS SELECT * FROM uuidx_check();
CREATE VIEW present.age AS SELECT id, now() - uuid_extract_time(id) AS age FROM event;

-- A trigger, a policy, user-defined aggregates.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'the first quarter is closed'; END$$;
CREATE TRIGGER log_closed BEFORE INSERT ON log FOR EACH ROW
    WHEN (NEW.id <@ tstzrange '[2024-01-01 UTC,2024-04-01 UTC)') EXECUTE FUNCTION refuse();
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
CREATE POLICY event_of_march ON event FOR SELECT TO keeper
    USING (tstzrange '[2024-03-01 UTC,2024-04-01 UTC)' @> id);
GRANT SELECT ON event TO keeper;
CREATE AGGREGATE newest(uuid) (SFUNC = uuid_max_transfn, STYPE = internal, FINALFUNC = uuid_minmax_finalfn,
    COMBINEFUNC = uuid_max_combine, SERIALFUNC = uuid_minmax_serialize, DESERIALFUNC = uuid_minmax_deserialize,
    PARALLEL = SAFE);
CREATE AGGREGATE oldest(uuid) (SFUNC = uuid_min_transfn, STYPE = internal, FINALFUNC = uuid_minmax_finalfn,
    COMBINEFUNC = uuid_min_combine, SERIALFUNC = uuid_minmax_serialize, DESERIALFUNC = uuid_minmax_deserialize,
    PARALLEL = SAFE);

-- Privileges and settings of the extension.
GRANT EXECUTE ON FUNCTION uuid_v7_advance(uuid) TO keeper;
GRANT SET ON PARAMETER uuidx.node_id TO keeper;
DO $$BEGIN
    EXECUTE format('ALTER DATABASE %I SET uuidx.node_id = 4711', current_database());
END$$;
