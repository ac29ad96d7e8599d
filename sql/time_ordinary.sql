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
-- Returns for what queries use the key, or which one returns other rows than without uuidx.
CREATE FUNCTION uses(VARIADIC queries text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  query text;
  served record;
  used text = '';
BEGIN
  FOREACH query IN ARRAY queries LOOP
    served := answer(query, true);
    IF served.result IS DISTINCT FROM (answer(query, false)).result THEN
      RETURN 'WRONG ROWS: ' || query;
    END IF;
    used := used || ' ' || served.uses;
  END LOOP;
  RETURN ltrim(used);
END $$;
CREATE FUNCTION uses_of_t() RETURNS text LANGUAGE sql AS $$
  SELECT uses('SELECT n FROM t WHERE at >= ''2026-01-03'' AND at < ''2026-01-04''', 'SELECT at FROM t ORDER BY at LIMIT 20')
$$;
-- Makes a table with rows, a constraint, and rows that pass it; returns for what its key is used.
CREATE FUNCTION made(at text, proof text, late text = '', id text = 'PRIMARY KEY CHECK (uuid_is_v7(id))',
    value text = 'i') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS t CASCADE;
  EXECUTE format('CREATE TABLE t (id uuid %s, n serial, at %s)', id, at);
  EXECUTE format('INSERT INTO t (id, at) SELECT uuid_v7_at(i), %s
    FROM generate_series(timestamptz ''2026-01-01'', ''2026-01-06'', interval ''90 min'') AS i', value);
  CREATE INDEX IF NOT EXISTS t_id ON t (id);
  IF proof <> '' THEN
    EXECUTE 'ALTER TABLE t ADD CONSTRAINT proof CHECK ' || proof;
  END IF;
  EXECUTE late;
  ANALYZE t;
  RETURN uses_of_t();
END $$;

-- Equal, in all forms and types.
SELECT proof, made(type || ' NOT NULL', proof) FROM (VALUES
  ('timestamptz', '(at = uuid_extract_v7_time(id))'),
  ('timestamptz', '(uuid_extract_time(id) = at AND n > 0)'),
  ('timestamptz', '((at = uuid_extract_time_precise(id)) IS TRUE)'),
  ('timestamptz', '((at = uuid_extract_time(id)) = true)'),
  ('timestamptz', '(at IS NOT DISTINCT FROM uuid_extract_v7_time(id))'),
  ('timestamptz(3)', '(at = uuid_extract_v7_time(id)::timestamptz(3))'),
  ('timestamptz(6)', '(at = uuid_extract_v7_time(id))'),
  ('timestamptz', '(at - interval ''30 s'' = uuid_extract_v7_time(id) - interval ''0.5 min'')'),
  ('timestamptz', '(at >= uuid_extract_v7_time(id) AND at <= uuid_extract_v7_time(id))'),
  ('timestamp(3)', '(at = uuid_extract_v7_time(id) AT TIME ZONE ''Etc/UTC'')'),
  ('date', '(at = (uuid_extract_v7_time(id) AT TIME ZONE ''Etc/UTC'')::date)')) AS f (type, proof);
SELECT made('timestamptz NOT NULL CHECK (at = uuid_extract_v7_time(id))', '');
SELECT 'key proved by the column', made('timestamptz NOT NULL', '(at IS NOT DISTINCT FROM uuid_extract_v7_time(id))', '', '');
SELECT 'the same of a nullable column', made('timestamptz', '(at IS NOT DISTINCT FROM uuid_extract_v7_time(id))',
  $$INSERT INTO t (id) VALUES (uuid_v6_at('2026-01-03 05:00')), (NULL)$$, '');
-- Near, with rows at the ends of the tolerance.
SELECT proof, made(type || ' NOT NULL', proof, $$
    INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-02 23:59:30'), '2026-01-03'), (uuid_v7_at('2026-01-04 01:00'),
      timestamptz '2026-01-04' + '1 us'), (uuid_v7_at('2026-01-04 00:50'), '2026-01-03 23:59:59.999999')$$)
FROM (VALUES
  ('timestamptz', '(at BETWEEN uuid_extract_v7_time(id) - interval ''1 h'' AND uuid_extract_v7_time(id) + interval ''1 min'')'),
  ('timestamptz', '(at > uuid_extract_time(id) - ''01:00''::interval AND uuid_extract_time(id) + ''1 min'' > at)'),
  ('timestamptz', '(at + interval ''1 h'' >= uuid_extract_v7_time(id)), ADD CHECK (at <= interval ''1 min'' + uuid_extract_v7_time(id))'),
  ('timestamp', '(at BETWEEN (uuid_extract_v7_time(id) AT TIME ZONE ''Etc/UTC'') - interval ''1 h''
    AND (uuid_extract_v7_time(id) AT TIME ZONE ''Etc/UTC'') + interval ''1 min'')')) AS f (type, proof);
SELECT 'always before', made('timestamptz NOT NULL', '(at >= uuid_extract_v7_time(id) - interval ''2 h''
  AND at <= uuid_extract_v7_time(id) + interval ''-1 h'')', value => 'i - interval ''100 min''');

-- No proof. A row of the third day has another key.
CREATE DOMAIN moment AS timestamptz;
CREATE FUNCTION uuid_extract_v7_time(uuid) RETURNS timestamptz IMMUTABLE LANGUAGE sql
  AS 'SELECT public.uuid_extract_v7_time($1)';
CREATE FUNCTION row_of(id text, at text = '''2026-01-03 05:00''') RETURNS text LANGUAGE sql AS $$
  SELECT format('INSERT INTO t (id, at) VALUES (%s, %s)', id, at) $$;
SELECT why, made(type, proof, late, id) FROM (VALUES
  ('nullable column', 'timestamptz', '(at = public.uuid_extract_v7_time(id))', row_of('uuid_v7_at(''2026-01-03 05:00'')', 'NULL'),
    'PRIMARY KEY CHECK (uuid_is_v7(id))'),
  ('nullable key', 'timestamptz NOT NULL', '(at = public.uuid_extract_v7_time(id))', row_of('NULL'), 'CHECK (uuid_is_v7(id))'),
  ('near, nullable key', 'timestamptz NOT NULL', '(at BETWEEN uuid_extract_time(id) - ''1 h''::interval AND uuid_extract_time(id))',
    row_of('NULL'), 'CHECK (uuid_is_v7(id))'),
  ('other versions', 'timestamptz NOT NULL', '(at = public.uuid_extract_v7_time(id))', row_of('uuid_v6_at(''2026-01-03'')'), 'NOT NULL'),
  ('near, other versions', 'timestamptz NOT NULL', '(at BETWEEN public.uuid_extract_v7_time(id) - interval ''1 h''
    AND public.uuid_extract_v7_time(id))', row_of('uuid_v4()'), 'NOT NULL'),
  ('other variants', 'timestamptz NOT NULL', '(at = uuid_extract_time(id))', row_of('''00000000-0000-0000-0000-000000000000'''),
    'NOT NULL CHECK (uuid_extract_version(id) = 7)')) AS f (why, type, proof, late, id);
SELECT why, made(type || ' NOT NULL', proof, late) FROM (VALUES
  ('no proof', 'timestamptz', '', row_of('uuid_v7_at(''2026-01-05'')')),
  ('a domain', 'moment', '(at = public.uuid_extract_v7_time(id))', ''),
  ('OR', 'timestamptz', '(at = public.uuid_extract_v7_time(id) OR n > 0)', row_of('uuid_v7_at(''2026-01-05'')')),
  ('another function', 'timestamptz', '(at = uuid_extract_v7_time(id))', 'CREATE OR REPLACE FUNCTION uuid_extract_v7_time(uuid)
    RETURNS timestamptz IMMUTABLE LANGUAGE sql AS $$SELECT timestamptz ''2026-01-03 05:00''$$; ' || row_of('uuid_v7_at(''2026-01-05'')')),
  ('another operator', 'timestamptz', '(at <> public.uuid_extract_v7_time(id) - interval ''1 h'')', row_of('uuid_v7_at(''2026-01-05'')')),
  ('one side', 'timestamptz', '(at <= public.uuid_extract_v7_time(id))', row_of('uuid_v7_at(''2026-01-05'')')),
  ('a time of two keys', 'timestamptz', '(at BETWEEN public.uuid_extract_v7_time(id) - interval ''1 h'' AND uuid_extract_time(id))', ''),
  ('always NULL', 'timestamptz', '(at = date_bin(''1 h'', public.uuid_extract_v7_time(id), NULL))', row_of('uuid_v7_at(''2026-01-05'')')),
  ('a day', 'timestamptz', '(at BETWEEN public.uuid_extract_v7_time(id) - interval ''1 d'' AND public.uuid_extract_v7_time(id))',
    row_of('uuid_v7_at(''2026-01-04 04:00'')')),
  ('a date of the session', 'date', '(at = public.uuid_extract_v7_time(id)::date)',
    'SET LOCAL timezone = ''Asia/Tokyo''; ' || row_of('uuid_v7_at(''2026-01-02 15:00Z'')') || '; SET LOCAL timezone = ''UTC'''),
  ('a time of the session', 'timestamp', '(at = public.uuid_extract_v7_time(id))',
    'SET LOCAL timezone = ''Asia/Tokyo''; ' || row_of('uuid_v7_at(''2026-01-02 20:00Z'')') || '; SET LOCAL timezone = ''UTC''')
  ) AS f (why, type, proof, late);
