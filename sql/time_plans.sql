-- Plans of conditions on the time of a key. Comparisons become comparisons of uuid; `<@` becomes two of them for an
-- index, partitions and a foreign server.
SET timezone = 'UTC';
-- Makes sequential scans expensive. PostgreSQL 18 would show enable_seqscan = off in the plans.
SET seq_page_cost = 1000;
-- Without the rules, padding and headings of tables.
\pset format unaligned
\pset tuples_only

CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), customer int NOT NULL, n int NOT NULL);
INSERT INTO event SELECT uuid_v7_at('2026-01-01'::timestamptz + i * interval '1 minute'), i % 100, i
FROM generate_series(0, 99999) AS i;
VACUUM ANALYZE event;

-- The primary key, for each operator and its commutator.
EXPLAIN (COSTS off) SELECT * FROM event WHERE id < timestamptz '2026-01-02';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <= timestamptz '2026-01-02';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id >= timestamptz '2026-03-01';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id > timestamptz '2026-03-01';
EXPLAIN (COSTS off) SELECT * FROM event WHERE timestamptz '2026-01-02' > id;
EXPLAIN (COSTS off) SELECT * FROM event WHERE timestamptz '2026-01-02' >= id;
EXPLAIN (COSTS off) SELECT * FROM event WHERE timestamptz '2026-03-01' <= id;
EXPLAIN (COSTS off) SELECT * FROM event WHERE timestamptz '2026-03-01' < id;
EXPLAIN (COSTS off) SELECT * FROM event WHERE NOT id < timestamptz '2026-03-01';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id BETWEEN timestamptz '2026-01-02' AND timestamptz '2026-01-03';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange('2026-01-02', '2026-01-03');
EXPLAIN (COSTS off) SELECT * FROM event WHERE tstzrange('2026-01-02', '2026-01-03', '(]') @> id;

-- now() is evaluated when the query runs.
EXPLAIN (COSTS off) SELECT * FROM event WHERE id >= now() - interval '1 day';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange(now() - interval '1 day', now());
-- A volatile time cannot use an index.
EXPLAIN (COSTS off) SELECT * FROM event WHERE id >= clock_timestamp();
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange(clock_timestamp(), NULL);

-- Index-only scans, the newest rows, and the next page.
EXPLAIN (COSTS off) SELECT count(*) FROM event WHERE id <@ tstzrange('2026-01-02', '2026-01-03');
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange('2026-01-02', '2026-01-03') ORDER BY id DESC LIMIT 10;
EXPLAIN (COSTS off) SELECT * FROM event
WHERE id <@ tstzrange('2026-01-02', '2026-01-03') AND id > '019b7d5b-7c00-7000-8000-000000000000' ORDER BY id LIMIT 10;

-- A generic plan.
SET plan_cache_mode = force_generic_plan;
PREPARE day(timestamptz) AS SELECT count(*) FROM event WHERE id <@ tstzrange($1, $1 + interval '1 day');
EXPLAIN (COSTS off) EXECUTE day('2026-01-02');
EXECUTE day('2026-01-02');
EXECUTE day(NULL);
RESET plan_cache_mode;

-- Joins: the index is searched for the time of each session.
CREATE TABLE session (name text, started_at timestamptz, ended_at timestamptz, time_range tstzrange);
INSERT INTO session SELECT 's' || i, t, t + interval '1 hour', tstzrange(t, t + interval '1 hour')
FROM generate_series(1, 5) AS i, LATERAL (SELECT '2026-01-10'::timestamptz + i * interval '1 day') AS start (t);
ANALYZE session;
SET enable_material = off;
EXPLAIN (COSTS off) SELECT * FROM session s JOIN event e ON e.id >= s.started_at AND e.id < s.ended_at;
EXPLAIN (COSTS off) SELECT * FROM session s JOIN event e ON e.id <@ s.time_range;
EXPLAIN (COSTS off) SELECT * FROM session s JOIN event e ON e.id <@ tstzrange(s.started_at, s.ended_at);
SELECT count(*), count(*) FILTER (WHERE e.id <@ s.time_range) AS time_range
FROM session s JOIN event e ON e.id >= s.started_at AND e.id < s.ended_at;
EXPLAIN (COSTS off) SELECT s.name, e.n FROM session s
CROSS JOIN LATERAL (SELECT n FROM event WHERE id >= s.started_at ORDER BY id LIMIT 1) AS e;
RESET enable_material;

