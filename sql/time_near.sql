-- The newest rows by a column that a CHECK says is near the time of a key come from the key's index.
SET timezone = 'UTC';
SET datestyle = 'ISO';
\pset format unaligned
\pset tuples_only
-- Returns the plan of a query.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    RETURN NEXT regexp_replace(line, $re$'[0-9a-f-]{36}'::uuid$re$, 'bound', 'g');
  END LOOP;
END $$;
-- Returns whether a query is planned with Near Sort.
CREATE FUNCTION is_near(query text) RETURNS boolean LANGUAGE sql AS
  $$SELECT coalesce(bool_or(line LIKE '%Near Sort%'), false) FROM plan(query) AS line$$;
-- Returns a hash of the rows of a query, in order.
CREATE FUNCTION rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE rows text;
BEGIN
  EXECUTE 'SELECT md5(string_agg(q::text, '','')) FROM (' || query || ') AS q' INTO rows;
  RETURN rows;
END $$;
CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int, tenant int NOT NULL, at timestamptz NOT NULL,
    CONSTRAINT near CHECK
    (at BETWEEN uuid_extract_v7_time(id) - interval '1 hour' AND uuid_extract_v7_time(id) + interval '1 min'));
CREATE INDEX ON event (tenant, id);
INSERT INTO event
SELECT uuid_v7_at(t), i, i % 5, t - (i * 7919 % 3600) * interval '1 s'
FROM generate_series(1, 10000) AS i, LATERAL (SELECT timestamptz '2026-01-01' + i * interval '30 s' AS t) AS time;
VACUUM ANALYZE event;
SELECT plan('SELECT * FROM event ORDER BY at DESC LIMIT 20');
SELECT plan('SELECT id FROM event WHERE tenant = 3 ORDER BY tenant, at DESC NULLS LAST, id DESC LIMIT 3 OFFSET 10');
SELECT plan($$SELECT n FROM event WHERE at < '2026-01-03' ORDER BY at, n NULLS FIRST LIMIT 5$$);
-- Not if a condition begins far from the rows that it finds, by a wide tolerance.
CREATE TABLE wide (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), at timestamptz NOT NULL, CHECK (at BETWEEN
    uuid_extract_v7_time(id) - interval '2000 hours' AND uuid_extract_v7_time(id) + interval '2000 hours'));
INSERT INTO wide SELECT id, uuid_extract_v7_time(id) FROM (SELECT uuid_v7_at('2025-01-01'::timestamptz
    + n * interval '10 minutes') AS id FROM generate_series(1, 60000) AS n ORDER BY md5(n::text) OFFSET 0) AS shuffled;
