-- The functions in the contexts in which they are commonly used.
SET timezone = 'UTC';

-- In a default, a CHECK constraint, a generated column and an expression index.
CREATE TABLE customer (
    id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_extract_version(id) = 7),
    name text NOT NULL,
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED
);
CREATE INDEX customer_time ON customer (uuid_extract_time(id));
INSERT INTO customer (name) SELECT 'c' || i FROM generate_series(1, 1000) AS i;
SELECT count(*), count(DISTINCT id), bool_and(created_at = uuid_extract_time(id)) FROM customer;
SELECT count(*) AS not_increasing
FROM (SELECT id, lag(id) OVER (ORDER BY substr(name, 2)::int) AS last FROM customer) AS pairs WHERE id <= last;
\set VERBOSITY terse
INSERT INTO customer (id, name) VALUES (uuid_v4(), 'wrong version');
\set VERBOSITY default
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT * FROM customer WHERE uuid_extract_time(id) < '2020-01-01';
RESET enable_seqscan;

-- COPY and several rows in one INSERT.
COPY customer (name) FROM stdin;
copied 1
copied 2
copied 3
\.
INSERT INTO customer (name) VALUES ('v 1'), ('v 2'), ('v 3');
SELECT string_agg(name, ', ' ORDER BY id) FROM customer WHERE name ~ '^(copied|v) ';

-- RETURNING and prepared statements.
INSERT INTO customer (name) VALUES ('returned') RETURNING uuid_extract_version(id), created_at > '2020-01-01';
PREPARE add(text) AS INSERT INTO customer (name) VALUES ($1) RETURNING name;
SET plan_cache_mode = force_generic_plan;
EXECUTE add('generic 1');
EXECUTE add('generic 2');
SELECT count(DISTINCT id) FROM customer WHERE name LIKE 'generic%';
RESET plan_cache_mode;

-- Each call returns a new value, also within one row.
SELECT count(DISTINCT id)
FROM (SELECT unnest(ARRAY[uuid_v7(), uuid_v7(), uuid_v4(), uuid_v4(), uuid_v1(), uuid_v1(), uuid_v6(),
                          uuid_v6()]) AS id FROM generate_series(1, 1000)) AS made;

-- Values are strictly increasing across PL/pgSQL loops, subtransactions and cursors.
CREATE TEMP TABLE made (n serial, id uuid);
DO $$
BEGIN
    FOR i IN 1..100 LOOP
        INSERT INTO made (id) VALUES (uuid_v7());
        BEGIN
            INSERT INTO made (id) VALUES (uuid_v7());
            IF i % 2 = 0 THEN
                RAISE division_by_zero;
            END IF;
        EXCEPTION WHEN division_by_zero THEN
            NULL;
        END;
    END LOOP;
END $$;
BEGIN;
DECLARE ids CURSOR FOR SELECT uuid_v7() FROM generate_series(1, 3);
FETCH 1 FROM ids \gset fetched_
INSERT INTO made (id) VALUES (:'fetched_uuid_v7'), (uuid_v7());
FETCH 1 FROM ids \gset fetched_
INSERT INTO made (id) VALUES (:'fetched_uuid_v7'), (uuid_v7());
COMMIT;
SELECT count(*) AS values, count(*) FILTER (WHERE id <= last) AS not_increasing
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS last FROM made) AS pairs;

-- With JIT compilation, if it is installed.
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
SELECT count(DISTINCT id) AS v7,
       bool_and(uuid_extract_time(id) BETWEEN t - interval '1 hour' AND t + interval '1 hour') AS time,
       bool_and(id BETWEEN uuid_v7_min(t - interval '1 hour') AND uuid_v7_max(t + interval '1 hour')) AS bounds
FROM (SELECT uuid_v7() AS id, clock_timestamp() AS t FROM generate_series(1, 1000) OFFSET 0) AS made;
RESET jit;

-- Every function may run in parallel workers, and values of different workers differ.
CREATE TABLE many AS SELECT i FROM generate_series(1, 20000) AS i;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS off) SELECT uuid_v7() FROM many OFFSET 0;
SELECT count(DISTINCT v7) AS v7, count(DISTINCT v4) AS v4, count(DISTINCT v1) AS v1,
       count(DISTINCT v6) AS v6, count(DISTINCT v5) AS v5
FROM (SELECT uuid_v7() AS v7, uuid_v4() AS v4, uuid_v1() AS v1, uuid_v6() AS v6, uuid_v5(nil_uuid(), i::text) AS v5
      FROM many OFFSET 0) AS made;

DROP TABLE customer, many;