-- A comparison proves the predicate of a partial index on the time.
ALTER TABLE event DROP CONSTRAINT event_pkey;
CREATE INDEX since_march ON event (customer) WHERE id >= timestamptz '2026-03-01';
EXPLAIN (COSTS off) SELECT * FROM event WHERE customer = 7 AND id >= timestamptz '2026-03-02';
DROP INDEX since_march;
-- BRIN. Sequential scans are off, as their cost is nearly the same here, so the plan would depend on the sample of
-- ANALYZE.
SET enable_seqscan = off;
CREATE INDEX minmax ON event USING brin (id) WITH (pages_per_range = 4);
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange('2026-01-02', '2026-01-03');
SELECT count(*) FROM event WHERE id <@ tstzrange('2026-01-02', '2026-01-03');
DROP INDEX minmax;
-- On an expression.
CREATE INDEX minmax ON event USING brin ((n + 1));
EXPLAIN (COSTS off) SELECT * FROM event WHERE n + 1 = 7;
DROP INDEX minmax;
RESET enable_seqscan;
-- A GiST index on a column of time ranges can be searched for a time, not for a UUID.
CREATE INDEX ON session USING gist (time_range);
EXPLAIN (COSTS off) SELECT name FROM session WHERE time_range @> '019bae37-0800-7000-8000-000000000000'::uuid;
EXPLAIN (COSTS off) SELECT name FROM session WHERE time_range @> '2026-01-11 00:30'::timestamptz;
ALTER TABLE event ADD PRIMARY KEY (id);

-- A view keeps its conditions as they were written.
CREATE VIEW today AS
SELECT id FROM event WHERE id <@ tstzrange(now() - interval '1 day', now()) AND id >= now() - interval '2 days';
SELECT replace(pg_get_viewdef('today'), 'event.', '') AS definition;

-- A range that is expensive to compute is not computed more often than without the rewrite: once for each row, or twice
-- for an index scan.
CREATE SEQUENCE calls;
CREATE FUNCTION slow_time_range() RETURNS tstzrange LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM nextval('calls');
    RETURN tstzrange('2026-01-01', '2026-01-02');
END $$;
CREATE TABLE by_time (id uuid, n int) PARTITION BY RANGE (id);
CREATE TABLE by_time_all PARTITION OF by_time DEFAULT;
INSERT INTO by_time SELECT id, n FROM event WHERE n BETWEEN 960 AND 1959;
SELECT count(*) FROM by_time WHERE id <@ slow_time_range();
SELECT last_value <= 1010 AS once_a_row FROM calls;
ALTER SEQUENCE calls RESTART;
SELECT count(*) FROM event WHERE id <@ slow_time_range();
SELECT last_value <= 10 AS by_index FROM calls;
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ slow_time_range();
-- A range that costs at most ten operators is rewritten to prune partitions.
EXPLAIN (COSTS off) SELECT * FROM by_time
WHERE id <@ tstzrange(date_trunc('day', now() - interval '1 day'), date_trunc('day', now()));
DROP TABLE by_time;
DROP FUNCTION slow_time_range;
DROP SEQUENCE calls;

-- Of the conditions of an AND, 100 become conditions of the key, as PostgreSQL compares each with each.
CREATE VIEW event_at AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event;
CREATE FUNCTION conditions(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE line text; count bigint := 0;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) SELECT FROM event_at WHERE ' || string_agg(
      format('(customer = %s OR created_at > current_date)', i), ' AND ') FROM generate_series(1, n) AS i LOOP
    count := count + regexp_count(line, 'id > ');
  END LOOP;
  RETURN count;
END $$;
SELECT conditions(99), conditions(100), conditions(101);
DROP FUNCTION conditions;

