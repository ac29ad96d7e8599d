-- min and max of a uuid column.
CREATE TABLE item (id uuid, "group" int);
SELECT min(id), max(id) FROM item;
INSERT INTO item SELECT gen_random_uuid(), i % 3 FROM generate_series(1, 1000) AS i;
INSERT INTO item VALUES (NULL, 1), (NULL, 4);

-- The ends of the order, NULL left out; NULL where there is nothing else.
SELECT min(id) = (SELECT id FROM item WHERE id IS NOT NULL ORDER BY id LIMIT 1) AS min_ok,
       max(id) = (SELECT id FROM item WHERE id IS NOT NULL ORDER BY id DESC LIMIT 1) AS max_ok
FROM item;
SELECT "group", min(id) IS NULL AS none, bool_and(id >= (SELECT min(id) FROM item)) AS least FROM item GROUP BY "group" ORDER BY "group";
SELECT count(*) AS differs
FROM (SELECT "group", min(id) AS low, max(id) AS high FROM item GROUP BY "group") AS a
JOIN (SELECT "group", min(id::text) AS low, max(id::text) AS high FROM item GROUP BY "group") AS b USING ("group")
WHERE a.low::text <> b.low OR a.high::text <> b.high;
INSERT INTO item VALUES (nil_uuid(), 0), (max_uuid(), 0);
SELECT min(id), max(id) FROM item;
SELECT min(id) OVER (ORDER BY id), max(id) OVER (ORDER BY id) FROM (VALUES (nil_uuid()), (max_uuid())) AS v(id);

-- An index answers them.
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

-- So do parallel workers, each for its part.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE item SET (parallel_workers = 2);
ANALYZE item;
SELECT pg_temp.scans_of('SELECT min(id), max(id) FROM item');
SELECT min(id), max(id) FROM item;

-- An untyped literal and the other types' aggregates resolve as they do without the extension.
SELECT pg_typeof(min('x')) AS literal, pg_typeof(max(n)) AS number FROM generate_series(1, 2) AS n;
DROP TABLE item;