-- Children by inheritance may drop NOT NULL (before PostgreSQL 18), and may not have a constraint.
SELECT made('timestamptz NOT NULL', '(at = public.uuid_extract_v7_time(id))', $$
  CREATE TABLE child () INHERITS (t);
  CREATE INDEX ON child (id);
  DO 'BEGIN ALTER TABLE child ALTER at DROP NOT NULL;
    INSERT INTO child VALUES (uuid_v7_at(''2026-01-03 05:00''), 0, NULL); EXCEPTION WHEN OTHERS THEN END'$$);
SELECT made('timestamptz NOT NULL', '', $$
  ALTER TABLE t ADD CHECK (at IS NOT DISTINCT FROM public.uuid_extract_v7_time(id)) NO INHERIT;
  CREATE TABLE child () INHERITS (t);
  CREATE INDEX ON child (id);
  INSERT INTO child VALUES (uuid_v7_at('2026-01-03 05:00'), 0, '2026-01-05')$$);
-- Constraints that are not valid or not enforced: the latter from PostgreSQL 18 on.
SELECT made('timestamptz NOT NULL', '', row_of('uuid_v7_at(''2026-01-05'')') || $$;
  ALTER TABLE t ADD CONSTRAINT proof CHECK (at = public.uuid_extract_v7_time(id)) NOT VALID$$);
DELETE FROM t WHERE at <> public.uuid_extract_v7_time(id);
ALTER TABLE t VALIDATE CONSTRAINT proof;
SELECT uses_of_t();
DO $$
BEGIN
  ALTER TABLE t ADD CHECK (at BETWEEN public.uuid_extract_v7_time(id) AND public.uuid_extract_v7_time(id)) NOT ENFORCED;
EXCEPTION WHEN syntax_error THEN
END $$;
ALTER TABLE t DROP CONSTRAINT proof;
SELECT uses_of_t();
-- Plans follow changes of constraints, also those that are rolled back.
PREPARE days AS SELECT count(*), count(*) = (SELECT count(*) FROM t WHERE at + interval '0' >= '2026-01-03') AS is_right
  FROM t WHERE at >= '2026-01-03';
EXECUTE days;
BEGIN;
ALTER TABLE t ADD CONSTRAINT proof CHECK (at = public.uuid_extract_v7_time(id));
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
SELECT uses_of_t();
-- So they do if a column gets NULL.
SELECT made('timestamptz NOT NULL', '(at = public.uuid_extract_v7_time(id))');
PREPARE later AS SELECT count(*) FROM t WHERE at >= '2026-01-03';
EXECUTE later;
ALTER TABLE t ALTER at DROP NOT NULL;
INSERT INTO t (id, at) VALUES (uuid_v7_at('2026-01-05'), NULL);
EXECUTE later;
SELECT uses_of_t();

-- Partitions: by the column, by the id, or by the column in partitions by another one. A CHECK that compares the column
-- with another one is no reason to keep a condition.
CREATE FUNCTION partitioned(proof text, partition_by text, bound text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  parent text = 't';
  scans int = 0;
BEGIN
  DROP TABLE t;
  EXECUTE format('CREATE TABLE t (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int, at timestamptz NOT NULL CHECK (at %s),
    updated timestamptz CHECK (updated >= at)) PARTITION BY %s', proof, partition_by);
  IF partition_by ~ 'LIST' THEN
    parent := 'nested';
    CREATE TABLE nested PARTITION OF t FOR VALUES IN (1) PARTITION BY RANGE (at);
  END IF;
  FOR i IN 1..5 LOOP
    EXECUTE format('CREATE TABLE t%s PARTITION OF %s FOR VALUES FROM (%s) TO (%s)', i, parent,
      format(bound, i), format(bound, i + 1));
  END LOOP;
  INSERT INTO t SELECT uuid_v7_at(i), 1, i, i FROM generate_series(timestamptz '2026-01-01', '2026-01-05', '90 min') AS i;
  CREATE INDEX ON t (id);
  ANALYZE t;
  FOR line IN EXPLAIN (COSTS off) SELECT FROM t WHERE at >= '2026-01-03' AND at < '2026-01-04' LOOP
    scans := scans + (line ~ 'Scan.* on ')::int;
  END LOOP;
  RETURN scans || ' ' || uses_of_t();
END $$;
SELECT how, partition_by, partitioned(proof, partition_by, bound) FROM (VALUES
  ('equal', '= public.uuid_extract_v7_time(id)'), ('near', 'BETWEEN public.uuid_extract_v7_time(id) - interval ''1 h''
    AND public.uuid_extract_v7_time(id)')) AS p (how, proof),
  (VALUES ('RANGE (id)', 'uuid_v7_min(''2026-01-%s'')'), ('RANGE (at)', '''2026-01-%s'''), ('LIST (n)', '''2026-01-%s'''))
    AS b (partition_by, bound);
DROP SCHEMA ordinary CASCADE;
