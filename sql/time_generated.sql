-- Stored generated columns: the time itself, to the millisecond, in UTC, or computed from it.
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET seq_page_cost = 1000;
\pset format unaligned
\pset tuples_only
-- Returns what a plan reads, sorts and filters; the rest differs between versions. From PostgreSQL 18 on, UTC can be
-- another zone in the session that executes a plan, so bounds of a timestamp are computed then.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    IF line ~ ' Scan |Sort|Cond:|Filter:' THEN
      RETURN NEXT ltrim(regexp_replace(line, $re$'[0-9a-f-]{36}'::uuid|uuid_v7_m..\(uuid_time_bound\([^)]*\)\)$re$,
        'bound', 'g'), ' ->');
    END IF;
  END LOOP;
END $$;

-- Constraints in other words prove the same.
CREATE TABLE event (
    id uuid PRIMARY KEY CHECK (uuid_is_v7(id) IS TRUE AND true),
    n int,
    at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED,
    at_ms timestamptz(3) GENERATED ALWAYS AS (uuid_extract_time(id)) STORED,
    at_utc timestamp(3) GENERATED ALWAYS AS (uuid_extract_time(id) AT TIME ZONE 'Etc/UTC') STORED,
    day date GENERATED ALWAYS AS ((uuid_extract_time(id) AT TIME ZONE 'Asia/Tokyo')::date) STORED);
INSERT INTO event
SELECT uuid_v7_at(timestamptz '2026-01-01' + i * interval '10 minutes'), i FROM generate_series(1, 10000) AS i;
VACUUM ANALYZE event;
SELECT plan($$SELECT * FROM event WHERE at >= '2026-03-01' AND at < '2026-03-02'$$);
SELECT plan($$SELECT * FROM event WHERE at_ms >= '2026-03-01' AND at_ms < '2026-03-02'$$);
SELECT plan($$SELECT * FROM event WHERE at_utc >= '2026-03-01' AND at_utc < '2026-03-02'$$);
SELECT plan($$SELECT * FROM event WHERE at_utc = '2026-03-01'$$);
SELECT plan($$SELECT * FROM event WHERE day = '2026-03-01'$$);
SELECT plan($$SELECT * FROM event WHERE at::date = current_date$$);
SELECT plan($$SELECT * FROM event WHERE at::date = '2026-03-01'$$);
SELECT plan($$SELECT * FROM event ORDER BY at DESC LIMIT 3$$);
SELECT plan($$SELECT * FROM event ORDER BY at_utc DESC NULLS LAST LIMIT 3$$);
SELECT plan($$SELECT max(at_ms), min(at_utc) FROM event$$);
SELECT count(*), count(*) FILTER (WHERE at = at_ms AND at = at_utc) FROM event
WHERE at_utc >= '2026-03-01' AND at_ms < '2026-03-02';
SELECT count(*), min(at), max(at) FROM event WHERE day = '2026-03-01';
-- A NOT NULL column of the time proves version 7, without a CHECK.
CREATE TABLE other (id uuid PRIMARY KEY, any_time timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED,
    created timestamptz NOT NULL GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED);
INSERT INTO other SELECT id FROM event;
VACUUM ANALYZE other;
SELECT plan($$SELECT * FROM other WHERE any_time >= '2026-03-01' AND any_time < '2026-03-02'$$);
SELECT plan($$SELECT * FROM other ORDER BY created DESC LIMIT 3$$);
ALTER TABLE other ALTER created DROP NOT NULL;
SELECT plan($$SELECT * FROM other ORDER BY any_time DESC LIMIT 3$$);
-- One of any version's time, or with its microseconds, proves nothing.
ALTER TABLE other ALTER any_time SET NOT NULL, ADD precise timestamptz NOT NULL
    GENERATED ALWAYS AS (uuid_extract_time_precise(id)) STORED;
SELECT plan($$SELECT * FROM other WHERE precise >= '2026-03-01'$$);
SELECT plan($$SELECT * FROM other WHERE precise >= '2026-03-01' AND precise < '2026-03-02' AND uuid_is_v7(id)$$);
-- A zone's abbreviation, from PostgreSQL 18 on also UTC, can mean another zone than when a value was stored.
CREATE TABLE abbreviated (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)),
    est timestamp GENERATED ALWAYS AS (uuid_extract_v7_time(id) AT TIME ZONE 'EST') STORED,
    utc timestamp GENERATED ALWAYS AS (uuid_extract_v7_time(id) AT TIME ZONE 'UTC') STORED);
INSERT INTO abbreviated SELECT id FROM event WHERE n <= 1000;
SET timezone_abbreviations = 'Australia';
SET timezone = 'UTC+3';
SELECT count(*) FROM abbreviated WHERE est < '2026-01-02';
SELECT count(*) FROM abbreviated WHERE utc < '2026-01-02';
RESET timezone_abbreviations;
SET timezone = 'UTC';
DROP TABLE abbreviated;
-- The predicate of an index can name the column.
CREATE INDEX of_march ON event (n) WHERE at_utc >= '2026-03-01';
SELECT plan($$SELECT * FROM event WHERE n = 9000 AND at_utc >= '2026-03-01'$$);
DROP INDEX of_march;
-- Of an equality with a value that is not known, few rows are expected, and no range between such values is read.
CREATE FUNCTION explained(query text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE found json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO found;
  RETURN found->0->'Plan';
END $$;
SELECT (explained($$SELECT * FROM event WHERE at = (SELECT timestamptz '2026-03-01')$$)->>'Plan Rows')::int < 10,
  explained($$SELECT * FROM event WHERE at IN ('2026-03-01', (SELECT timestamptz '2026-03-05'))
    ORDER BY at, n LIMIT 3$$)::text NOT LIKE '%GREATEST%';
DROP FUNCTION explained;
-- A column that has an index of its own keeps it.
CREATE INDEX ON event (at);
SELECT plan($$SELECT * FROM event WHERE at >= '2026-03-01' AND at < '2026-03-02'$$);
SELECT plan($$SELECT * FROM (SELECT at, id FROM event UNION ALL SELECT created, id FROM other) AS u
WHERE at > '2026-03-11'$$) FROM (SELECT set_config('enable_seqscan', 'off', false)) AS off;
RESET enable_seqscan;
-- A table with children is left alone: from PostgreSQL 16 on, a child may generate the column by another expression.
CREATE TABLE parent (id uuid NOT NULL CHECK (uuid_is_v7(id)),
    at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED);
CREATE INDEX ON parent (id);
SET client_min_messages = warning;
DO $$
BEGIN
  CREATE TABLE child (id uuid NOT NULL,
    at timestamptz GENERATED ALWAYS AS (greatest(uuid_extract_v7_time(id), '2026-03-01 12:00Z')) STORED)
    INHERITS (parent);
EXCEPTION WHEN invalid_column_definition THEN
  CREATE TABLE child () INHERITS (parent);
END $$;
INSERT INTO child (id) SELECT id FROM event;
SELECT count(*) > 0, count(*) = (SELECT count(*) FROM child WHERE tstzrange(at, at, '[]') <@ '[2026-03-01,2026-03-02)')
FROM parent WHERE at >= '2026-03-01' AND at < '2026-03-02';

DROP TABLE event, other, parent CASCADE;
DROP FUNCTION plan;
