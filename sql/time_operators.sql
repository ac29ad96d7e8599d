-- Comparison of a UUID with a time: for version 7, id op t is the same as uuid_extract_time(id) op t.
SET timezone = 'UTC';

-- Version 7 UUIDs with random and extreme times and bits. The times compared have microseconds; they are near those of
-- the UUIDs, far from them, or at an end of the range of uuid or timestamptz.
CREATE TEMP TABLE pairs AS
SELECT id,
       CASE i % 5
           WHEN 0 THEN uuid_extract_time(id) + make_interval(secs => (random() * 6000 - 3000)::int / 1e6)
           WHEN 1 THEN uuid_extract_time(id) + make_interval(secs => ((random() * 2)::int - 1) / 1e3)
           WHEN 2 THEN uuid_extract_time(id) + make_interval(secs => ((random() * 2)::int - 1) / 1e6)
           WHEN 3 THEN '4000-01-01 BC'::timestamptz + random() * ('20000-01-01'::timestamptz - '4000-01-01 BC')
           ELSE ('[0:6]={-infinity,infinity,4714-11-24 BC,294276-12-31,1970-01-01,'
                 '10889-08-02 05:31:50.655,10889-08-02 05:31:50.655999}'::timestamptz[])[i / 5 % 7]
       END AS t
FROM (SELECT i, (lpad(to_hex(ms), 12, '0') || '7' || substr(bits, 1, 3)
                 || substr('89ab', 1 + i % 4, 1) || substr(bits, 4, 15))::uuid AS id
      FROM (SELECT i,
                   CASE i % 7 WHEN 0 THEN 0 WHEN 1 THEN (1::bigint << 48) - 1
                        ELSE (random() * ((1::bigint << 48) - 1))::bigint END AS ms,
                   CASE i % 3 WHEN 0 THEN repeat('0', 18) WHEN 1 THEN repeat('f', 18)
                        ELSE md5(random()::text) END AS bits
            FROM generate_series(1, 50000) AS i) AS parts) AS ids;
SELECT count(*) AS pairs, bool_and(uuid_extract_version(id) = 7) AS version_7,
       count(*) FILTER (WHERE (id < t) IS DISTINCT FROM (uuid_extract_time(id) < t)) AS lt,
       count(*) FILTER (WHERE (id <= t) IS DISTINCT FROM (uuid_extract_time(id) <= t)) AS le,
       count(*) FILTER (WHERE (id >= t) IS DISTINCT FROM (uuid_extract_time(id) >= t)) AS ge,
       count(*) FILTER (WHERE (id > t) IS DISTINCT FROM (uuid_extract_time(id) > t)) AS gt,
       count(*) FILTER (WHERE (t < id) IS DISTINCT FROM (t < uuid_extract_time(id))) AS lt_back,
       count(*) FILTER (WHERE (t <= id) IS DISTINCT FROM (t <= uuid_extract_time(id))) AS le_back,
       count(*) FILTER (WHERE (t >= id) IS DISTINCT FROM (t >= uuid_extract_time(id))) AS ge_back,
       count(*) FILTER (WHERE (t > id) IS DISTINCT FROM (t > uuid_extract_time(id))) AS gt_back
FROM pairs;
-- Among the pairs are earlier, later and equal times.
SELECT count(*) FILTER (WHERE id < t) > 5000 AS less, count(*) FILTER (WHERE id > t) > 5000 AS greater,
       count(*) FILTER (WHERE id <= t AND id >= t) > 2500 AS same
FROM pairs;

-- The last and first UUIDs of adjacent milliseconds.
SELECT t, id, id < t AS lt, id <= t AS le, id >= t AS ge, id > t AS gt
FROM unnest(ARRAY['2022-02-22 19:22:22', '2022-02-22 19:22:22.000001',
                  '2022-02-22 19:22:22.000999']::timestamptz[]) AS t,
     unnest(ARRAY['017f22e2-79af-7fff-bfff-ffffffffffff', '017f22e2-79b0-7000-8000-000000000000',
                  '017f22e2-79b0-7fff-bfff-ffffffffffff', '017f22e2-79b1-7000-8000-000000000000']::uuid[]) AS id;

-- For all other UUIDs, the result is false.
SELECT id, id < t AS lt, id <= t AS le, id >= t AS ge, id > t AS gt
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