VACUUM ANALYZE wide;
SELECT is_near($$SELECT * FROM wide WHERE at < '2025-03-01' ORDER BY at DESC LIMIT 1$$);
-- It reads few rows.
CREATE FUNCTION rows_read(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
  RETURN jsonb_path_query_first(plan, '$.**?(@."Node Type" like_regex "Index")."Actual Rows"')::numeric;
END $$;
SELECT rows_read('TABLE event ORDER BY at DESC LIMIT 20'), rows_read('TABLE event ORDER BY at LIMIT 20');
-- A page of an ORM begins at its bound.
SELECT string_agg(line, '') ~ 'Near Sort.*Index Cond' FROM plan($$SELECT n FROM event
    WHERE at < '2026-01-03' OR (at = '2026-01-03' AND n < 5) ORDER BY at DESC, n DESC LIMIT 5$$) AS line;
-- An index on the column is better, and a sort if many rows are wanted, or within the tolerance.
SELECT is_near('SELECT * FROM event ORDER BY at LIMIT 9000');
BEGIN;
CREATE INDEX ON event (at);
SELECT is_near('SELECT * FROM event ORDER BY at DESC LIMIT 20');
ROLLBACK;
BEGIN;
ALTER TABLE event DROP CONSTRAINT near, ADD CONSTRAINT near CHECK
    (at >= uuid_extract_v7_time(id) - interval '1 hour' AND at <= uuid_extract_v7_time(id) + interval '2000 hours');
SELECT is_near('SELECT * FROM event ORDER BY at DESC LIMIT 20'), is_near('SELECT * FROM event ORDER BY at LIMIT 20');
ROLLBACK;
-- Only a known number of rows, of one table; and only with a proof.
SELECT query, is_near(query) FROM (VALUES ('TABLE event ORDER BY at LIMIT 0'), ('TABLE event ORDER BY at LIMIT NULL'),
    ('TABLE event ORDER BY at'), ('TABLE event ORDER BY at FETCH FIRST ROW WITH TIES'),
    ('TABLE event ORDER BY at LIMIT 1 FOR UPDATE'), ('SELECT DISTINCT at FROM event ORDER BY at LIMIT 1'),
    ('SELECT at FROM event GROUP BY at ORDER BY at LIMIT 1'), ('TABLE event ORDER BY at, n + 1 LIMIT 1'),
    ('SELECT generate_series(1, n) FROM event ORDER BY at LIMIT 1'),
    ('TABLE event ORDER BY at LIMIT 1 OFFSET extract(second FROM now())'),
    ('TABLE event ORDER BY at LIMIT extract(second FROM now())'),
    ('SELECT row_number() OVER () FROM event ORDER BY at LIMIT 1'), ('TABLE event ORDER BY n, at LIMIT 1'),
    ('SELECT * FROM event TABLESAMPLE bernoulli(50) ORDER BY at LIMIT 1'),
    ('SELECT * FROM event, generate_series(1, 2) ORDER BY at LIMIT 1'),
    ('SELECT random() FROM event ORDER BY at LIMIT 1'), ('SELECT min(e.n) FROM (TABLE event ORDER BY at LIMIT 1) AS e'),
    ('SELECT (SELECT e.n FROM event WHERE id <= e.id ORDER BY at DESC LIMIT 1) FROM event AS e LIMIT 1')) AS v (query);
BEGIN;
ALTER TABLE event ALTER at DROP NOT NULL;
SELECT is_near('SELECT * FROM event ORDER BY at LIMIT 1');
ROLLBACK;
CREATE TABLE tokyo (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), at timestamp NOT NULL CHECK (
    at >= uuid_extract_v7_time(id) AT TIME ZONE 'Asia/Tokyo' AND
    at < uuid_extract_v7_time(id) AT TIME ZONE 'Asia/Tokyo' + interval '1 min'));
INSERT INTO tokyo SELECT id, uuid_extract_v7_time(id) AT TIME ZONE 'Asia/Tokyo' FROM event;
ANALYZE tokyo;
SELECT is_near('SELECT * FROM tokyo WHERE at < ''2026-01-03'' ORDER BY at LIMIT 1');
-- A generic plan does not know its LIMIT.
SET plan_cache_mode = force_generic_plan;
PREPARE few(int) AS SELECT * FROM event ORDER BY at LIMIT $1;
PREPARE one(int) AS SELECT n FROM event WHERE tenant = $1 ORDER BY at DESC LIMIT 1;
SELECT is_near('EXECUTE few(1)'), is_near('EXECUTE one(1)');
EXECUTE one(1);
EXECUTE one(2);
RESET plan_cache_mode;
SELECT is_near('EXECUTE few(1)');
-- A cursor goes back, and from the beginning again; a parallel worker reads the plan.
BEGIN;
DECLARE c CURSOR FOR SELECT n FROM event ORDER BY at DESC LIMIT 3;
FETCH ALL c;
FETCH BACKWARD 2 c;
MOVE ABSOLUTE 0 c;
FETCH c;
SELECT set_config(name, 'on', true) <> '' FROM pg_settings
WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
SELECT string_agg(line, '') ~ 'Gather.*Near Sort' FROM plan('SELECT n FROM event ORDER BY at DESC LIMIT 3') AS line;
SELECT n FROM event ORDER BY at DESC LIMIT 3;
ROLLBACK;
-- At the very end of the tolerance, a row that ties, and keys of one millisecond with microseconds.
CREATE TABLE few (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int, at timestamptz NOT NULL CHECK (
    at BETWEEN uuid_extract_v7_time(id) - interval '1 min' AND uuid_extract_v7_time(id) + interval '1 min'));
