-- Comparison of a UUID with a time: for version 7, id op t is the same as uuid_extract_time(id) op t. The file
-- time_contexts has more times and UUIDs.
SET timezone = 'UTC';

-- The last and first UUIDs of adjacent milliseconds.
SELECT t, id, id < t AS lt, id <= t AS le, id >= t AS ge, id > t AS gt,
       t > id AS gt_back, t >= id AS ge_back, t <= id AS le_back, t < id AS lt_back
FROM unnest(ARRAY['2022-02-22 19:22:22', '2022-02-22 19:22:22.000001',
                  '2022-02-22 19:22:22.000999']::timestamptz[]) AS t,
     unnest(ARRAY['017f22e2-79af-7fff-bfff-ffffffffffff', '017f22e2-79b0-7000-8000-000000000000',
                  '017f22e2-79b0-7fff-bfff-ffffffffffff', '017f22e2-79b1-7000-8000-000000000000']::uuid[]) AS id;

-- For all other UUIDs, the result is false.
SELECT id, id < t AS lt, id <= t AS le, id >= t AS ge, id > t AS gt,
       t > id AS gt_back, t >= id AS ge_back, t <= id AS le_back, t < id AS lt_back
FROM (VALUES (nil_uuid()), (max_uuid()), ('017f22e2-79b0-4000-8000-000000000000'),
             ('017f22e2-79b0-7000-c000-000000000000'),
             ('017f22e2-79b0-8000-8000-000000000000'), ('c232ab00-9414-11ec-b3c8-9f6bdeced846')) AS other (id),
     (VALUES ('2022-02-22 19:22:22'::timestamptz)) AS time (t);

-- NULL on either side, times of other types, BETWEEN.
SELECT id > NULL::timestamptz AS null_time, NULL::uuid > now() AS null_id,
       id < timestamp '2022-02-22 19:22:23' AS "timestamp", id < date '2022-02-23' AS date,
       id BETWEEN timestamptz '2022-02-22' AND timestamptz '2022-02-23' AS "between",
       id NOT BETWEEN timestamptz '2022-02-22' AND timestamptz '2022-02-23' AS not_between
FROM (VALUES ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid)) AS vector (id);
-- An untyped literal compared with a uuid is a uuid.
\set VERBOSITY terse
SELECT uuid_v7() > '2026-01-01';
\set VERBOSITY default
