-- Conditions on the time of a key read only the partitions of that time.
SET timezone = 'UTC';
-- Makes sequential scans expensive. PostgreSQL 18 would show enable_seqscan = off in the plans.
SET seq_page_cost = 1000;
-- Without the rules, padding and headings of tables.
\pset format unaligned
\pset tuples_only

CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE log_01 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2021-01-01')) TO (uuid_v7_min('2021-02-01'));
CREATE TABLE log_02 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2021-02-01')) TO (uuid_v7_min('2021-03-01'))
    PARTITION BY RANGE (id);
CREATE TABLE log_02_a PARTITION OF log_02 FOR VALUES FROM (uuid_v7_min('2021-02-01')) TO (uuid_v7_min('2021-02-15'));
CREATE TABLE log_02_b PARTITION OF log_02 FOR VALUES FROM (uuid_v7_min('2021-02-15')) TO (uuid_v7_min('2021-03-01'));
CREATE TABLE log_03 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2021-03-01')) TO (uuid_v7_min('2021-04-01'));
CREATE TABLE log_rest PARTITION OF log DEFAULT;
INSERT INTO log SELECT uuid_v7_at('2020-12-01'::timestamptz + i * interval '15 minutes'), i
FROM generate_series(0, 13439) AS i;
CREATE TABLE plain AS TABLE log;
VACUUM ANALYZE log, plain;
SELECT tableoid::regclass AS partition, count(*), min(uuid_extract_time(id)), max(uuid_extract_time(id))
FROM log GROUP BY 1 ORDER BY 1;

-- Partitions are pruned during planning.
EXPLAIN (COSTS off) SELECT * FROM log WHERE id <@ tstzrange('2021-02-20', '2021-03-02');
EXPLAIN (COSTS off) SELECT * FROM log WHERE id < timestamptz '2021-02-10' AND id >= timestamptz '2021-01-20'
ORDER BY id DESC LIMIT 10;