CREATE TABLE precise (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), at timestamptz NOT NULL CHECK (
    at >= uuid_extract_time_precise(id) - interval '1 s' AND at <= uuid_extract_time_precise(id) + interval '1 s'));
INSERT INTO few SELECT uuid_v7_at(id::timestamptz), n, at::timestamptz FROM (VALUES
    ('2026-01-01 12:00:00', 3, '2026-01-01 11:59:00'), ('2026-01-01 11:58:00.0001', 2, '2026-01-01 11:57:00'),
    ('2026-01-01 11:58:00', 1, '2026-01-01 11:59:00')) AS v (id, n, at);
INSERT INTO precise SELECT uuid_v7_at(id::timestamptz), at::timestamptz FROM (VALUES
    ('2026-01-01 12:00:00.0005', '2026-01-01 12:00:01.0001'),
    ('2026-01-01 12:00:00.0004', '2026-01-01 12:00:01.0004')) AS v (id, at);
SET enable_seqscan = off;
SELECT is_near('SELECT * FROM few ORDER BY at DESC, n LIMIT 1'),
  is_near('SELECT * FROM precise ORDER BY at DESC LIMIT 1');
SELECT n FROM few ORDER BY at DESC, n LIMIT 1;
SELECT n FROM few ORDER BY at DESC, n LIMIT 5;
SELECT at FROM precise ORDER BY at DESC LIMIT 1;

