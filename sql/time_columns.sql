-- Conditions on the time of a key, and order by it, use the index of the key.
SET timezone = 'UTC';
-- Makes sequential scans expensive. PostgreSQL 18 would show enable_seqscan = off in the plans.
SET seq_page_cost = 1000;
-- Without the rules, padding and headings of tables.
\pset format unaligned
\pset tuples_only

-- Keys of every version: 7, and as many of versions 1, 4 and 6 from the same days.
CREATE TABLE mixed (id uuid PRIMARY KEY, n int NOT NULL);
INSERT INTO mixed
SELECT CASE i % 4 WHEN 0 THEN uuid_v1_at(t) WHEN 1 THEN uuid_v4() WHEN 2 THEN uuid_v6_at(t) ELSE uuid_v7_at(t) END, i
FROM generate_series(0, 9999) AS i, LATERAL (SELECT timestamptz '2026-01-01' + i * interval '10 minutes') AS at (t);
CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int NOT NULL);
INSERT INTO event SELECT id, n FROM mixed WHERE uuid_is_v7(id);
ANALYZE mixed, event;
CREATE VIEW mixed_at AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM mixed;
CREATE VIEW event_at AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event;
CREATE VIEW event_of_any AS SELECT *, uuid_extract_time(id) AS created_at FROM event;

-- The function.
SELECT uuid_extract_v7_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f') AS v7,
    num_nulls(uuid_extract_v7_time('c232ab00-9414-11ec-b3c8-9f6bdeced846'), uuid_extract_v7_time(uuid_v4()),
        uuid_extract_v7_time('1ec9414c-232a-6b00-b3c8-9f6bdeced846'), uuid_extract_v7_time(nil_uuid()),
        uuid_extract_v7_time('017f22e2-79b0-7cc3-18c4-dc0c0c07398f'), uuid_extract_v7_time(NULL)) AS nulls;

-- Returns the scans of a plan, or other nodes. The rest differs between versions.
CREATE FUNCTION scans(query text, nodes text DEFAULT ' Scan ') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    IF line ~ nodes AND line NOT LIKE '%Replaces: %' THEN RETURN NEXT ltrim(line, ' ->'); END IF;
  END LOOP;
END $$;

-- Conditions with and without a proof of the version. test/planner/shapes.txt has each form of a condition, an order
-- and a join.
EXPLAIN (COSTS off) SELECT * FROM mixed_at WHERE created_at >= '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE created_at >= '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM mixed_at WHERE tstzrange('2026-02-01', now()) @> created_at;
EXPLAIN (COSTS off) SELECT * FROM mixed_at WHERE created_at IS NOT NULL;
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE created_at < '2026-01-02' OR created_at >= '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM mixed_at WHERE (created_at < '2026-01-02' OR created_at >= '2026-02-01')
AND (created_at < '2026-01-01' OR created_at >= '2026-01-03');
-- Nothing is read if no key can be meant.
SELECT count(*) AS scans FROM scans($$SELECT * FROM event_at WHERE created_at < '1960-01-01'$$);
SELECT count(*) AS scans
FROM scans($$SELECT * FROM event_at WHERE created_at >= '2026-02-02' AND created_at < '2026-02-01'$$);
-- A proof lets time conditions on the id do without the test of the version.
EXPLAIN (COSTS off) SELECT * FROM event WHERE id >= timestamptz '2026-02-01' AND id < timestamptz '2026-02-02';
EXPLAIN (COSTS off) SELECT * FROM event WHERE id <@ tstzrange('2026-02-01', '2026-02-02');
EXPLAIN (COSTS off) SELECT * FROM event WHERE uuid_is_v7(id);
-- The function that reads all versions needs a proof, which a condition of the query is, too.
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM mixed WHERE uuid_extract_time(id) >= '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM mixed WHERE uuid_is_v7(id) AND uuid_extract_time(id) >= '2026-02-01';

