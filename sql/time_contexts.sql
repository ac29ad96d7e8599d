-- A time condition means the same in every context and with every plan: that the UUID is of version 7 and that its time
-- is in that relation.
SET timezone = 'UTC';

-- UUIDs of all versions and variants around a time and at both ends of the range, nil, max and NULL.
CREATE TABLE ids AS
SELECT row_number() OVER ()::int AS n, id
FROM (SELECT (ms || v || rand_a || variant || rand_b)::uuid AS id
      FROM unnest(ARRAY['000000000000', '017f22e279af', '017f22e279b0', '017f22e279b1', 'ffffffffffff']) AS ms,
           unnest(ARRAY['0', '1', '4', '6', '7', '8', 'f']) AS v,
           unnest(ARRAY['0', '7', '8', 'b', 'c', 'e']) AS variant,
           (VALUES ('000', '000000000000000'), ('fff', 'fffffffffffffff')) AS bits (rand_a, rand_b)
      UNION ALL VALUES (nil_uuid()), (max_uuid()), (NULL), ('c232ab00-9414-11ec-b3c8-9f6bdeced846')) AS ids;
SELECT count(*), count(*) FILTER (WHERE uuid_is_v7(id)) AS v7, count(*) FILTER (WHERE uuid_is_v7(id) IS NULL) AS null,
       count(*) FILTER (WHERE uuid_is_v7(id)
                              IS DISTINCT FROM (substr(id::text, 15, 1) = '7'
                                                AND substr(id::text, 20, 1) IN ('8', '9', 'a', 'b'))) AS different
FROM ids;

-- One table for each kind of plan.
CREATE TABLE by_index (n int, id uuid);
CREATE INDEX ON by_index (id, n);
CREATE TABLE by_bitmap (n int, id uuid);
CREATE INDEX ON by_bitmap (id);
CREATE TABLE by_partial_index (n int, id uuid);
CREATE INDEX ON by_partial_index (id) WHERE uuid_is_v7(id);
CREATE TABLE partitioned (n int, id uuid) PARTITION BY RANGE (id);
CREATE TABLE partitioned_1 PARTITION OF partitioned
    FOR VALUES FROM (uuid_v7_min('2022-02-22 19:22:21.999')) TO (uuid_v7_min('2022-02-22 19:22:22'));
CREATE TABLE partitioned_2 PARTITION OF partitioned
    FOR VALUES FROM (uuid_v7_min('2022-02-22 19:22:22')) TO (uuid_v7_min('2022-02-22 19:22:22.001'));
CREATE TABLE partitioned_3 PARTITION OF partitioned DEFAULT;
CREATE TABLE parent (n int, id uuid);
CREATE TABLE child_1 (CHECK (id >= timestamptz '2022-02-22 19:22:22')) INHERITS (parent);
CREATE TABLE child_2 (CHECK (id < timestamptz '2022-02-22 19:22:22')) INHERITS (parent);
CREATE VIEW shown AS SELECT n, id FROM by_index;
CREATE VIEW computed AS SELECT n, CASE WHEN n > 0 THEN id END AS id FROM ids;
INSERT INTO by_index SELECT * FROM ids;
INSERT INTO by_bitmap SELECT * FROM ids;
INSERT INTO by_partial_index SELECT * FROM ids;
INSERT INTO partitioned SELECT * FROM ids WHERE id IS NOT NULL;
INSERT INTO partitioned_3 SELECT * FROM ids WHERE id IS NULL;
INSERT INTO child_1 SELECT * FROM ids WHERE id >= timestamptz '2022-02-22 19:22:22';
INSERT INTO child_2 SELECT * FROM ids WHERE id < timestamptz '2022-02-22 19:22:22';
INSERT INTO parent SELECT * FROM ids WHERE uuid_is_v7(id) IS NOT TRUE;
VACUUM ANALYZE ids, by_index, by_bitmap, by_partial_index, partitioned, parent, child_1, child_2;
CREATE TABLE shapes (name text, setting text);
INSERT INTO shapes
VALUES ('ids', 'enable_material'), ('by_index', 'enable_seqscan'),
       ('by_bitmap', 'enable_indexscan'), ('by_partial_index', 'enable_seqscan'),
       ('partitioned', 'enable_material'), ('parent', 'enable_material'), ('shown', 'enable_bitmapscan'),
       ('computed', 'enable_material');

-- The conditions, and what each of them means in terms of the extracted time. (From PostgreSQL 17 on, a NULL time in an
-- empty range gives false rather than NULL.)
CREATE TABLE conditions AS
SELECT format('id %s %s', operator, t) AS condition, format('uuid_extract_time(id) %s %s', operator, t) AS meaning
FROM unnest(ARRAY['<', '<=', '>=', '>']) AS operator,
     LATERAL (SELECT quote_nullable(literal) || '::timestamptz' AS t
              FROM unnest(ARRAY['-infinity', '1969-12-31', '1970-01-01', '2022-02-22 19:22:22',
                                '2022-02-22 19:22:22.0005', '10889-08-02 05:31:50.655', '20000-01-01', 'infinity',
                                NULL]) AS literal) AS times
