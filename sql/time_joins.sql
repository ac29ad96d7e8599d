-- Queries return the same rows with time columns and without, also above outer joins, unions and set-returning
-- functions, and with columns of other types and operator classes. Queries without a time of a key are left alone.
SET timezone = 'Europe/Berlin';
CREATE TABLE a (k int, at timestamptz, local timestamp);
CREATE TABLE b (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), k int,
    c timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED,
    c6 timestamptz(6) GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED,
    utc timestamp GENERATED ALWAYS AS (uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC') STORED);
INSERT INTO b (id, k)
SELECT uuid_v7_at('2026-03-01Z'::timestamptz + n * interval '1 h'), n FROM generate_series(1, 500) AS n;
INSERT INTO a SELECT n, t, t AT TIME ZONE 'UTC'
FROM generate_series(1, 12) AS n, LATERAL (SELECT '2026-03-01Z'::timestamptz + n * interval '1 h') AS at (t);
CREATE TABLE mixed (id uuid, k int);
INSERT INTO mixed SELECT CASE k % 3 WHEN 0 THEN id WHEN 1 THEN uuid_v4() END, k FROM b;
CREATE INDEX ON mixed (id);
CREATE TABLE p (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2026-03-10Z'));
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (uuid_v7_min('2026-03-10Z')) TO (MAXVALUE);
INSERT INTO p SELECT id, k FROM b;
CREATE INDEX ON p (id);
CREATE VIEW v AS SELECT k, uuid_extract_v7_time(id) AS c, uuid_extract_v7_time(id)::timestamptz(6) AS c6,
    uuid_extract_v7_time(id)::timestamp(6) AS session, uuid_extract_v7_time(id) AT TIME ZONE 'UTC' AS utc FROM b;
CREATE VIEW u AS SELECT k, c FROM v UNION ALL SELECT k, uuid_extract_v7_time(id) FROM mixed
    UNION ALL SELECT n, uuid_extract_time(id) FROM p UNION ALL (SELECT 7, NULL::timestamptz LIMIT 1);
-- Of two kinds: a condition leaves out the table, and the other member is none.
CREATE VIEW kinds AS SELECT 'table' AS kind, id, uuid_extract_v7_time(id) AS c FROM b
    UNION ALL (SELECT 'query', NULL, '2026-03-02Z'::timestamptz OFFSET 0);
CREATE VIEW values_too AS SELECT 'table' AS kind, id, uuid_extract_v7_time(id) AS c FROM b
    UNION ALL VALUES ('values', nil_uuid(), NULL), ('values', NULL, timestamptz '2026-03-02Z');
-- In the reverse order.
CREATE FUNCTION reverse_lt(uuid, uuid) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN $1 > $2;
CREATE FUNCTION reverse_le(uuid, uuid) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN $1 >= $2;
CREATE FUNCTION reverse_ge(uuid, uuid) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN $1 <= $2;
CREATE FUNCTION reverse_gt(uuid, uuid) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN $1 < $2;
CREATE FUNCTION reverse_cmp(uuid, uuid) RETURNS int LANGUAGE sql IMMUTABLE STRICT RETURN -uuid_cmp($1, $2);
CREATE OPERATOR <<< (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = reverse_lt);
CREATE OPERATOR <<<= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = reverse_le);
CREATE OPERATOR >>>= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = reverse_ge);
CREATE OPERATOR >>> (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = reverse_gt);
CREATE OPERATOR CLASS reverse_ops FOR TYPE uuid USING btree AS OPERATOR 1 <<<, OPERATOR 2 <<<=, OPERATOR 3 =,
    OPERATOR 4 >>>=, OPERATOR 5 >>>, FUNCTION 1 reverse_cmp(uuid, uuid);