-- With microseconds, bounds are within the millisecond. Rounding to milliseconds changes the time.
CREATE VIEW event_us AS SELECT *, uuid_extract_time_precise(id) AS created_at FROM event;
EXPLAIN (COSTS off) SELECT * FROM event_us
WHERE created_at >= '2026-02-01' AND created_at < '2026-02-01 00:00:00.000001';
EXPLAIN (COSTS off) SELECT * FROM event_us WHERE created_at > now() - interval '1 day';
EXPLAIN (COSTS off) SELECT * FROM event_us WHERE created_at <@ tstzrange('2026-02-01', now());
EXPLAIN (COSTS off) SELECT * FROM event_us WHERE created_at::timestamptz(3) = '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM event_us WHERE created_at::timestamptz(6) = '2026-02-01 00:00:00.000001';
EXPLAIN (COSTS off) SELECT * FROM event_us ORDER BY created_at DESC, id DESC LIMIT 3;
SELECT scans('SELECT * FROM event_at AS a JOIN event_us AS b USING (created_at) WHERE a.n < 5', ' Scan |Index Cond');
EXPLAIN (COSTS off) SELECT * FROM mixed WHERE uuid_extract_time_precise(id) >= '2026-02-01';

-- Rows whose time is not first. Operators of prefixes become <= and >=, and what follows the time is not a bound.
BEGIN;
CREATE INDEX ON event (n, id);
EXPLAIN (COSTS off) SELECT n FROM event_at WHERE (n, created_at) > (7, '2026-02-01') ORDER BY n, created_at LIMIT 3;
EXPLAIN (COSTS off) SELECT n FROM event_at WHERE (n, created_at, id) < (7, '2026-02-01', nil_uuid())
ORDER BY n DESC, created_at DESC LIMIT 3;
SELECT count(*), count(*) FILTER (WHERE (n, created_at) > (8003, '2026-02-25 13:50')) FROM event_at
WHERE (n, created_at) >= (8003, '2026-02-25 13:50');
ROLLBACK;
EXPLAIN (COSTS off) SELECT * FROM mixed WHERE (n, uuid_extract_time(id)) > (7, '2026-02-01');

-- Left alone: volatile times, other columns of the row, NOT, expressions of ids.
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE created_at > clock_timestamp();
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE created_at > timestamptz '2026-02-01' + n * interval '1 day';
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE (created_at > '2026-02-01') IS NOT TRUE;
EXPLAIN (COSTS off) SELECT * FROM event WHERE uuid_extract_time(greatest(id, nil_uuid())) > '2026-02-01';

-- Order, if there is a proof.
EXPLAIN (COSTS off) SELECT * FROM event_of_any ORDER BY created_at DESC FETCH FIRST ROW ONLY;
EXPLAIN (COSTS off) SELECT * FROM mixed_at WHERE created_at < '2026-01-03' ORDER BY created_at DESC LIMIT 3;
-- Keys of other versions are not in the order of their times.
EXPLAIN (COSTS off) SELECT * FROM mixed_at ORDER BY created_at LIMIT 3;
SELECT scans('SELECT max(created_at) FROM mixed_at');

-- A condition keeps its place among those of the same cost: here, they divide by zero for rows that it leaves out.
CREATE TABLE few (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
INSERT INTO few VALUES (uuid_v7_at('2026-02-28 12:00'), 5), (uuid_v7_at('2026-03-31'), 6);
ANALYZE few;
SELECT n FROM (SELECT n, uuid_extract_v7_time(id) AS created_at FROM few) AS f
WHERE created_at + interval '1 month' >= '2026-03-31' AND 1 / (n - 5) > 0;
SELECT n FROM (SELECT n, uuid_extract_v7_time(id) AS created_at FROM few) AS f
WHERE (created_at, n) >= ('2026-02-28 12:00', 6) AND 1 / (n - 5) > 0;
DROP TABLE few;

-- MERGE and prepared statements.
CREATE TABLE span (name text, starts timestamptz, ends timestamptz);
INSERT INTO span VALUES ('one', '2026-01-05', '2026-01-06'), ('two', '2026-02-05', '2026-02-06');
ANALYZE span;
EXPLAIN (COSTS off) MERGE INTO event e USING span s ON uuid_extract_v7_time(e.id) >= s.starts
WHEN MATCHED THEN UPDATE SET n = 1;
PREPARE day(timestamptz) AS SELECT * FROM event_at WHERE created_at >= $1 AND created_at < $1 + interval '1 day';
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS off) EXECUTE day('2026-01-05');
-- Without the constraint, the plan is made anew.
ALTER TABLE event DROP CONSTRAINT event_id_check;
EXPLAIN (COSTS off) EXECUTE day('2026-01-05');
RESET plan_cache_mode;

