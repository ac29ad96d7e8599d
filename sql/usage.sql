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
\set VERBOSITY terse
INSERT INTO customer (id, name) VALUES (uuid_v4(), 'wrong version');
\set VERBOSITY default
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT * FROM customer WHERE uuid_extract_time(id) < '2020-01-01';
RESET enable_seqscan;

-- Each call returns a new value, also within one row.
SELECT count(DISTINCT id)
FROM (SELECT unnest(ARRAY[uuid_v7(), uuid_v7(), uuid_v4(), uuid_v4(), uuid_v1(), uuid_v1(), uuid_v6(),
                          uuid_v6()]) AS id FROM generate_series(1, 1000)) AS made;

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

DROP TABLE customer;