CREATE TABLE reversed (id uuid CHECK (uuid_is_v7(id)), k int);
INSERT INTO reversed SELECT id, k FROM b;
CREATE INDEX ON reversed (id reverse_ops);
-- Without a uuid.
CREATE TABLE plain (k int PRIMARY KEY, name text);
CREATE VIEW names AS SELECT k, lower(name) AS name FROM plain UNION ALL SELECT k, upper(name) FROM plain;
CREATE TABLE day (t timestamptz PRIMARY KEY);
CREATE TABLE listed (n int, t timestamptz) PARTITION BY LIST (n);
CREATE TABLE listed_1 PARTITION OF listed FOR VALUES IN (1);
CREATE TABLE listed_2 PARTITION OF listed FOR VALUES IN (2);
CREATE INDEX ON listed (n);
VACUUM ANALYZE a, b, mixed, p, reversed;
-- Returns what a query gives with time columns and without, if that differs or is an error.
CREATE FUNCTION differs(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text[] := ARRAY[NULL, NULL]; one text;
BEGIN
  FOR i IN 1..2 LOOP
    PERFORM set_config('uuidx.enable_time_columns', (i = 1)::text, false);
    BEGIN
      EXECUTE 'SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (' || query || ') AS q' INTO one;
    EXCEPTION WHEN others THEN one := 'error: ' || sqlerrm;
    END;
    result[i] := one;
  END LOOP;
  RETURN CASE WHEN result[1] IS DISTINCT FROM result[2] OR result[1] LIKE 'error: %'
    THEN format('%s: %s for %s', query, left(result[1], 100), left(result[2], 100)) END;
END $$;
CREATE TEMP TABLE queries (query text);
INSERT INTO queries VALUES
($$SELECT a.k FROM a LEFT JOIN b ON b.k = a.k AND b.k < 11 WHERE b.c IS NULL$$),
($$SELECT a.k FROM a LEFT JOIN (SELECT * FROM b WHERE k < 8) AS b ON b.k = a.k WHERE NOT (b.c6 IS NOT NULL)$$),
($$SELECT a.k FROM a FULL JOIN b ON b.k = a.k WHERE b.c IS NULL OR b.c < '2026-03-01 04:00Z'$$),
($$SELECT a.k FROM b RIGHT JOIN a ON b.k = a.k + 495 WHERE b.utc IS NOT DISTINCT FROM NULL$$),
($$SELECT a.k, b.k FROM a LEFT JOIN b ON b.id = uuid_v7_min(a.at) WHERE b.c IS NULL OR b.c < '2026-03-01 03:00Z'$$),
($$SELECT a.k FROM a LEFT JOIN b ON b.c = a.at LEFT JOIN b AS d ON d.k = b.k + 495
    WHERE d.c IS NULL ORDER BY d.c, b.c$$),
($$SELECT a.k, u.c FROM a LEFT JOIN u ON u.k = a.k + 495 WHERE u.c IS NULL OR u.c > '2026-03-20Z' ORDER BY u.c$$),
($$SELECT max(c), min(c) FROM u$$), ($$SELECT max(c), generate_series(1, 2) FROM u$$),
($$SELECT max(c) FROM u WHERE c < '1960-01-01'$$), ($$SELECT count(*) FROM u WHERE c >= '1960-01-01' OR c IS NULL$$),
($$SELECT max(uuid_extract_time(id)), generate_series(1, 2) FROM p WHERE id > now() - interval '100 years'$$),
($$SELECT k FROM b WHERE c IN (SELECT at FROM a)$$), ($$SELECT k FROM b WHERE utc = ANY (SELECT local FROM a)$$),
($$SELECT c, count(*) FROM b WHERE c IN (SELECT at FROM a) GROUP BY ROLLUP (c)$$),
($$SELECT k, count(*) FROM a WHERE at IN (SELECT uuid_extract_v7_time(id) FROM b) GROUP BY CUBE (k)$$),
($$SELECT count(*) FROM b LEFT JOIN a ON coalesce(a.at, '2026-03-01 05:00Z') = uuid_extract_v7_time(b.id)
    WHERE coalesce(a.at, '2026-03-01 05:00Z') = '2026-03-01 05:00Z'$$),
($$SELECT count(*) FROM b TABLESAMPLE bernoulli (0) WHERE uuid_extract_v7_time(id) IN (SELECT at FROM a)$$),
($$SELECT a.k FROM a JOIN v ON v.utc = a.at$$), ($$SELECT a.k FROM a JOIN v ON v.utc = a.local$$),
($$SELECT a.k FROM a JOIN v ON v.session = a.at$$), ($$SELECT a.k FROM a JOIN b ON b.utc = a.at$$),
($$SELECT count(*) FROM v FULL JOIN a ON v.utc = a.at$$), ($$SELECT count(*) FROM b FULL JOIN a ON b.c6 = a.at$$),
($$SELECT count(*) FROM p FULL JOIN a ON uuid_extract_v7_time(p.id) = a.at$$),
($$SELECT DISTINCT c FROM v WHERE c6 < '2026-03-03 12:00Z'$$),
($$SELECT c6, count(*) FROM v WHERE c6 < '2026-03-03Z' GROUP BY 1$$),
($$SELECT a.k FROM a JOIN (SELECT c6 FROM v UNION ALL SELECT c6 FROM b) AS u ON u.c6 = a.at$$),
($$SELECT count(*) FROM (SELECT b.c, a.at FROM b, a WHERE b.c = a.at) AS s
    WHERE s.c = '2026-03-01 01:00Z' GROUP BY ()$$),
($$SELECT c, count(*) FROM v WHERE c >= '2026-03-21 18:00Z' GROUP BY ROLLUP (c)$$),
($$SELECT k FROM reversed ORDER BY uuid_extract_v7_time(id) DESC LIMIT 1$$),
($$SELECT a.k FROM a JOIN reversed AS r ON uuid_extract_v7_time(r.id) = a.at$$),
($$SELECT count(*) FROM b WHERE c::date + 200000000 > '2026-01-01'$$),
($$SELECT count(*) FROM a JOIN v ON date_trunc('week', v.c)
    BETWEEN a.at AND '294276-12-31Z'::timestamptz + (a.k * interval '0')$$),
($$SELECT count(*) FROM b WHERE c AT TIME ZONE 'nowhere' > '2026-01-01' AND false$$),
($$SELECT a.k, n.name FROM a LEFT JOIN names AS n ON n.k = a.k ORDER BY n.name$$),
($$SELECT n.name FROM a LEFT JOIN names AS n ON n.k = a.k GROUP BY ROLLUP (n.name)$$),
($$SELECT k FROM (SELECT id, k, c FROM b
    UNION ALL SELECT id, k, uuid_extract_v7_time(id) + interval '1 h' FROM b) AS h
    WHERE c < '2026-03-01 05:00Z'$$),
($$SELECT a.k, p.n FROM a JOIN b ON b.k = a.k + 300 JOIN p ON uuid_extract_v7_time(p.id) = a.at OR p.id = b.id$$),
($$SELECT k FROM (SELECT c, k FROM b UNION ALL SELECT c, k FROM v) AS u
    WHERE c < '2026-03-01 05:00Z' AND u::text LIKE '%,3)'$$),
($$SELECT 1 FROM (SELECT c, k FROM b UNION ALL SELECT c, k FROM v) AS u
    WHERE c < '2026-03-01 05:00Z' HAVING max(u::text) LIKE '%,4)'$$),
($$SELECT t FROM (SELECT c, k FROM b UNION ALL SELECT c, k FROM v) AS u, LATERAL (SELECT u::text OFFSET 0) AS l (t)
    WHERE c < '2026-03-01 05:00Z'$$),
($$SELECT t FROM (SELECT c, u::text AS t FROM (SELECT c, k FROM b UNION ALL SELECT c, k FROM v) AS u
    UNION ALL SELECT at, local::text FROM a) AS w WHERE c < '2026-03-01 05:00Z'$$),
($$SELECT x.k FROM b AS x JOIN b AS y ON x.c::date = y.c::date LEFT JOIN a ON y.c::date = '2026-03-02' AND a.k = x.k
    WHERE x.k % 50 = 0$$),
($$SELECT a.k, b.k, d.k FROM a LEFT JOIN b ON b.k = a.k + 495 LEFT JOIN b AS d ON d.c > b.c - interval '2 h'
    AND d.c < b.c$$),
($$SELECT a.k FROM a JOIN b ON date_trunc('hour', b.c) <@ tstzrange('2026-03-01 05:00Z', a.at) AND b.k = a.k + 1000$$),
($$SELECT count(*) FROM (SELECT id FROM b UNION ALL SELECT id FROM mixed) AS m
    WHERE uuid_extract_v7_time(id) >= '1960-01-01'$$),
($$SELECT x.n FROM listed AS x LEFT JOIN day AS d ON d.t = x.t$$),
($$SELECT a.k, x.k FROM b AS x JOIN b AS y ON x.id = y.id JOIN a ON y.c >= a.at AND x.c < a.at + interval '2 h'$$),
($$SELECT count(*) FROM kinds WHERE kind <> 'table' AND c > '2026-03-01Z'$$),
($$SELECT id FROM kinds WHERE kind <> 'table' AND c > '1960-01-01Z' AND c::date < '2999-01-01'$$),
($$SELECT count(*) FROM values_too WHERE kind <> 'table' AND c IS NULL$$),
($$SELECT count(*) FROM values_too WHERE kind <> 'table' AND c > '1960-01-01Z' AND c > '2026-01-01'$$);
SELECT differs(query) FROM queries WHERE differs(query) IS NOT NULL;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_seqscan = off;
SELECT differs(query) FROM queries WHERE differs(query) IS NOT NULL AND query NOT LIKE '%FULL JOIN%';
-- Sorted, a table has only the columns that the query needs.
SET enable_nestloop = off;
SET enable_indexscan = off;
RESET enable_mergejoin;
RESET enable_seqscan;
SELECT differs(query) FROM queries WHERE differs(query) IS NOT NULL AND query ~ 'IN \(SELECT|ANY \(SELECT';
RESET enable_nestloop;
RESET enable_indexscan;
SET enable_mergejoin = off;
SET enable_seqscan = off;
RESET uuidx.enable_time_columns;
-- An abbreviation of a zone means what the session says that executes a plan.
SET plan_cache_mode = force_generic_plan;
PREPARE est AS
SELECT count(*) FROM b WHERE c AT TIME ZONE 'EST' >= '2026-03-10' AND c AT TIME ZONE 'EST' < '2026-03-11';
EXECUTE est;
SET timezone_abbreviations = 'Australia';
EXECUTE est;
SELECT count(*) FROM b WHERE (c AT TIME ZONE 'EST')::text LIKE '2026-03-10 %';
-- One that is no longer known is an error, as without the index.
PREPARE sat AS SELECT count(*) FROM b WHERE c AT TIME ZONE 'SAT' < '2026-03-11';
EXECUTE sat;
RESET timezone_abbreviations;
EXECUTE sat;
-- The condition of a UNION ALL stays, by which partitions are pruned when the query runs.
CREATE FUNCTION never_executed(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE line text; n bigint := 0;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || query LOOP
    n := n + (line LIKE '%never executed%')::int;
  END LOOP;
  RETURN n;
END $$;
SELECT never_executed($$SELECT n FROM (SELECT n, t FROM listed UNION ALL SELECT k, NULL FROM plain) AS u
    WHERE n = (SELECT 1)$$),
  never_executed($$SELECT n FROM (SELECT n, t FROM listed UNION ALL SELECT k, c FROM v) AS u
    WHERE n = (SELECT 1) AND t > '2026-01-01'$$);
-- So are those of a table that is looked up by its time, also for EXISTS.
RESET enable_seqscan;
SELECT never_executed($$SELECT FROM a JOIN p ON uuid_extract_v7_time(p.id) = a.at$$),
  never_executed($$SELECT FROM a WHERE EXISTS (
    SELECT FROM p WHERE uuid_extract_v7_time(p.id) = a.at + interval '480 h')$$);
-- Of two keys, those of either table, however the times are compared.
SELECT count(*) FROM unnest(ARRAY['c <= b.c AND p.c > b.c - interval ''1 h''',
    'c BETWEEN b.c - interval ''1 h'' AND b.c']) AS condition,
  unnest(ARRAY['p.' || condition, 'b.c >= p.c AND b.c - interval ''1 h'' < p.c']) AS either
WHERE never_executed('SELECT FROM b LEFT JOIN (SELECT uuid_extract_v7_time(id) AS c FROM p) AS p ON ' || either
    || ' WHERE k < 5') = 0;
-- A table is looked up by its time even if the result is in the order of it.
EXPLAIN (COSTS off)
SELECT FROM a JOIN b ON uuid_extract_v7_time(b.id) = a.at WHERE a.k = 3 ORDER BY uuid_extract_v7_time(b.id);

-- A join uses the index that the other table has on its time.
CREATE TABLE spans AS SELECT i AS k, t AS at, tstzrange(t, t + interval '5 min') AS span
  FROM generate_series(1, 20000) AS i, LATERAL (SELECT '2026-03-01Z'::timestamptz + i * interval '1 min' AS t) AS one;
CREATE INDEX spans_at ON spans (at);
CREATE INDEX spans_span ON spans USING gist (span);
CREATE TABLE many (id uuid CONSTRAINT many_id PRIMARY KEY CHECK (uuid_is_v7(id)), k int);
INSERT INTO many SELECT uuid_v7_at(at), k FROM spans;
CREATE INDEX many_k ON many (k, id);
CREATE VIEW many_at AS SELECT *, uuid_extract_v7_time(id) AS c FROM many;
VACUUM ANALYZE spans;
VACUUM ANALYZE many;
CREATE FUNCTION uses(query text, index_or_function text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN strpos(plan::text, index_or_function) > 0;
END $$;
SELECT condition, query FROM unnest(ARRAY[$$s.at >= m.c AND s.at < m.c + interval '3 min'$$,
    $$s.at BETWEEN m.c AND m.c + interval '3 min'$$, $$s.span @> m.c$$, $$m.c <@ s.span$$,
    $$s.at >= date_trunc('hour', m.c) AND s.at < date_trunc('hour', m.c) + interval '3 min'$$,
    $$tstzrange(m.c, m.c + interval '3 min') && s.span$$]) AS condition,
  unnest(ARRAY['SELECT count(*) FROM many_at AS m JOIN spans AS s ON %s WHERE m.k < 20',
    'SELECT * FROM many_at AS m, LATERAL (SELECT count(*) FROM spans AS s WHERE %s) AS q WHERE m.k < 20',
    'SELECT count(*) FROM many_at AS m WHERE k < 20 AND EXISTS (SELECT FROM spans AS s WHERE %s)']) AS query
WHERE NOT uses(format(query, condition), 'spans_at') AND NOT uses(format(query, condition), 'spans_span');
-- Each row of IN is looked up once, also by a column before the time.
SELECT uses('SELECT k FROM many_at WHERE c IN (SELECT at FROM spans WHERE k % 5000 = 1)', 'many_id'),
  uses('SELECT * FROM many_at WHERE (k, c) IN (SELECT k, max(at) FROM spans WHERE k % 5000 = 1 GROUP BY k)', 'many_k');
-- Only the index of a key has bounds that follow from columns of other tables: no join tests them, nor a scan of these.
SELECT uses($$SELECT FROM many_at AS m LEFT JOIN spans AS s ON s.at >= m.c AND s.at < m.c + interval '3 min'$$,
  'uuid_condition') AS looked_up;
SET enable_nestloop = off;
SET enable_hashjoin = on;
SELECT uses('SELECT FROM many_at AS m JOIN spans AS s ON s.k = m.k AND s.at >= m.c', 'uuid_condition') AS hashed;
-- But bounds with fewer tables than their clause are a condition of the join: Memoize knows parameters by clauses.
SELECT uses('SELECT FROM many_at AS m JOIN spans AS s ON s.k = m.k JOIN a ON a.k = m.k AND (m.c, a.k) >= (s.at, m.k)',
  'uuid_condition') AS of_three;
SET enable_hashjoin = off;
RESET enable_nestloop;
-- An OR of very many alternatives that are not constant stays, as each partition would have them.
SELECT uses('SELECT FROM p WHERE ' || string_agg(format($$uuid_extract_v7_time(id)::date = date '2026-03-01' + %s$$, i),
    ' OR '), 'uuid_condition') AS rewritten FROM generate_series(1, 2501) AS i;
-- An equality limits both keys by the constant that one is equal to, also over a third table.
CREATE TABLE few AS SELECT uuid_v7_at('2026-03-01Z'::timestamptz + i * interval '10 h') AS id
  FROM generate_series(1, 30) AS i;
ALTER TABLE few ADD CHECK (uuid_is_v7(id)), ADD PRIMARY KEY (id);
ANALYZE few;
-- A search for rows that do not exist is by the index, as with a stored column.
SELECT uses('SELECT FROM spans AS s WHERE NOT EXISTS (SELECT FROM many_at AS m WHERE m.c >= s.at)', 'many_id') AS later,
  uses($$SELECT FROM spans AS s WHERE NOT EXISTS (
    SELECT FROM many_at AS m WHERE s.at < m.c AND m.c < s.at + interval '1 min')$$, 'many_id') AS soon;
CREATE TEMP TABLE limited AS SELECT 'SELECT count(*) FROM many_at ' || query AS query
FROM unnest(ARRAY[$$JOIN few ON c::date = uuid_extract_v7_time(few.id)::date
      WHERE uuid_extract_v7_time(few.id)::date = '2026-03-05'$$,
    $$JOIN spans AS s ON s.at = c JOIN few ON uuid_extract_v7_time(few.id) = s.at
      WHERE uuid_extract_v7_time(few.id) = '2026-03-05 02:00Z'$$,
    $$WHERE EXISTS (SELECT FROM few WHERE uuid_extract_v7_time(few.id)::date = c::date) AND c::date = '2026-03-05'$$])
  AS query;
SELECT query FROM limited WHERE NOT uses(query, 'many_id');
SELECT query FROM limited WHERE differs(query) IS NOT NULL;
-- The other index of a table need not have the key.
CREATE TABLE kept (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), k int, at timestamptz NOT NULL,
    CHECK (at = uuid_extract_v7_time(id)));
INSERT INTO kept SELECT id, k, c FROM many_at;
CREATE INDEX kept_k_at ON kept (k, at);
VACUUM ANALYZE kept;
SELECT differs($$SELECT count(kept.at) FROM spans AS s JOIN kept ON kept.k = s.k AND kept.at >= s.at WHERE s.k < 5$$);
RESET uuidx.enable_time_columns;
-- A UNION ALL that selects the time without the key is limited by the key, and a record of it has no further column.
SELECT uses('SELECT FROM (SELECT c FROM many_at UNION ALL SELECT c FROM v) AS u WHERE ' || condition, 'many_id')
  FROM unnest(ARRAY[$$c < '2026-03-01 03:00Z'$$, $$c::date = '2026-03-01'$$]) AS condition;
SELECT u FROM (SELECT c, k FROM many_at UNION ALL SELECT c, k FROM v) AS u
WHERE c = '2026-03-01 01:00Z' ORDER BY 1;
DROP VIEW many_at;
DROP TABLE limited, few, kept, many, spans;
DROP FUNCTION uses;

-- Between the bounds of a time is a UUID of another variant, which has none.
CREATE TABLE any_uuid (id uuid PRIMARY KEY);
INSERT INTO any_uuid VALUES ('019b7f0d-1000-7800-0000-000000000001'), ('019b7f0d-1000-7800-8000-000000000001');
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*) FROM any_uuid JOIN (SELECT uuid_extract_v7_time(id) FROM any_uuid OFFSET 0) AS moment (t)
  ON uuid_extract_v7_time(id) = t;
RESET enable_mergejoin;
-- Above a LEFT JOIN, a condition does not limit what a scan returns: keys of all versions, which are not in the order
-- of their times.
CREATE TABLE pure (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)));
INSERT INTO pure SELECT uuid_v7_at('2026-03-01Z'::timestamptz + n * interval '1 min')
  FROM generate_series(1, 1000) AS n;