-- Random queries of random rows, many at the ends of the tolerance, some updated or deleted.
CREATE TABLE utc (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int, tenant int, at timestamp NOT NULL, CHECK (
    at >= uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC' AND
    at < uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC' + interval '2 min'));
CREATE TABLE later (LIKE event INCLUDING INDEXES, CHECK (uuid_is_v7(id)), CHECK (
    at > uuid_extract_v7_time(id) + interval '5 s' AND at <= uuid_extract_v7_time(id) + interval '10 min'));
CREATE TABLE by_id (LIKE event INCLUDING ALL) PARTITION BY RANGE (id);
SELECT uuid_v7_min('2026-01-01 06:00:00') AS middle \gset
CREATE TABLE by_id_old PARTITION OF by_id FOR VALUES FROM (MINVALUE) TO (:'middle');
CREATE TABLE by_id_new (at timestamptz NOT NULL, junk int, tenant int NOT NULL, n int, id uuid NOT NULL);
ALTER TABLE by_id_new DROP junk, ADD CONSTRAINT event_id_check CHECK (uuid_is_v7(id)), ADD CONSTRAINT near CHECK
    (at BETWEEN uuid_extract_v7_time(id) - interval '1 hour' AND uuid_extract_v7_time(id) + interval '1 min');
ALTER TABLE by_id ATTACH PARTITION by_id_new FOR VALUES FROM (:'middle') TO (MAXVALUE);
CREATE TABLE by_at (LIKE event INCLUDING CONSTRAINTS) PARTITION BY RANGE (at);
CREATE TABLE by_at_old PARTITION OF by_at FOR VALUES FROM (MINVALUE) TO ('2026-01-01 06:00:00');
CREATE TABLE by_at_new PARTITION OF by_at FOR VALUES FROM ('2026-01-01 06:00:00') TO (MAXVALUE) PARTITION BY HASH (n);
CREATE TABLE by_at_even PARTITION OF by_at_new FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_at_odd PARTITION OF by_at_new FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON by_at (id);
TRUNCATE event;
SELECT setseed(0.5) IS NULL;
CREATE TEMP TABLE kind AS SELECT * FROM (VALUES ('event', interval '-1 hour', interval '1 min'),
    ('by_id', '-1 hour', '1 min'), ('by_at', '-1 hour', '1 min'),
    ('utc', '0', '119.999999 s'), ('later', '5.000001 s', '10 min'))
    AS v (name, least, most);
DO $$
DECLARE kind record;
BEGIN
  FOR kind IN TABLE kind LOOP
    EXECUTE format($f$INSERT INTO %I (id, n, tenant, at)
      SELECT id, i, i %% 5, time + CASE i %% 4 WHEN 0 THEN %2$L WHEN 1 THEN %3$L
        ELSE greatest(%2$L, least(%3$L, date_trunc('min', time) - time)) END
      FROM generate_series(1, 1000) AS i,
      LATERAL (SELECT uuid_v7_at('2026-01-01'::timestamptz + (i + random() * 20) * '45 s'::interval) AS id OFFSET 0) k,
      LATERAL (SELECT uuid_extract_v7_time(id) AS time) AS time$f$, kind.name, kind.least, kind.most);
    EXECUTE format('DELETE FROM %I WHERE n %% 17 = 0', kind.name);
    EXECUTE format('UPDATE %I SET at = uuid_extract_v7_time(id) + %L WHERE n %% 7 = 0', kind.name, kind.most);
    EXECUTE format('ANALYZE %I', kind.name);
  END LOOP;
END $$;
SELECT plan('SELECT tableoid, n FROM by_id ORDER BY at DESC LIMIT 1');
SELECT plan('SELECT * FROM by_at WHERE tenant = 2 ORDER BY at, id LIMIT 1');
CREATE FUNCTION any_of(VARIADIC texts text[]) RETURNS text LANGUAGE sql VOLATILE AS
  $$SELECT texts[1 + floor(random() * cardinality(texts))]$$;
CREATE TEMP TABLE random_query AS
SELECT format(any_of('SELECT %s FROM %s WHERE %s ORDER BY at %s LIMIT %s OFFSET %s',
      'SELECT q.* FROM generate_series(1, 3) AS g (i), '
      'LATERAL (SELECT %s FROM %s WHERE tenant = i AND %s ORDER BY at %s LIMIT %s OFFSET %s) AS q'),
    any_of('*', 'n, at', 'n, tableoid, ctid'), name,
    any_of('true', 'tenant < 4', 'at < ' || time, 'at >= ' || time, 'at::date = ''2026-01-01''', 'n % 3 = 0'),
    any_of('', 'DESC', 'DESC NULLS LAST', 'NULLS FIRST') || any_of(', n', ', id', ', id DESC', ', tenant, n DESC'),
    any_of('1', '3', '20', '2000'), any_of('0', '2', '100')) AS query
FROM kind, generate_series(1, 20) AS i,
  LATERAL (SELECT quote_literal(timestamp '2026-01-01' + i * interval '30 min')) AS t (time);
-- Other partitions for other parameters.
INSERT INTO random_query VALUES ('SELECT q.n FROM generate_series(1, 3) AS g (i), LATERAL (SELECT n FROM by_id
  WHERE at < timestamptz ''2026-01-01'' + i * interval ''4 hours'' ORDER BY at DESC, n LIMIT 2) AS q');
CREATE TEMP TABLE found AS SELECT query, is_near(query), rows_of(query) FROM random_query;
-- A timestamp that equals a timestamptz has another order where a clock is set forward.
CREATE TABLE both_types (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), c timestamp NOT NULL, z timestamptz NOT NULL,
  CHECK (c BETWEEN (uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC') - interval '1 h'
    AND (uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC') + interval '1 h'));
SELECT is_near('SELECT c FROM both_types ORDER BY c LIMIT 9'),
  is_near('SELECT z FROM both_types WHERE c = z ORDER BY z LIMIT 9');
RESET enable_seqscan;
SET uuidx.enable_time_columns = off;
SELECT count(*), count(*) FILTER (WHERE is_near), count(*) FILTER (WHERE rows_of IS NOT DISTINCT FROM rows_of(query)),
  count(DISTINCT rows_of) > 50
FROM found;
SELECT query FROM found WHERE rows_of IS DISTINCT FROM rows_of(query);
DROP TABLE event, wide, tokyo, few, precise, utc, later, by_id, by_at, both_types;
DROP FUNCTION plan(text), is_near(text), rows_of(text), rows_read(text), any_of(text[]);
