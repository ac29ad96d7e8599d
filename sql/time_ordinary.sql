-- Ordinary columns that a CHECK binds to the time of a key: what is served, and what is no proof.
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
\pset format unaligned
\pset tuples_only
CREATE SCHEMA ordinary;
SET search_path = ordinary, public;
-- Returns the rows of a query, and whether it uses the key, for a condition or an order.
CREATE FUNCTION answer(query text, serves boolean, OUT result text, OUT uses text) LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  PERFORM set_config('uuidx.enable_time_columns', serves::text, true);
  EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q) FROM (%s) AS q', query) INTO result;
  uses := CASE WHEN query ~ 'ORDER' THEN 'order' ELSE '-' END;
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    uses := CASE WHEN line ~ 'Sort' THEN '-' WHEN line ~ 'Index Cond: .*id [<>]' THEN 'condition' ELSE uses END;
  END LOOP;
  PERFORM set_config('uuidx.enable_time_columns', 'on', true);
END $$;
-- Returns for what two queries use the key, or that one returns other rows than without uuidx.
CREATE FUNCTION uses_of_t() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  query text;
  served record;
  used text = '';
BEGIN
  FOREACH query IN ARRAY ARRAY[$q$SELECT n FROM t WHERE at >= '2026-01-03' AND at < '2026-01-04'$q$,
      'SELECT at FROM t ORDER BY at LIMIT 20'] LOOP
    served := answer(query, true);
    IF served.result IS DISTINCT FROM (answer(query, false)).result THEN
      RETURN 'WRONG ROWS: ' || query;
    END IF;
    used := used || ' ' || served.uses;
  END LOOP;
  RETURN ltrim(used);