CREATE TABLE any_version AS SELECT overlay(id::text PLACING (4 + 3 * (n % 2))::text FROM 15 FOR 1)::uuid AS id
  FROM (SELECT id, row_number() OVER (ORDER BY id) FROM pure) AS p (id, n);
CREATE INDEX ON any_version (id);
SET enable_nestloop = off;
SET enable_sort = off;
SELECT count(*) FROM pure AS a LEFT JOIN any_version AS b ON uuid_extract_v7_time(b.id) = uuid_extract_v7_time(a.id)
WHERE (uuid_extract_v7_time(b.id), 1) < ('2026-03-01 15:00Z', 5);
DROP TABLE pure, any_version;
RESET enable_sort;
RESET enable_nestloop;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_hashjoin;
-- The cost of an array in a column may not be asked for before the query has its tables.
CREATE TABLE choice (a timestamptz, b timestamptz, list int[]);
INSERT INTO choice VALUES ('2020-01-01', '2030-01-01', '{1}');
SELECT count(*) FROM any_uuid, choice
WHERE id <@ tstzrange(CASE WHEN 1 = ANY (list) THEN a ELSE b END, NULL);
SELECT count(*) FROM any_uuid, choice
WHERE uuid_extract_v7_time(id) <@ tstzrange(CASE WHEN 1 = ANY (list) THEN a ELSE b END, NULL);
SELECT count(*) FROM any_uuid, choice
WHERE (cardinality(list), uuid_extract_v7_time(id)) > (CASE WHEN 1 = ANY (list) THEN 1 ELSE 2 END, a);
SELECT count(*) FROM choice WHERE EXISTS (
    SELECT FROM any_uuid WHERE id <@ tstzrange(CASE WHEN 1 = ANY (list) THEN a ELSE b END, NULL));
DROP TABLE any_uuid, choice;
SET client_min_messages = warning;
DROP TABLE a, b, mixed, p, reversed, plain, day, listed CASCADE;
DROP OPERATOR FAMILY reverse_ops USING btree;
DROP OPERATOR <<< (uuid, uuid), <<<= (uuid, uuid), >>>= (uuid, uuid), >>> (uuid, uuid);
DROP FUNCTION reverse_lt, reverse_le, reverse_ge, reverse_gt, reverse_cmp, differs, never_executed;
