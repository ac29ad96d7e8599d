-- Search by the first digits.
-- Digits in either case, with some of the hyphens.
SELECT uuid_prefix_min(prefix), uuid_prefix_max(prefix) FROM unnest(ARRAY['018F3C1E-9abc7def-8', '']) AS prefix;

-- Invalid prefixes: the detail says what is wrong and where.
\set VERBOSITY sqlstate
SELECT nil_uuid() ^@ '018f3c1e--9';
\set VERBOSITY default
SELECT nil_uuid() ^@ '-018f';
SELECT nil_uuid() ^@ '018f3c1e--9';
SELECT nil_uuid() ^@ '018f3c1e-9abc-7def-8123-456789abcdef0';
SELECT nil_uuid() ^@ '018é';

-- ^@ finds the rows that LIKE finds in the text, for prefixes of every length, in upper and lower case, with and
-- without hyphens.
CREATE TABLE logged (id uuid PRIMARY KEY, n integer GENERATED ALWAYS AS IDENTITY);
INSERT INTO logged SELECT CASE n % 3 WHEN 0 THEN gen_random_uuid() WHEN 1 THEN uuid_v7()
                               ELSE uuid_v7_at('2024-05-03'::timestamptz + n * interval '1 s') END
FROM generate_series(1, 4000) AS n;
INSERT INTO logged VALUES (nil_uuid()), (max_uuid());
SELECT count(*) AS compared,
       count(*) FILTER (WHERE found <> (SELECT count(*) FROM logged WHERE id::text LIKE prefix || '%')) AS different,
       count(*) FILTER (WHERE found <> (SELECT count(*) FROM logged WHERE id ^@ upper(prefix))) AS other_case,
       count(*) FILTER (WHERE found <> (SELECT count(*) FROM logged
                                        WHERE id ^@ replace(prefix, '-', ''))) AS without_hyphens,
       count(*) FILTER (WHERE found = 0) AS nothing
FROM (SELECT prefix, (SELECT count(*) FROM logged WHERE id ^@ prefix) AS found
      FROM (SELECT left(id::text, length) AS prefix FROM (SELECT id FROM logged ORDER BY n % 7, id LIMIT 12) AS chosen,
                   generate_series(0, 36) AS length) AS prefixes OFFSET 0) AS counted;
-- With NULL on either side, the result is NULL, also under NOT.
SELECT NULL::uuid ^@ '01' AS id, nil_uuid() ^@ NULL AS prefix, NOT NULL::uuid ^@ '01' AS not_id,
       NULL::uuid ^@ '' AS all,
       NOT nil_uuid() ^@ '01' AS other, uuid_starts_with(nil_uuid(), '0') AS function;

-- The planner uses the primary key for a constant, a parameter and a column of a join; also for an index-only scan.
ANALYZE logged;
-- Without the rules, padding and headings of tables.
\pset format unaligned
\pset tuples_only
SET enable_bitmapscan = off;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM logged WHERE id ^@ '018f3c1e';
SET plan_cache_mode = force_generic_plan;
PREPARE look_up AS SELECT count(*) FROM logged WHERE id ^@ $1;
EXPLAIN (COSTS OFF) EXECUTE look_up('018f');
DEALLOCATE look_up;
RESET plan_cache_mode;
EXPLAIN (COSTS OFF) SELECT logged.* FROM (VALUES ('018f3c1e'), ('ffff')) AS line (digits), logged WHERE id ^@ digits;
-- Partitions with uuid_prefix_min() as a bound are pruned.
CREATE TABLE divided (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE divided_0 PARTITION OF divided FOR VALUES FROM (MINVALUE) TO (uuid_prefix_min('8'));
CREATE TABLE divided_8 PARTITION OF divided FOR VALUES FROM (uuid_prefix_min('8')) TO (MAXVALUE);
EXPLAIN (COSTS OFF) SELECT * FROM divided WHERE id ^@ '7fff';
EXPLAIN (COSTS OFF) SELECT * FROM divided WHERE id ^@ 'C';
EXPLAIN (COSTS OFF) SELECT * FROM divided WHERE id ^@ '';
RESET enable_seqscan;
DROP TABLE logged, divided;
