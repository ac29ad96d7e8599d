-- The lowest and highest UUIDs of version 7 and 6 for a time.
SET timezone = 'UTC';

SELECT t, uuid_v7_min(t), uuid_v7_max(t)
FROM unnest(ARRAY['-infinity', '4714-11-24 BC', '1969-12-31 23:59:59.999999', '1970-01-01',
                  '1970-01-01 00:00:00.000001', '2022-02-22 19:22:22', '2022-02-22 19:22:22.000999',
                  '2022-02-22 19:22:22.001', '10889-08-02 05:31:50.655', '10889-08-02 05:31:50.655001',
                  '10889-08-02 05:31:50.655999', '10889-08-02 05:31:50.656',
                  '294276-12-31 23:59:59.999999', 'infinity']::timestamptz[]) AS t;
SELECT t, uuid_v6_min(t), uuid_v6_max(t)
FROM unnest(ARRAY['-infinity', '4714-11-24 BC', '1582-10-14 23:59:59.999999', '1582-10-15',
                  '1969-12-31 23:59:59.999999', '1970-01-01', '2022-02-22 19:22:22',
                  '5236-03-31 21:21:00.684697', '5236-03-31 21:21:00.684698',
                  '294276-12-31 23:59:59.999999', 'infinity']::timestamptz[]) AS t;

-- Invariant: a UUID is at or above the minimum for a time if and only if its own time is at or after that time.
-- Likewise for the maximum. The UUIDs have random bits and random or extreme times. The times compared have
-- microseconds; they are random, near that of the UUID, or extreme.
CREATE TEMP TABLE pairs AS
SELECT version, id,
       CASE i % 4 WHEN 0 THEN uuid_extract_time(id) + make_interval(secs => (random() * 6000 - 3000)::int / 1e6)
                  WHEN 1 THEN uuid_extract_time(id) + make_interval(secs => ((random() * 2)::int - 1) / 1e3)
                  WHEN 2 THEN '4000-01-01 BC'::timestamptz + random() * ('20000-01-01'::timestamptz - '4000-01-01 BC')
                  ELSE ('[0:5]={-infinity,infinity,1970-01-01,1582-10-15,'
                        '10889-08-02 05:31:50.655,5236-03-31 21:21:00.684697}'::timestamptz[])[i / 4 % 6]
       END AS t
FROM (SELECT version, i,
             encode(substr(CASE WHEN i % 7 > 0 THEN uuid_send(gen_random_uuid())
                                ELSE decode(repeat(CASE WHEN i % 2 = 0 THEN '00' ELSE 'ff' END, 6), 'hex') END, 1, 6)
                    || set_byte(set_byte(r, 0, version * 16 + get_byte(r, 0) % 16), 2, 128 + get_byte(r, 2) % 64),
                    'hex')::uuid AS id
      FROM (SELECT version, i, substr(uuid_send(gen_random_uuid()), 1, 10) AS r
            FROM unnest(ARRAY[6, 7]) AS version, generate_series(1, 100000) AS i) AS random) AS ids;
SELECT version, count(*) AS pairs,
       count(*) FILTER (WHERE (id >= CASE version WHEN 7 THEN uuid_v7_min(t) ELSE uuid_v6_min(t) END)
                              IS DISTINCT FROM (uuid_extract_time(id) >= t)) AS min_wrong,
       count(*) FILTER (WHERE (id <= CASE version WHEN 7 THEN uuid_v7_max(t) ELSE uuid_v6_max(t) END)
                              IS DISTINCT FROM (uuid_extract_time(id) <= t)) AS max_wrong,
       count(*) FILTER (WHERE uuid_extract_time(id) >= t) BETWEEN 20000 AND 80000 AS both_sides
FROM pairs GROUP BY version ORDER BY version;

-- The planner folds them into constants, so it uses the index of a key and prunes partitions.
SET enable_bitmapscan = off;
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
EXPLAIN (COSTS off) SELECT * FROM event
WHERE id >= uuid_v7_min('2026-01-01 00:00') AND id < uuid_v7_min('2026-01-02 00:00');
SET plan_cache_mode = force_generic_plan;
PREPARE day(timestamptz) AS SELECT * FROM event WHERE id >= uuid_v7_min($1) AND id < uuid_v7_min($1 + interval '1 day');
EXPLAIN (COSTS off) EXECUTE day('2026-01-01 00:00');
RESET plan_cache_mode;
DROP TABLE event;

CREATE TABLE log (id uuid NOT NULL DEFAULT uuid_v7(), n int) PARTITION BY RANGE (id);
CREATE TABLE log_2026_01 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-01-01')) TO (uuid_v7_min('2026-02-01'));
CREATE TABLE log_2026_02 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-02-01')) TO (uuid_v7_min('2026-03-01'));
INSERT INTO log (id, n) SELECT uuid_v7_at('2026-01-01'::timestamptz + make_interval(days => n)), n
FROM generate_series(0, 58) AS n;
SELECT tableoid::regclass, count(*), min(uuid_extract_time(id)), max(uuid_extract_time(id))
FROM log GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS off) SELECT * FROM log WHERE id >= uuid_v7_min('2026-02-10');
DROP TABLE log;