-- Constraints that prove less: not valid, not inherited, of children.
ALTER TABLE event ADD CONSTRAINT later CHECK (uuid_is_v7(id)) NOT VALID;
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';
ALTER TABLE event VALIDATE CONSTRAINT later;
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';
ALTER TABLE event DROP CONSTRAINT later, ADD CONSTRAINT parent CHECK (uuid_is_v7(id)) NO INHERIT;
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';
CREATE TABLE event_child () INHERITS (event);
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';
DROP TABLE event_child;
ALTER TABLE event DROP CONSTRAINT parent, ADD CHECK (uuid_is_v7(id) AND n >= 0);
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';

-- An index on the extracted time stays useful for conditions by the same function; so does a partial one.
CREATE INDEX by_time ON event (uuid_extract_v7_time(id));
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE created_at >= '2026-02-01';
EXPLAIN (COSTS off) SELECT * FROM event_of_any WHERE created_at >= '2026-02-01';
DROP INDEX by_time;
CREATE TABLE partial (id uuid CHECK (uuid_is_v7(id)), n int);
INSERT INTO partial SELECT id, n FROM event;
ANALYZE partial;
CREATE INDEX of_v7 ON partial (n) WHERE uuid_is_v7(id);
EXPLAIN (COSTS off) SELECT * FROM partial WHERE uuid_extract_v7_time(id) >= '2026-02-01' AND n = 7;
DROP INDEX of_v7;

-- A test of the version that the query has already is not repeated.
EXPLAIN (COSTS off) SELECT * FROM mixed_at WHERE uuid_is_v7(id) AND created_at IS NOT NULL;
-- A function that is missing turns the feature off, and loses no condition.
ALTER FUNCTION uuid_v7_min RENAME TO renamed;
SELECT count(*) FROM event WHERE id < nil_uuid();
EXPLAIN (COSTS off) SELECT n FROM event_at WHERE created_at >= '2026-02-01';
ALTER FUNCTION renamed RENAME TO uuid_v7_min;
-- An operator of the same family that compares with another type.
CREATE FUNCTION is_before(uuid, bigint) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN $2 > 0; END';
CREATE OPERATOR <<< (LEFTARG = uuid, RIGHTARG = bigint, FUNCTION = is_before);
ALTER OPERATOR FAMILY uuid_ops USING btree ADD OPERATOR 1 <<< (uuid, bigint);
EXPLAIN (COSTS off) SELECT * FROM partial WHERE id <<< 7;
ALTER OPERATOR FAMILY uuid_ops USING btree DROP OPERATOR 1 (uuid, bigint);
DROP OPERATOR <<< (uuid, bigint);
DROP FUNCTION is_before;

-- Row level security and security barriers.
CREATE ROLE uuidx_reader;
CREATE POLICY recent ON event USING (uuid_extract_v7_time(id) >= '2026-02-01');
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON event TO uuidx_reader;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM mixed_at WHERE created_at >= '2026-01-05';
SET ROLE uuidx_reader;
EXPLAIN (COSTS off) SELECT * FROM event WHERE uuid_extract_v7_time(id) < '2026-02-02';
SELECT count(*), min(uuid_extract_v7_time(id)) FROM event;
RESET ROLE;
-- A user who may not call what a query becomes gets the query as it is.
REVOKE EXECUTE ON FUNCTION uuid_condition FROM PUBLIC;
SET ROLE uuidx_reader;
SELECT count(*) FROM event WHERE uuid_extract_v7_time(id) < '2026-02-02';
RESET ROLE;
GRANT EXECUTE ON FUNCTION uuid_condition TO PUBLIC;
EXPLAIN (COSTS off) SELECT * FROM barrier WHERE created_at < '2026-01-06';

-- Partitions, inherited tables and other access methods get comparisons, which prune.
CREATE TABLE log (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
CREATE TABLE log_january PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-01-01')) TO (uuid_v7_min('2026-02-01'));
CREATE TABLE log_february PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-02-01')) TO (uuid_v7_min('2026-03-01'));
INSERT INTO log SELECT id, n FROM event WHERE id < timestamptz '2026-03-01';
CREATE VIEW log_at AS SELECT *, uuid_extract_time(id) AS created_at FROM log;
PREPARE between_times(timestamptz, timestamptz) AS
    SELECT count(*), min(created_at), max(created_at) FROM log_at WHERE created_at > $1 AND created_at <= $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS off) EXECUTE between_times('2026-02-03 00:30', '2026-02-03 23:50');