-- One partition that is in no order is sorted as a whole.
CREATE TABLE bare (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
CREATE TABLE bare_old PARTITION OF bare FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2026-01-01'));
CREATE TABLE bare_new PARTITION OF bare FOR VALUES FROM (uuid_v7_min('2026-01-01')) TO (MAXVALUE);
EXPLAIN (COSTS off) SELECT uuid_extract_time(id), n FROM bare WHERE id >= timestamptz '2026-02-01' ORDER BY 1, 2;
DROP TABLE bare;

-- Rows of the default partition, before and after all others, are found beside IS NOT NULL: releases before that of
-- November 2026 prune it for an OR of comparisons; from 17 on, only where the key may be NULL.
SELECT count(*) FROM log WHERE id IS NOT NULL
AND (uuid_extract_v7_time(id) < '2020-12-05' OR uuid_extract_v7_time(id) >= '2021-04-05');
CREATE TABLE loose (id uuid) PARTITION BY RANGE (id);
CREATE TABLE loose_02 PARTITION OF loose FOR VALUES FROM (uuid_v7_min('2021-02-01')) TO (uuid_v7_min('2021-03-01'));
CREATE TABLE loose_other PARTITION OF loose DEFAULT;
INSERT INTO loose SELECT id FROM log;
SELECT count(*) FROM loose WHERE id IS NOT NULL
AND (uuid_extract_v7_time(id) < '2020-12-05' OR uuid_extract_v7_time(id) IN ('2021-02-03', '2021-02-04')
  OR uuid_extract_v7_time(id) >= '2021-04-05');
DROP TABLE loose;

-- A shorter range proves the predicate of a partition's index that is written as comparisons.
CREATE INDEX of_ten_days ON log_01 (n) WHERE id >= timestamptz '2021-01-10' AND id < timestamptz '2021-01-20';
EXPLAIN (COSTS off) SELECT * FROM log WHERE id <@ tstzrange('2021-01-11', '2021-01-19') AND n = 5000;
EXPLAIN (COSTS off) SELECT * FROM log WHERE id <@ tstzrange('2021-01-09', '2021-01-19') AND n = 5000;
DROP INDEX of_ten_days;

-- Partitions are pruned when execution starts.
SET plan_cache_mode = force_generic_plan;
PREPARE since(timestamptz) AS SELECT count(*) FROM log WHERE id >= $1 AND id < timestamptz '2021-04-01';
PREPARE time_range(tstzrange) AS SELECT count(*) FROM log WHERE id <@ $1;
EXPLAIN (COSTS off) EXECUTE since('2021-03-02');
EXPLAIN (COSTS off) EXECUTE time_range('[2021-02-20,2021-02-21)');
EXECUTE since('2021-03-02');
EXECUTE time_range('[2021-02-20,2021-02-21)');
RESET plan_cache_mode;
EXPLAIN (COSTS off) SELECT * FROM log WHERE id <@ tstzrange(now() - interval '1 day', now());

-- Partitions are pruned during execution, for each row of the other table.
CREATE TABLE session (time_range tstzrange);
INSERT INTO session VALUES ('[2021-01-03,2021-01-04)');
SET enable_material = off;
SET max_parallel_workers_per_gather = 0;
-- Returns the partitions read, and the number of rows of each.
CREATE FUNCTION partitions_read(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) ' || query LOOP
        IF line ~ ' on log_' AND line !~ 'never executed|Index Scan on' THEN
            RETURN NEXT regexp_replace(line, '^.* on (log_\w+).* rows=(\d+).*$', '\1: \2');
        END IF;
    END LOOP;
END $$;
SELECT * FROM partitions_read('SELECT * FROM session JOIN log ON id <@ time_range');
SELECT * FROM partitions_read('SELECT * FROM session JOIN log ON id >= lower(time_range) AND id < upper(time_range)');
SELECT * FROM partitions_read('SELECT * FROM log WHERE id >= (SELECT lower(time_range) FROM session) '
                              'AND id < (SELECT upper(time_range) FROM session)');
-- A range from a sub-select is not split into bounds: it would be evaluated twice, perhaps with different results.
SELECT * FROM partitions_read('SELECT * FROM log WHERE id <@ (SELECT time_range FROM session)');
-- EXISTS: PostgreSQL simplifies its condition together with the outer query, which has fewer tables.
SELECT * FROM partitions_read('SELECT * FROM session o WHERE EXISTS ('
                              'SELECT FROM session a JOIN log ON id <@ ''[2021-01-03,2021-01-04)''::tstzrange '
                              'WHERE a.time_range = o.time_range)');
-- An empty or NULL range reads no partition.
SELECT * FROM partitions_read('SELECT * FROM log WHERE id <@ ''empty''::tstzrange');
SELECT * FROM partitions_read('SELECT * FROM log WHERE id <@ NULL::tstzrange');

-- Partitions by a domain over uuid; by another column; and by id within those, with columns in another order.
CREATE DOMAIN log_id AS uuid;
CREATE TABLE of_domain (id log_id, n int) PARTITION BY RANGE (id);
CREATE TABLE of_domain_01 PARTITION OF of_domain
    FOR VALUES FROM (uuid_v7_min('2021-01-01')) TO (uuid_v7_min('2021-02-01'));
CREATE TABLE of_domain_02 PARTITION OF of_domain
    FOR VALUES FROM (uuid_v7_min('2021-02-01')) TO (uuid_v7_min('2021-03-01'));
EXPLAIN (COSTS off) SELECT n FROM of_domain WHERE id <@ tstzrange('2021-01-03', '2021-01-04');
CREATE TABLE tenants (tenant int, id uuid, n int) PARTITION BY LIST (tenant);
CREATE TABLE tenant_1 PARTITION OF tenants FOR VALUES IN (1);
EXPLAIN (COSTS off) SELECT n FROM tenants WHERE id <@ tstzrange('2021-01-03', '2021-01-04');
CREATE TABLE tenant_2 (n int, tenant int, id uuid) PARTITION BY RANGE (id);
CREATE TABLE tenant_2_01 PARTITION OF tenant_2
    FOR VALUES FROM (uuid_v7_min('2021-01-01')) TO (uuid_v7_min('2021-02-01'));
CREATE TABLE tenant_2_02 PARTITION OF tenant_2
    FOR VALUES FROM (uuid_v7_min('2021-02-01')) TO (uuid_v7_min('2021-03-01'));
ALTER TABLE tenants ATTACH PARTITION tenant_2 FOR VALUES IN (2);
EXPLAIN (COSTS off) SELECT n FROM tenants WHERE id <@ tstzrange('2021-01-03', '2021-01-04');
DROP TABLE of_domain, tenants;
DROP DOMAIN log_id;

-- Children by inheritance are excluded by their constraints.
CREATE TABLE old_log (id uuid NOT NULL, n int);
CREATE TABLE old_log_01 (CHECK (id >= timestamptz '2021-01-01' AND id < timestamptz '2021-02-01')) INHERITS (old_log);
CREATE TABLE old_log_02 (CHECK (id >= timestamptz '2021-02-01' AND id < timestamptz '2021-03-01')) INHERITS (old_log);
EXPLAIN (COSTS off) SELECT * FROM ONLY old_log_02 WHERE id <@ tstzrange('2021-01-03', '2021-01-04');
EXPLAIN (COSTS off) SELECT * FROM old_log WHERE id <@ tstzrange('2021-01-03', '2021-01-04');
EXPLAIN (COSTS off) SELECT * FROM old_log WHERE id >= timestamptz '2021-02-03';

-- Partition bounds that other tools set: with version 0 (pg_partman's encoder), random bits within the millisecond, or
-- another version. If the bound is below the first version 7 UUID of its millisecond, a condition on earlier times also
-- reads the partition that begins there, except if it ends with the millisecond before, inclusive.
CREATE TABLE near AS SELECT id, uuid_extract_time(id) AS at
FROM (SELECT uuid_v7_at(timestamptz '2021-02-01' + i * interval '1 us') AS id
      FROM generate_series(-2000, 2999) AS i) AS s;
-- Returns the partitions that a condition on a time reads, marked as "spare" if none of their rows satisfies it; for a
-- constant, and for a time that is known only when execution starts.
CREATE FUNCTION read_at(bound uuid, conditions text[]) RETURNS TABLE (condition text, partitions text)
LANGUAGE plpgsql AS $$
DECLARE
    answers text[];
    different bigint;
    value text;
BEGIN
    EXECUTE format('CREATE TABLE log_at (id uuid PRIMARY KEY, at timestamptz) PARTITION BY RANGE (id);
        CREATE TABLE log_before PARTITION OF log_at FOR VALUES FROM (MINVALUE) TO (%1$L);
        CREATE TABLE log_after PARTITION OF log_at FOR VALUES FROM (%1$L) TO (MAXVALUE)', bound);
    INSERT INTO log_at SELECT * FROM near;
    -- With the time from a column.
    SELECT count(*) FILTER (WHERE l.id IS NULL) INTO different
    FROM near AS n LEFT JOIN log_at AS l ON l.id = n.id AND l.id >= n.at AND l.id <= n.at
        AND l.id <@ tstzrange(n.at, n.at, '[]');
    IF different > 0 THEN
        RAISE WARNING '% rows are not found by their time', different;
    END IF;
    FOREACH condition IN ARRAY conditions LOOP
        answers := NULL;
        FOREACH value IN ARRAY ARRAY['timestamptz ''2021-02-01''', 'to_timestamp(''2021-02-01'', ''YYYY-MM-DD'')'] LOOP
            answers := answers || (
                SELECT string_agg(substring(line FROM 'log_(\w+):')
                                  || CASE WHEN line LIKE '%: 0' THEN ' spare' ELSE '' END, ', ')
                FROM partitions_read('SELECT * FROM log_at WHERE ' || replace(condition, 't1', value)) AS line);
            EXECUTE format('SELECT count(*) FROM (SELECT id FROM log_at WHERE %s) AS l '
                           'FULL JOIN (SELECT id FROM near WHERE %s) AS p USING (id) WHERE l.* IS NULL OR p.* IS NULL',
                           replace(condition, 't1', value),
                           replace(replace(condition, 't1', value), 'id', 'uuid_extract_time(id)')) INTO different;
            IF different > 0 THEN
                RAISE WARNING '% rows differ: %', different, condition;
            END IF;
        END LOOP;
        partitions := answers[1]
            || CASE WHEN answers[1] IS DISTINCT FROM answers[2] THEN '; at the start ' || answers[2] ELSE '' END;
        RETURN NEXT;
    END LOOP;
    DROP TABLE log_at;
END $$;
SELECT condition, partitions, string_agg(lower_bound, ', ' ORDER BY i) AS bounds
FROM (VALUES (1, 'uuid_v7_min()', uuid_v7_min('2021-02-01')),
             (2, 'version 0', '01775ae3-9400-0000-0000-000000000000'),
             (3, 'random bits', '01775ae3-9400-7a11-9e57-c0ffee15600d'),
             (4, 'version 8', '01775ae3-9400-8000-8000-000000000000'),
             (5, 'uuid_v7_max()', uuid_v7_max('2021-02-01'))) AS b (i, lower_bound, bound),
     read_at(bound, ARRAY['id < t1', 'id <= t1', 'id > t1', 'id >= t1', 'id <@ tstzrange(NULL, t1)',
                          'id <@ tstzrange(t1, NULL)', 'id <@ tstzrange(t1, t1, ''[]'')',
                          'id <@ tstzrange(NULL, t1 - interval ''1 ms'', ''[]'')'])
GROUP BY condition, partitions ORDER BY condition COLLATE "C", partitions;

-- The rows of a default partition can be between those of others.
CREATE TABLE gap (id uuid PRIMARY KEY CHECK (uuid_is_v7(id))) PARTITION BY RANGE (id);
CREATE TABLE gap_1 PARTITION OF gap FOR VALUES FROM (uuid_v7_min('2026-01-01Z')) TO (uuid_v7_min('2026-02-01Z'));
CREATE TABLE gap_3 PARTITION OF gap FOR VALUES FROM (uuid_v7_min('2026-03-01Z')) TO (uuid_v7_min('2026-04-01Z'));
CREATE TABLE gap_rest PARTITION OF gap DEFAULT;
INSERT INTO gap SELECT uuid_v7_at(t) FROM generate_series(timestamptz '2026-01-02Z', '2026-03-30Z', '1 hour') AS t;
SET enable_sort = off;
SELECT bool_and(t >= before) AS "in order" FROM (SELECT t, lag(t) OVER () AS before FROM (
  SELECT uuid_extract_v7_time(id) AS t FROM gap ORDER BY 1 LIMIT 2000) AS first) AS pair;
DROP TABLE gap;
RESET enable_sort;
-- UUIDs of other versions, whose time is NULL, can be in any partition.
CREATE TABLE bare (id uuid NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE bare_1 PARTITION OF bare FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2026-02-01Z'));
CREATE TABLE bare_2 PARTITION OF bare FOR VALUES FROM (uuid_v7_min('2026-02-01Z')) TO (MAXVALUE);
INSERT INTO bare SELECT uuid_v7_at(t) FROM generate_series(timestamptz '2026-01-02Z', '2026-03-30Z', '1 hour') AS t;
INSERT INTO bare VALUES ('00000000-0000-4000-8000-000000000000');
SELECT count(t) FROM (SELECT uuid_extract_v7_time(id) AS t FROM bare ORDER BY 1 LIMIT 1000) AS first;
-- Without an index, nothing checks that the zone of the plan is that of the session.
DELETE FROM bare WHERE NOT uuid_is_v7(id);
ALTER TABLE bare ADD CHECK (uuid_is_v7(id));
EXPLAIN (COSTS off) SELECT uuid_extract_v7_time(id) FROM bare ORDER BY 1 LIMIT 9;
EXPLAIN (COSTS off) SELECT uuid_extract_v7_time(id)::date FROM bare ORDER BY 1 LIMIT 9;
-- Another order of times is not that of the partitions.
CREATE FUNCTION later(timestamptz, timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > $2';
CREATE FUNCTION later_cmp(timestamptz, timestamptz) RETURNS int LANGUAGE sql IMMUTABLE
    AS 'SELECT timestamptz_cmp($2, $1)';
CREATE OPERATOR <<< (LEFTARG = timestamptz, RIGHTARG = timestamptz, FUNCTION = later);
CREATE OPERATOR CLASS later_ops FOR TYPE timestamptz USING btree AS OPERATOR 1 <<<, OPERATOR 3 =,
    FUNCTION 1 later_cmp(timestamptz, timestamptz);
SELECT uuid_extract_v7_time(id) FROM bare ORDER BY 1 USING <<< LIMIT 2;
DROP TABLE bare;
-- A cursor is in order, or fails, wherever the zone changes: scans of partitions begin one after the other, a join
-- gives many rows for one that is checked, and of inherited tables, one is read ahead of the other.
CREATE TABLE part (id uuid NOT NULL CHECK (uuid_is_v7(id))) PARTITION BY RANGE (id);
CREATE INDEX ON part (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (nil_uuid()) TO (uuid_v7_min('2026-02-02 12:00Z'));
CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (uuid_v7_min('2026-02-02 12:00Z')) TO (max_uuid());
INSERT INTO part SELECT uuid_v7_at(x) FROM unnest('{2026-02-01 10:00Z,2026-02-01 20:00Z,2026-02-02 11:30Z,
    2026-02-02 13:00Z,2026-02-02 20:00Z,2026-02-03 04:00Z}'::timestamptz[]) AS x;
INSERT INTO part SELECT uuid_v7_at('2026-03-01Z'::timestamptz + i * interval '1 hour') FROM generate_series(1, 5000) i;
CREATE TABLE whole AS SELECT id FROM part;
ALTER TABLE whole ADD PRIMARY KEY (id), ADD CHECK (uuid_is_v7(id));
CREATE TABLE one AS SELECT 1 AS n;
CREATE TABLE first (LIKE part_1 INCLUDING ALL);
CREATE TABLE later () INHERITS (first);
CREATE INDEX ON later (id);
INSERT INTO first SELECT id FROM part ORDER BY id LIMIT 1;
INSERT INTO later SELECT id FROM part ORDER BY id OFFSET 1;
VACUUM ANALYZE part;
VACUUM ANALYZE whole;
-- Fetches a part of a query's rows in one zone, and the rest in another; returns what becomes of the order.
CREATE FUNCTION walk(query text, rows int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE rest refcursor; day date; last date := '-infinity';
BEGIN
  EXECUTE 'DISCARD PLANS';
  PERFORM set_config('timezone', 'Pacific/Auckland', true);
  OPEN rest NO SCROLL FOR EXECUTE query;
  LOOP
    FETCH rest INTO day;
    IF NOT FOUND THEN RETURN 'in order'; END IF;
    IF day < last THEN RETURN 'back'; END IF;
    last := day;
    rows := rows - 1;
    PERFORM set_config('timezone', 'America/Los_Angeles', true) WHERE rows = 0;
  END LOOP;
EXCEPTION WHEN feature_not_supported THEN
  RETURN 'fails';
END $$;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_seqscan = off;
SET enable_hashagg = off;
SET enable_sort = off;
CREATE TABLE walked AS SELECT replace(query, 'DAY', 'uuid_extract_v7_time(id)::date') AS query, rows FROM unnest(ARRAY[
    'SELECT DAY FROM whole', 'SELECT DAY FROM part', 'SELECT DAY FROM part_2',
    'SELECT DAY FROM part JOIN one ON one.n = CASE WHEN id IS NULL THEN 2 ELSE 1 END GROUP BY 1',
    'SELECT DAY FROM whole, (VALUES (1), (2), (3)) AS three (n)', 'SELECT DAY FROM first',
    'SELECT d FROM (SELECT DAY AS d FROM part UNION ALL SELECT DAY FROM whole) AS u']) AS query,
  generate_series(1, 8) AS rows;
SELECT count(*) FILTER (WHERE found = 'back'), count(DISTINCT query) FILTER (WHERE found = 'fails') >= 6
FROM walked, walk(query || ' ORDER BY 1 LIMIT 9', rows) AS found;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SELECT count(*) FROM walked WHERE walk(query || ' ORDER BY 1 LIMIT 9', rows) = 'back';
-- A partition without partitions, and a table without them.
CREATE TABLE bare (id uuid NOT NULL CHECK (uuid_is_v7(id))) PARTITION BY RANGE (id);
CREATE TABLE bare_1 PARTITION OF bare FOR VALUES FROM (nil_uuid()) TO (uuid_v7_min('2026-01-01'))
    PARTITION BY RANGE (id);
CREATE TABLE bare_2 PARTITION OF bare DEFAULT;
SELECT count(*) FROM (SELECT uuid_extract_v7_time(id) FROM bare ORDER BY 1) AS rows;
DROP TABLE bare_1, bare_2;
SELECT count(*) FROM (SELECT uuid_extract_v7_time(id) FROM bare ORDER BY 1) AS rows;

RESET ALL;
\set VERBOSITY terse
DROP FUNCTION partitions_read, read_at, walk;
DROP TABLE log, plain, session, old_log, near, part, whole, one, first, walked, bare CASCADE;
