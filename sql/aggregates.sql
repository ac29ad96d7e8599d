-- min and max of a uuid column.
CREATE TABLE item (id uuid, "group" int);
SELECT min(id), max(id) FROM item;
INSERT INTO item SELECT gen_random_uuid(), i % 3 FROM generate_series(1, 1000) AS i;
INSERT INTO item VALUES (NULL, 1), (NULL, 4);

-- The first and last value in sort order. NULLs are ignored; the result is NULL if there is nothing else.
SELECT min(id) = (SELECT id FROM item WHERE id IS NOT NULL ORDER BY id LIMIT 1) AS min_ok,
       max(id) = (SELECT id FROM item WHERE id IS NOT NULL ORDER BY id DESC LIMIT 1) AS max_ok
FROM item;
INSERT INTO item VALUES (nil_uuid(), 0), (max_uuid(), 0);
SELECT min(id), max(id) FROM item;
SELECT min(id) OVER (ORDER BY id), max(id) OVER (ORDER BY id) FROM (VALUES (nil_uuid()), (max_uuid())) AS v(id);

-- In every form of a call, the results are those of min and max of the text in the C collation, which sorts alike.
CREATE FUNCTION pg_temp.differs(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    by_text text := regexp_replace(query, '(min|max)\((DISTINCT )?id', '\1(\2id::text COLLATE "C"', 'g');
    result bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (SELECT a::text FROM (%s) AS a EXCEPT ALL SELECT b::text '
                   'FROM (%s) AS b) AS c', query, by_text) INTO result;
    RETURN result;
END $$;
SELECT pg_temp.differs('SELECT min(id) FILTER (WHERE "group" = 1), max(id) FILTER (WHERE "group" > 9) '
                       'FROM item') AS filter,
       pg_temp.differs('SELECT min(DISTINCT id), max(DISTINCT id) FROM item') AS "distinct",
       pg_temp.differs('SELECT min(id ORDER BY "group"), max(id ORDER BY "group" DESC) FROM item') AS "order by",
       pg_temp.differs('SELECT "group", min(id), max(id) FROM item '
                       'GROUP BY GROUPING SETS (("group"), ())') AS grouping_sets,
       pg_temp.differs('SELECT "group", id IS NULL AS none, min(id), max(id) FROM item '
                       'GROUP BY CUBE ("group", id IS NULL)') AS cube;
SELECT pg_temp.differs('SELECT "group", id, min(id) OVER w, max(id) OVER w FROM item '
                       'WINDOW w AS (' || w || ')') AS differs, w AS "window"
FROM unnest(ARRAY['ORDER BY "group", id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING',
                  'PARTITION BY "group" ORDER BY id DESC ROWS BETWEEN 1 FOLLOWING AND 9 FOLLOWING',
                  'ORDER BY "group", id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
                  'ORDER BY "group", id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW']) AS w;

-- The planner hashes many groups, as the declared state is small: pages that are written make a large one expensive.
-- The hash table spills to disk if memory is short.
CREATE TABLE many AS SELECT i, md5(i::text)::uuid AS id, i % 12500 AS "group" FROM generate_series(1, 50000) AS i;
ANALYZE many;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '16MB';
SET random_page_cost = 50;
EXPLAIN (COSTS off) SELECT "group", min(id), max(id) FROM many GROUP BY "group";
RESET random_page_cost;
SET work_mem = '64kB';
SET enable_sort = off;
CREATE FUNCTION pg_temp.is_spilled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
    RETURN plan #>> '{0,Plan,Node Type}' = 'Aggregate' AND (plan #>> '{0,Plan,HashAgg Batches}')::int > 1;
END $$;
SELECT pg_temp.is_spilled('SELECT "group", min(id), max(id) FROM many GROUP BY "group"') AS spilled,
       pg_temp.differs('SELECT "group", min(id), max(id) FROM many GROUP BY "group"') AS differs;
RESET work_mem;
RESET enable_sort;
RESET max_parallel_workers_per_gather;
DROP TABLE many;

-- The planner reads min and max from the ends of an index.
CREATE INDEX ON item (id);
CREATE FUNCTION pg_temp.scans_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    -- Releases of PostgreSQL name the initial plans differently, so only the scans are shown.
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        CONTINUE WHEN line !~ 'Scan|Aggregate|Gather|Workers' OR line ~ 'Replaces';
        RETURN NEXT regexp_replace(line, '^[ >-]+| using .*| on .*', '', 'g');
    END LOOP;
END $$;
SET enable_seqscan = off;
SELECT pg_temp.scans_of('SELECT min(id), max(id) FROM item');
RESET enable_seqscan;
DROP INDEX item_id_idx;

-- Parallel workers aggregate their rows; the leader combines the results.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE item SET (parallel_workers = 2);
ANALYZE item;
SELECT pg_temp.scans_of('SELECT min(id), max(id) FROM item');
SELECT min(id), max(id) FROM item;
-- Also for groups, one of which has only NULLs.
SET enable_hashagg = off;
SELECT pg_temp.scans_of('SELECT "group", min(id), max(id) FROM item GROUP BY "group"');
CREATE TABLE found AS SELECT "group", min(id), max(id) FROM item GROUP BY "group";
SELECT count(*) AS groups,
       count(*) FILTER (WHERE f.min::text IS DISTINCT FROM t.min OR f.max::text IS DISTINCT FROM t.max) AS differs
FROM found AS f FULL JOIN (SELECT "group", min(id::text COLLATE "C"), max(id::text COLLATE "C")
                           FROM item GROUP BY "group") AS t USING ("group");
SELECT min(id), max(id) FROM item WHERE "group" = 4;
SELECT min(id), max(id) FROM item WHERE "group" = 9;
RESET enable_hashagg;
DROP TABLE found;

-- Calls with an untyped literal or another type resolve as without the extension.
SELECT pg_typeof(min('x')) AS literal, pg_typeof(max(n)) AS number FROM generate_series(1, 2) AS n;
DROP TABLE item;