UNION ALL
SELECT format('%s::tstzrange @> id', r), format('%s::tstzrange @> uuid_extract_time(id)', r)
FROM (SELECT quote_nullable(literal) AS r
      FROM unnest(ARRAY['empty', '(,)', '[2022-02-22 19:22:22,2022-02-22 19:22:22.001)', '(2022-02-22 19:22:22,)',
                        '(,2022-02-22 19:22:22.0005]', '(2022-02-22 19:22:22.0001,2022-02-22 19:22:22.0002)',
                        '[1960-01-01,1970-01-01]', '[20000-01-01,)', NULL]) AS literal) AS ranges;
UPDATE conditions
SET meaning = format('CASE WHEN id IS NOT NULL THEN substr(id::text, 15, 1) = ''7'' '
                     'AND substr(id::text, 20, 1) IN (''8'', ''9'', ''a'', ''b'') AND %s END', meaning);

-- The contexts.
CREATE TABLE contexts (context text);
INSERT INTO contexts
VALUES ('SELECT n FROM %1$s WHERE %2$s'), ('SELECT n FROM %1$s WHERE NOT (%2$s)'),
       ('SELECT n FROM %1$s WHERE (%2$s) IS NULL'),
       ('SELECT n FROM %1$s WHERE CASE WHEN %2$s THEN n %% 2 = 0 ELSE n %% 3 = 0 END'),
       ('SELECT n FROM %1$s WHERE coalesce(%2$s, true)'),
       ('SELECT n FROM %1$s WHERE (%2$s) OR n %% 5 = 0'), ('SELECT n FROM %1$s WHERE (%2$s) AND n %% 2 = 0'),
       ('SELECT n FROM %1$s AS i WHERE EXISTS (SELECT 1 FROM ids WHERE ids.n = i.n AND (%2$s))'),
       ('SELECT n FROM %1$s AS i WHERE n < 0 OR EXISTS (SELECT 1 FROM ids WHERE ids.n = i.n + 1 AND (%2$s))'),
       ('SELECT n FROM generate_series(-1, 1) AS k LEFT JOIN (SELECT n, id FROM %1$s) AS i ON (%2$s) AND n %% 5 = k'),
       ('SELECT n FROM generate_series(-1, 1) AS k LEFT JOIN %1$s AS i ON n %% 5 = k WHERE (%2$s)'),
       ('SELECT n FROM generate_series(-1, 1) AS k LEFT JOIN %1$s AS i ON n %% 5 = k WHERE (%2$s) IS NOT TRUE'),
       ('SELECT n * 4 + CASE (%2$s) WHEN true THEN 1 WHEN false THEN 2 ELSE 0 END FROM %1$s');

CREATE FUNCTION fingerprint(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT count(*) || coalesce(md5(string_agg(n::text, '','' ORDER BY n)), '''') '
                   'FROM (%s) AS rows (n)', query) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION fingerprint_in(setting text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(setting, 'off', true);
    RETURN fingerprint(query);
END $$;

-- Each condition on each table returns the rows that its meaning returns on the table of all UUIDs.
BEGIN;
SET LOCAL jit = off;
CREATE TEMP TABLE meanings AS
SELECT condition, context, fingerprint(format(context, 'ids', meaning)) AS expected FROM conditions, contexts;
CREATE TEMP TABLE results AS
SELECT name, context, condition, expected, fingerprint_in(setting, format(context, name, condition)) AS found
FROM shapes JOIN meanings ON true;
COMMIT;
SELECT name, count(*) AS checked, count(DISTINCT found) > 100 AS various,
       count(*) FILTER (WHERE found <> expected) AS different FROM results GROUP BY name ORDER BY name;
SELECT name, context, condition FROM results WHERE found <> expected ORDER BY 1, 2, 3 LIMIT 10;

-- Without the rules, padding and headings of tables.
\pset format unaligned
\pset tuples_only
-- In a CHECK constraint, the predicate of a partial index and the expression of an index.
CREATE TABLE checked (id uuid CHECK (id >= timestamptz '2022-02-22'));
INSERT INTO checked SELECT id FROM ids WHERE id >= timestamptz '2022-02-22' OR id IS NULL;
INSERT INTO checked VALUES ('017f22e2-79b0-4000-8000-000000000000');
CREATE INDEX ON by_index ((id <@ tstzrange('2022-02-22', '2022-02-23')));
CREATE INDEX of_a_day ON by_bitmap (n) WHERE id <@ tstzrange('2022-02-22', '2022-02-23');
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT n FROM by_bitmap WHERE id <@ tstzrange('2022-02-22', '2022-02-23') AND n > 5;
SELECT count(*) FROM by_index WHERE (id <@ tstzrange('2022-02-22', '2022-02-23')) = false;

-- Every time condition proves the predicate uuid_is_v7(id) of a partial index, which then covers the query.
SET enable_bitmapscan = off;
EXPLAIN (COSTS off) SELECT n FROM by_partial_index WHERE id >= timestamptz '2022-02-22';
EXPLAIN (COSTS off) SELECT n FROM by_partial_index WHERE id <@ tstzrange(now() - interval '1 day', now());
RESET enable_seqscan;
RESET enable_bitmapscan;

DROP TABLE ids, by_index, by_bitmap, by_partial_index, partitioned, parent, child_1, child_2, shapes, conditions,
    contexts, checked CASCADE;
DROP FUNCTION fingerprint, fingerprint_in;
