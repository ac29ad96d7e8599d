-- The functions in the contexts in which they are commonly used.
SET timezone = 'UTC';

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