-- An equality with a constant is kept if it says more than the bounds: of other columns, or of an order.
CREATE TABLE rate (at timestamptz, percent int) PARTITION BY LIST (at);
CREATE TABLE rate_1 PARTITION OF rate FOR VALUES IN ('2026-01-02Z');
CREATE TABLE rate_2 PARTITION OF rate FOR VALUES IN ('2026-01-03Z');
EXPLAIN (COSTS off) SELECT FROM event_at JOIN rate ON at = created_at WHERE created_at = '2026-01-02Z';
EXPLAIN (COSTS off) SELECT FROM event_at WHERE created_at = '2026-01-02Z' ORDER BY created_at, n;
DROP VIEW event_at;
DROP TABLE rate;
-- Larger statistics than ANALYZE makes, which an owner can set from PostgreSQL 18 on, are left to PostgreSQL.
CREATE TABLE large (id uuid);
INSERT INTO large SELECT id FROM event WHERE n <= 1000;
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    ANALYZE large;
    PERFORM pg_restore_attribute_stats('schemaname', 'public', 'relname', 'large', 'attname', 'id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', -1::real, 'histogram_bounds',
      (SELECT array_agg(uuid_v7_min('2026-01-01'::timestamptz + i * interval '9 minutes') ORDER BY i)::text
        FROM generate_series(1, 10002) AS i));
  END IF;
END $$;
CREATE FUNCTION estimate() RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  EXECUTE 'EXPLAIN SELECT FROM large WHERE id > uuid_v7_max(''2026-02-01 12:34'')' INTO line;
  RETURN substring(line, 'rows=(\d+)');
END $$;
SELECT estimate() AS adapted \gset
SET uuidx.enable_statistics = off;
SELECT estimate() = :'adapted';
RESET uuidx.enable_statistics;
DROP TABLE large;
DROP FUNCTION estimate;

-- Attached to functions with other arguments or results, the support function does nothing.
CREATE FUNCTION own(uuid, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE
    SUPPORT uuid_time_range_support AS 'BEGIN RETURN $2 > 0; END';
CREATE FUNCTION own(uuid) RETURNS bool LANGUAGE plpgsql IMMUTABLE
    SUPPORT uuid_time_range_support AS 'BEGIN RETURN true; END';
CREATE FUNCTION words(uuid, tstzrange) RETURNS text LANGUAGE plpgsql IMMUTABLE
    SUPPORT uuid_time_range_support AS 'BEGIN RETURN $1 <@ $2; END';
CREATE FUNCTION answers(uuid, tstzrange) RETURNS SETOF bool LANGUAGE plpgsql IMMUTABLE
    SUPPORT uuid_time_range_support AS 'BEGIN RETURN NEXT $1 <@ $2; END';
EXPLAIN (COSTS off) SELECT n FROM event WHERE own(id, 5) AND own(id) AND n = 1;
SELECT words(id, 'empty'), answers(id, 'empty') FROM event WHERE n = 1;
DROP FUNCTION own(uuid, int), own(uuid), words, answers;

-- Row-level security: the operators become leakproof comparisons, so the index is used before the policy is evaluated.
CREATE ROLE uuidx_reader;
GRANT SELECT ON event TO uuidx_reader;
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON event USING (customer = length(current_user));
SET ROLE uuidx_reader;
EXPLAIN (COSTS off) SELECT * FROM event WHERE id >= timestamptz '2026-03-01';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange('2026-01-02', '2026-01-03');
RESET ROLE;
-- A role that may read a view needs no USAGE on the schema of the extension.
CREATE SCHEMA uuidx_hidden;
ALTER EXTENSION uuidx SET SCHEMA uuidx_hidden;
CREATE VIEW recent AS SELECT id, n FROM event WHERE id OPERATOR(uuidx_hidden.<@) tstzrange('2026-01-02', now());
GRANT SELECT ON recent TO uuidx_reader;
SET ROLE uuidx_reader;
SELECT count(*) > 0 AS some FROM recent;
RESET ROLE;
ALTER EXTENSION uuidx SET SCHEMA public;
DROP VIEW recent;
DROP SCHEMA uuidx_hidden;
DROP POLICY own ON event;
ALTER TABLE event DISABLE ROW LEVEL SECURITY;

DROP VIEW today;
DROP TABLE event, session;
DROP ROLE uuidx_reader;