EXECUTE between_times('2026-02-03 00:30', '2026-02-03 23:50');
RESET plan_cache_mode;
DEALLOCATE between_times;
CREATE TABLE by_time (id uuid) PARTITION BY RANGE (uuid_extract_v7_time(id));
CREATE TABLE by_time_january PARTITION OF by_time FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE by_time_february PARTITION OF by_time FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
EXPLAIN (COSTS off) SELECT * FROM by_time WHERE uuid_extract_v7_time(id) < '2026-01-05';
-- Equalities that hold for some rows only.
SELECT count(*) = (SELECT count(*) FROM event) AS "all of a"
FROM event_at AS a LEFT JOIN event_at AS b ON a.created_at = b.created_at AND b.created_at = '2026-02-03';
SELECT count(*) FROM event_at AS a JOIN event_at AS b USING (n)
WHERE (a.created_at = b.created_at AND b.created_at = '2026-01-01 00:30') OR n < 20;
-- With times that no key has.
SELECT count(*), count(e.id) FROM (VALUES ('infinity'::timestamptz), ('-infinity'), ('1960-01-01')) AS v (t)
LEFT JOIN event_at AS e ON e.created_at = v.t;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*) FROM (SELECT 'infinity'::timestamptz AS t) AS v JOIN event_at AS e ON e.created_at = v.t
JOIN event_at AS f ON f.created_at = e.created_at;
SELECT count(*) FROM generate_series(1, 2) AS n LEFT JOIN event_at AS e ON e.created_at = 'infinity'
    AND e.created_at = uuid_extract_v7_time(uuid_v7());
-- With keys of other versions that begin with the same time.
CREATE TABLE twins AS SELECT id FROM event UNION ALL
SELECT overlay(uuid_v7_min(starts)::text PLACING v FROM 15)::uuid FROM span, (VALUES ('7'), ('4')) AS o (v);
CREATE INDEX ON twins (id);
ANALYZE twins;
SELECT scans($$SELECT * FROM span AS s JOIN twins AS t ON uuid_extract_v7_time(t.id) = s.starts$$);
SELECT count(*), every(uuid_is_v7(t.id)) FROM span AS s JOIN twins AS t ON uuid_extract_v7_time(t.id) = s.starts;
-- With elements of an array in a column, which are no condition of a copied index.
SELECT count(*) FROM (SELECT array_agg(created_at) AS times FROM event_at WHERE n < 40) AS s
JOIN event_at AS e ON e.created_at = ANY (times)
JOIN event_at AS f ON f.created_at = e.created_at;
-- Partitions are joined in pairs, also if the result is in the order of time.
SET enable_partitionwise_join = on;
SELECT count(*) AS joins
FROM scans($$SELECT a.n FROM log_at AS a JOIN log_at AS b USING (id, n) ORDER BY a.created_at$$, 'Nested Loop');
RESET enable_partitionwise_join;
RESET enable_hashjoin;
RESET enable_mergejoin;
-- A function is called once a row, unless the row is of its time.
CREATE SEQUENCE calls;
CREATE FUNCTION known() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN PERFORM nextval('calls'); RETURN '2026-02-03'; END $$;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM event_at WHERE created_at = known();
-- The planner calls it for its estimates, too.
SELECT last_value BETWEEN n AND n + 100 AS once FROM calls, (SELECT count(*) AS n FROM event) AS c;
RESET enable_indexscan;
RESET enable_indexonlyscan;
RESET enable_bitmapscan;
-- An order is known above it.
EXPLAIN (COSTS off) SELECT * FROM (SELECT * FROM event_at ORDER BY created_at DESC LIMIT 20) AS newest
ORDER BY created_at DESC;
SELECT scans($$SELECT max(created_at) FROM log_at WHERE created_at < now() - interval '100 years'$$);

DROP OWNED BY uuidx_reader;
DROP ROLE uuidx_reader;

-- The switch.
SET uuidx.enable_time_columns = off;
EXPLAIN (COSTS off) SELECT * FROM event_at WHERE created_at >= '2026-02-01' ORDER BY created_at;

SET client_min_messages = warning;
DROP TABLE mixed, event, twins, span, partial, log, by_time CASCADE;
DROP FUNCTION known;
DROP SEQUENCE calls;
DROP FUNCTION scans;