END $$;
-- Makes a table with rows and a constraint, in which KEY_TIME is that of the key, and adds a row that passes it.
-- Returns for what the key is used.
CREATE FUNCTION made(at text, proof text, id text = 'PRIMARY KEY CHECK (uuid_is_v7(id))', late text = '',
    value text = 'i') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS t CASCADE;
  EXECUTE format('CREATE TABLE t (id uuid %s, n serial, at %s)', id, at);
  EXECUTE format('INSERT INTO t (id, at) SELECT uuid_v7_at(i), %s
    FROM generate_series(timestamptz ''2026-01-01'', ''2026-01-06'', interval ''90 min'') AS i', value);
  CREATE INDEX IF NOT EXISTS t_id ON t (id);
  IF proof <> '' THEN
    EXECUTE format('ALTER TABLE t ADD CONSTRAINT proof CHECK (%s)',
      replace(proof, 'KEY_TIME', 'public.uuid_extract_v7_time(id)'));
  END IF;
  EXECUTE CASE WHEN late ~ ';' OR late = '' THEN late ELSE format('INSERT INTO t (id, at) VALUES (%s)', late) END;
  ANALYZE t;
  RETURN uses_of_t();
END $$;

-- Equal, in all forms and types.
SELECT proof, made(type || ' NOT NULL', proof) FROM (VALUES
  ('timestamptz', 'at = KEY_TIME'),
  ('timestamptz', 'uuid_extract_time(id) = at AND n > 0'),
  ('timestamptz', '(at = uuid_extract_time_precise(id)) IS TRUE'),
  ('timestamptz', 'at IS NOT DISTINCT FROM KEY_TIME'),
  ('timestamptz(3)', 'at = KEY_TIME::timestamptz(3)'),
  ('timestamptz(6)', 'at = KEY_TIME'),
  ('timestamptz', 'at - interval ''30 s'' = KEY_TIME - interval ''0.5 min'''),
  ('timestamptz', '(at >= KEY_TIME AND at <= KEY_TIME) IS TRUE'),
  ('timestamp(3)', 'at = KEY_TIME AT TIME ZONE ''Etc/UTC'''),
  ('date', 'at = (KEY_TIME AT TIME ZONE ''Etc/UTC'')::date')) AS f (type, proof);
SELECT made('timestamptz NOT NULL CHECK (at = uuid_extract_v7_time(id))', '');
SELECT 'proves the version', made('timestamptz NOT NULL', 'at IS NOT DISTINCT FROM KEY_TIME', '');
SELECT 'with NULL', made('timestamptz', 'at IS NOT DISTINCT FROM KEY_TIME', '',
  $$INSERT INTO t (id) VALUES (uuid_v6_at('2026-01-03 05:00')), (NULL);$$);
-- Near, with rows at the ends of the tolerance.
SELECT proof, made(type || ' NOT NULL', proof, late => $$INSERT INTO t (id, at) VALUES
    (uuid_v7_at('2026-01-02 23:59:30'), '2026-01-03'), (uuid_v7_at('2026-01-04 00:50'), '2026-01-03 23:59:59.999999'),
    (uuid_v7_at('2026-01-04 00:30'), '2026-01-04');$$)
FROM (VALUES
  ('timestamptz', 'at BETWEEN KEY_TIME - interval ''1 h'' AND KEY_TIME + interval ''1 min'''),
  ('timestamptz', 'at > uuid_extract_time(id) - ''1 h''::interval AND uuid_extract_time(id) + ''1 min'' > at'),
  ('timestamptz', 'at + interval ''1 h'' >= KEY_TIME), ADD CHECK (at <= interval ''1 min'' + KEY_TIME'),
  ('timestamp', 'at BETWEEN (KEY_TIME AT TIME ZONE ''Etc/UTC'') - interval ''1 h''
    AND interval ''1 min'' + (KEY_TIME AT TIME ZONE ''Etc/UTC'')')) AS f (type, proof);
SELECT 'always before', made('timestamptz NOT NULL',
  'at >= KEY_TIME - interval ''2 h'' AND at <= KEY_TIME + interval ''-1 h''', value => 'i - interval ''100 min''');

-- No proof: a row of the third day has another key.
CREATE DOMAIN moment AS timestamptz;
CREATE FUNCTION time_of(uuid) RETURNS timestamptz IMMUTABLE LANGUAGE sql AS 'SELECT public.uuid_extract_v7_time($1)';
SELECT why, made(type, proof, id, late) FROM (VALUES
  ('nullable column', 'timestamptz', 'at = KEY_TIME', 'PRIMARY KEY CHECK (uuid_is_v7(id))',
    'uuid_v7_at(''2026-01-03 05:00''), NULL'),
  ('nullable key', 'timestamptz NOT NULL', 'at = KEY_TIME', 'CHECK (uuid_is_v7(id))', 'NULL, ''2026-01-03 05:00'''),
  ('nullable key', 'timestamptz NOT NULL', 'at BETWEEN KEY_TIME - interval ''1 h'' AND KEY_TIME',
    'CHECK (uuid_is_v7(id))', 'NULL, ''2026-01-03 05:00'''),
  ('other versions', 'timestamptz NOT NULL', 'at = KEY_TIME', 'NOT NULL', 'uuid_v6(), ''2026-01-03 05:00'''),
  ('other versions', 'timestamptz NOT NULL', 'at BETWEEN KEY_TIME - interval ''1 h'' AND KEY_TIME', 'NOT NULL',
    'uuid_v4(), ''2026-01-03 05:00''')) AS f (why, type, proof, id, late);
SELECT why, made(type || ' NOT NULL', proof, late => coalesce(late, 'uuid_v7_at(''2026-01-05''), ''2026-01-03 05:00'''))
FROM (VALUES
  ('no CHECK', 'timestamptz', '', NULL),
  ('a domain', 'moment', 'at = KEY_TIME', ''),
  ('OR', 'timestamptz', 'at = KEY_TIME OR n > 0', NULL),
  ('another function', 'timestamptz', 'at = time_of(id)', 'CREATE OR REPLACE FUNCTION time_of(uuid) RETURNS timestamptz
    IMMUTABLE LANGUAGE sql AS ''SELECT timestamptz ''''2026-01-03 05:00'''''';
    INSERT INTO t (id, at) VALUES (uuid_v7_at(''2026-01-05''), ''2026-01-03 05:00'')'),
  ('another operator', 'timestamptz', 'at <> KEY_TIME - interval ''1 h''', NULL),
  ('one side', 'timestamptz', 'at <= KEY_TIME', NULL),
  ('two expressions', 'timestamptz', 'at BETWEEN KEY_TIME - interval ''1 h'' AND uuid_extract_time(id)', ''),
  ('NULL', 'timestamptz', 'at = date_bin(''1 h'', KEY_TIME, NULL)', NULL),
  ('a computed NULL', 'timestamptz',
    'at = date_bin(''1 h'', KEY_TIME, nullif(timestamptz ''2026-01-01'', ''2026-01-01''))', NULL),
  ('days', 'timestamptz', 'at BETWEEN KEY_TIME - interval ''1 d'' AND KEY_TIME',
    'uuid_v7_at(''2026-01-04 04:00''), ''2026-01-03 05:00'''),
  ('months', 'timestamptz', 'at BETWEEN KEY_TIME - interval ''1 mon'' AND KEY_TIME', NULL),
  ('the session''s zone', 'date', 'at = KEY_TIME::date', 'SET LOCAL timezone = ''Asia/Tokyo'';
    INSERT INTO t (id, at) VALUES (uuid_v7_at(''2026-01-02 15:00Z''), ''2026-01-03''); SET LOCAL timezone = ''UTC'''),
  ('the session''s zone', 'timestamp', 'at = KEY_TIME', 'SET LOCAL timezone = ''Asia/Tokyo'';
    INSERT INTO t (id, at) VALUES (uuid_v7_at(''2026-01-02 20:00Z''), ''2026-01-03 05:00'');
    SET LOCAL timezone = ''UTC''')) AS f (why, type, proof, late);
SELECT proof, made('timestamptz NOT NULL', proof, value => 'i + interval ''1 d''')
FROM unnest(ARRAY['(at = KEY_TIME) = false', '(at = KEY_TIME) IS NOT TRUE']) AS proof;
SELECT 'an abbreviation', made('timestamp NOT NULL', 'at = KEY_TIME AT TIME ZONE ''EST''', late => $$
  SET LOCAL timezone_abbreviations = 'Australia';
  INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-02 19:00Z'), '2026-01-03 05:00');
  SET LOCAL timezone_abbreviations = 'Default'$$, value => 'i AT TIME ZONE ''EST''');
SELECT 'an abbreviation', made('timestamptz NOT NULL', 'at = date_trunc(''second'', KEY_TIME, ''EST'')', late => '');
-- Children by inheritance may drop NOT NULL (before PostgreSQL 18), and need not have a constraint.
SELECT made('timestamptz NOT NULL', 'at = KEY_TIME', late => $$
  CREATE TABLE child () INHERITS (t);
  CREATE INDEX ON child (id);
  DO 'BEGIN
    ALTER TABLE child ALTER at DROP NOT NULL;
    INSERT INTO child VALUES (uuid_v7_at(''2026-01-03 05:00''), 0, NULL);
  EXCEPTION WHEN OTHERS THEN END'$$);
SELECT made('timestamptz NOT NULL', '', late => $$
  ALTER TABLE t ADD CHECK (at IS NOT DISTINCT FROM uuid_extract_v7_time(id)) NO INHERIT;
  CREATE TABLE child () INHERITS (t);
  CREATE INDEX ON child (id);
  INSERT INTO child VALUES (uuid_v7_at('2026-01-03 05:00'), 0, '2026-01-05')$$);
-- Constraints that are not valid or, from PostgreSQL 18 on, not enforced.
SELECT made('timestamptz NOT NULL', '', late => $$
  INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-05'), '2026-01-03 05:00');
  ALTER TABLE t ADD CONSTRAINT proof CHECK (at = uuid_extract_v7_time(id)) NOT VALID$$);
DELETE FROM t WHERE at <> uuid_extract_v7_time(id);
ALTER TABLE t VALIDATE CONSTRAINT proof;
SELECT uses_of_t();
ALTER TABLE t DROP CONSTRAINT proof;
DO $$
BEGIN
  EXECUTE 'ALTER TABLE t ADD CONSTRAINT off CHECK (at = uuid_extract_v7_time(id)) NOT ENFORCED';
EXCEPTION WHEN syntax_error THEN
END $$;
INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-05'), '2026-01-03 05:00');
SELECT uses_of_t();
ALTER TABLE t DROP CONSTRAINT IF EXISTS off;
DELETE FROM t WHERE at <> uuid_extract_v7_time(id);
-- Plans follow changes of constraints, even such as are rolled back.
PREPARE days AS SELECT count(*), count(*) = (SELECT count(*) FROM t WHERE at + interval '0' >= '2026-01-03') AS is_right
  FROM t WHERE at >= '2026-01-03';
EXECUTE days;
BEGIN;
ALTER TABLE t ADD CONSTRAINT proof CHECK (at = uuid_extract_v7_time(id));
EXECUTE days;
SELECT uses_of_t();
SAVEPOINT s;
ALTER TABLE t DROP CONSTRAINT proof;
INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-01'), '2026-01-05');
EXECUTE days;
ROLLBACK TO s;
EXECUTE days;
ROLLBACK;
INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-01'), '2026-01-05');
EXECUTE days;
DELETE FROM t WHERE at <> uuid_extract_v7_time(id);
ALTER TABLE t ADD CONSTRAINT proof CHECK (at = uuid_extract_v7_time(id));
EXECUTE days;
ALTER TABLE t ALTER at DROP NOT NULL;
INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-05'), NULL);
EXECUTE days;

-- Partitions: by the id, by the column, or by the column in partitions by another one. A CHECK that compares the column
-- with another one is no reason to keep a condition.
CREATE FUNCTION partitioned(proof text, partition_by text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  parent text = 't';
  bound text = CASE WHEN partition_by ~ 'id' THEN 'uuid_v7_min(''2026-01-%s'')' ELSE '''2026-01-%s''' END;
  scans int = 0;
BEGIN
  DROP TABLE t;
  EXECUTE format('CREATE TABLE t (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int, at timestamptz NOT NULL CHECK (%s),
    updated timestamptz CHECK (updated >= at)) PARTITION BY %s', proof, partition_by);
  IF partition_by ~ 'LIST' THEN
    parent := 'nested';
    CREATE TABLE nested PARTITION OF t FOR VALUES IN (1) PARTITION BY RANGE (at);
  END IF;
  FOR i IN 1..5 LOOP
    EXECUTE format('CREATE TABLE t%s PARTITION OF %s FOR VALUES FROM (%s) TO (%s)', i, parent,
      format(bound, i), format(bound, i + 1));
  END LOOP;
  INSERT INTO t SELECT uuid_v7_at(i), 1, i, i
    FROM generate_series(timestamptz '2026-01-01', '2026-01-05', '90 min') AS i;
  CREATE INDEX ON t (id);
  ANALYZE t;
  FOR line IN EXPLAIN (COSTS off) SELECT FROM t WHERE at >= '2026-01-03' AND at < '2026-01-04' LOOP
    scans := scans + (line ~ 'Scan.* on ')::int;
  END LOOP;
  RETURN scans || ' ' || uses_of_t();
END $$;
SELECT how, partition_by, partitioned(proof, partition_by) FROM (VALUES
  ('equal', 'at = uuid_extract_v7_time(id)'),
  ('near', 'at BETWEEN uuid_extract_v7_time(id) - interval ''1 h'' AND uuid_extract_v7_time(id)')) AS p (how, proof),
  (VALUES ('RANGE (id)'), ('RANGE (at)'), ('LIST (n)')) AS b (partition_by);
-- A near column: minimum, maximum, equality with another column and joins, which the key does not serve.
SELECT made('timestamptz NOT NULL', 'at BETWEEN KEY_TIME - interval ''1 h'' AND KEY_TIME', late => $$
  UPDATE t SET at = at - interval '30 min' WHERE n % 3 = 0;
  INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-06 00:10'), '2026-01-05 23:50')$$);
SELECT min(at), max(at), count(*) FILTER (WHERE n > 80) FROM t WHERE at IS NOT NULL;
SELECT count(*) FROM t JOIN t AS u ON t.at = u.at WHERE u.n < 10;
SELECT count(*) FROM (SELECT at, id FROM t UNION ALL SELECT at, id FROM t) AS u
WHERE at BETWEEN '2026-01-03' AND '2026-01-04';
CREATE TABLE later (LIKE t INCLUDING ALL, CHECK (at IS NOT NULL));
ALTER TABLE later DROP CONSTRAINT proof, ADD CHECK (at BETWEEN uuid_extract_v7_time(id)
  AND uuid_extract_v7_time(id) + interval '1 h');
INSERT INTO later SELECT id, n, uuid_extract_v7_time(id) + interval '1 h' FROM t;
SELECT condition, served.uses, served.result = (answer(query, false)).result FROM
  unnest(ARRAY['at < ''2026-01-04 02:40''', 'at >= ''2026-01-03 23:10''']) AS condition,
  format('SELECT n FROM (SELECT at, id, n FROM t UNION ALL SELECT at, id, n FROM later) AS u WHERE %s', condition)
    AS query,
  answer(query, true) AS served;
SELECT at::date, count(*) FROM t WHERE at::date IN ('2026-01-02', '2026-01-04') GROUP BY 1 ORDER BY 1;
SELECT 'two columns', made('timestamptz NOT NULL', 'at BETWEEN KEY_TIME - interval ''2 h'' AND KEY_TIME',
  value => 'i - interval ''100 min''', late => $$
  ALTER TABLE t ADD b timestamptz NOT NULL DEFAULT '2026-01-01';
  UPDATE t SET b = uuid_extract_v7_time(id);
  ALTER TABLE t ADD CHECK (b BETWEEN uuid_extract_v7_time(id) - interval '1 s' AND uuid_extract_v7_time(id))$$);
-- An index on another column before it is of use if the query names that column, if only in a policy. It needs no key.
SELECT made('timestamptz NOT NULL', 'at = KEY_TIME', late => 'CREATE INDEX ON t (n, at);');
CREATE FUNCTION condition_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    CONTINUE WHEN line !~ 'Only|Index Cond|Filter';
    RETURN NEXT ltrim(regexp_replace(line, '''[0-9a-f-]{36}''::uuid', 'bound', 'g'));
  END LOOP;
END $$;
SELECT condition_of($$SELECT FROM t WHERE at < '2026-01-05 05:00'$$);
SELECT condition_of($$SELECT FROM t WHERE at < '2026-01-05 05:00' AND n = 7$$);
CREATE POLICY own ON t USING (n = 7);
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE ROLE ordinary_reader;
GRANT USAGE ON SCHEMA ordinary TO ordinary_reader;
GRANT SELECT ON t TO ordinary_reader;
SET ROLE ordinary_reader;
SELECT condition_of($$SELECT FROM t WHERE at < '2026-01-05 05:00'$$);
RESET ROLE;
-- A column that a CHECK computes from itself is no time column.
CREATE TABLE itself (id uuid, c timestamptz CHECK (c IS NOT DISTINCT FROM
  date_bin('1 day', c, uuid_extract_v7_time(uuid_v7_min(c)))));
SELECT condition_of('SELECT FROM itself WHERE c = now()');
-- The rows of a UNION ALL as a whole.
CREATE VIEW whole AS SELECT *, id AS a, id AS b, id AS c FROM t UNION ALL SELECT *, id, id, id FROM t;
SELECT count(*) FILTER (WHERE u IS NULL) FROM t LEFT JOIN whole AS u ON u.id = t.id AND u.at < '2026-01-03';
SELECT count(*) > 0 FROM whole AS u WHERE at < '2026-01-03' AND u IS NOT NULL;
DROP SCHEMA ordinary CASCADE;
DROP ROLE ordinary_reader;
