-- uuid <@ tstzrange: for version 7, the same as uuid_extract_time(id) <@ tstzrange.
SET timezone = 'UTC';

-- Multiranges, also empty ones, with several ranges in one millisecond, and with ranges beyond infinity.
CREATE TEMP TABLE sets AS
SELECT id, (CASE i % 4 WHEN 0 THEN '{(,-infinity)}' WHEN 1 THEN '{(infinity,)}'
                       WHEN 2 THEN '{(,-infinity), (infinity,)}' ELSE '{}' END)::tstzmultirange
           + (SELECT coalesce(range_agg(tstzrange(t, t + make_interval(secs => (random() * 2500)::int / 1e6),
                                                  (ARRAY['[)', '(]', '[]', '()'])[1 + (random() * 3)::int])), '{}')
              FROM generate_series(1, i % 6) AS n,
                   LATERAL (SELECT uuid_extract_time(id)
                                   + make_interval(secs => (random() * 20000 - 10000)::int / 1e6 + 0 * n) AS t) AS start
             ) AS rs
FROM (SELECT i, uuid_v7_at('2026-01-01'::timestamptz + i * interval '10 seconds 1 ms') AS id
      FROM generate_series(1, 10000) AS i) AS ids;
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE (id <@ rs) IS DISTINCT FROM (uuid_extract_time(id) <@ rs)) AS contained,
       count(*) FILTER (WHERE (rs @> id) IS DISTINCT FROM (rs @> uuid_extract_time(id))) AS contains,
       count(*) FILTER (WHERE uuid_recheck_time_ranges(id, rs)
                              IS DISTINCT FROM (uuid_extract_time(id) <@ rs)) AS recheck,
       count(*) FILTER (WHERE uuid_extract_time(id) <@ rs
                              AND NOT id BETWEEN uuid_v7_lower(rs) AND uuid_v7_upper(rs)) AS out_of_bounds
FROM sets;
SELECT count(*) FILTER (WHERE id <@ rs) > 1000 AS inside, count(*) FILTER (WHERE NOT id <@ rs) > 1000 AS outside,
       count(*) FILTER (WHERE rs = '{}') > 100 AS none,
       count(*) FILTER (WHERE id <@ rs AND rs @> '(,-infinity)'::tstzrange) > 100 AS beside_infinity
FROM sets;

-- A constant range is decoded once; the value of a variable is decoded for each evaluation.
SELECT count(*) FILTER (WHERE id <@ '[2026-01-01 12:00,2026-01-01 13:00)'::tstzrange) AS "constant",
       count(*) FILTER (WHERE '{[2026-01-01 12:00,2026-01-01 13:00), '
                              '[2026-01-01 14:00,2026-01-01 15:00]}'::tstzmultirange @> id) AS constants,
       count(*) FILTER (WHERE uuid_extract_time(id) <@ '[2026-01-01 12:00,2026-01-01 13:00)'::tstzrange) AS by_time,
       count(*) FILTER (WHERE uuid_extract_time(id)
                              <@ '{[2026-01-01 12:00,2026-01-01 13:00), '
                                 '[2026-01-01 14:00,2026-01-01 15:00]}'::tstzmultirange) AS by_times
FROM sets;
DO $$
DECLARE
    id uuid := uuid_v7_at('2026-01-01');
    time_range tstzrange;
    time_ranges tstzmultirange;
    wrong int := 0;
BEGIN
    FOR day IN 1..31 LOOP
        time_range := tstzrange(make_timestamptz(2026, 1, day, 0, 0, 0), NULL);
        time_ranges := tstzmultirange(time_range);
        IF id <@ time_range <> (day = 1) OR time_ranges @> id <> (day = 1) THEN
            wrong := wrong + 1;
        END IF;
    END LOOP;
    RAISE NOTICE '% wrong', wrong;
END $$;

-- NULL on either side, as with AND; the function of the operator, and a domain over tstzrange.
SELECT NULL::uuid <@ tstzrange('2022-02-22', NULL) AS null_id, uuid_v7() <@ NULL::tstzrange AS null_range,
       uuid_v7() <@ NULL::tstzmultirange AS null_ranges,
       max_uuid() <@ NULL::tstzrange AS not_version_7, NULL::uuid <@ NULL::tstzrange AS both;
CREATE DOMAIN opening AS tstzrange CHECK (NOT isempty(VALUE));
SELECT id <@ '[2022-02-22,2022-02-23)'::opening AS domain, '[2022-02-22,2022-02-23)'::opening @> id AS contains,
       uuid_contained_by_time_range(id, '[2022-02-22,2022-02-23)') AS function
FROM (VALUES ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid)) AS vector (id);
DROP DOMAIN opening;

-- An untyped literal beside a range is a range, as without the extension; beside a uuid, it needs a type.
SELECT during @> '[2022-02-22 12:00,2022-02-22 13:00)' AS contains,
       '[2022-02-22 12:00,2022-02-22 13:00)' <@ during AS contained
FROM (VALUES (tstzrange('2022-02-22', '2022-02-23'))) AS time_range (during);
\set VERBOSITY terse
SELECT max_uuid() <@ '[2022-02-22,2022-02-23)';
\set VERBOSITY default
