-- uuid <@ tstzrange: for version 7, the same as uuid_extract_time(id) <@ tstzrange.
SET timezone = 'UTC';

-- Ranges about the time of the key, within a millisecond and longer, and without an end.
CREATE TEMP TABLE sets AS
SELECT id, tstzrange(CASE WHEN i % 7 > 0 THEN t END, CASE WHEN i % 5 > 0 THEN t + random() * interval '2.5 ms' END,
                     (ARRAY['[)', '(]', '[]', '()'])[1 + i % 4]) AS r
FROM (SELECT i, id, uuid_extract_time(id) + (random() - 0.5) * interval '5 ms' AS t
      FROM generate_series(1, 10000) AS i,
           LATERAL uuid_v7_at('2026-01-01'::timestamptz + i * interval '10 seconds 1 ms') AS id) AS times;
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE (id <@ r) IS DISTINCT FROM (uuid_extract_time(id) <@ r)) AS contained,
       count(*) FILTER (WHERE (r @> id) IS DISTINCT FROM (r @> uuid_extract_time(id))) AS contains,
       count(*) FILTER (WHERE uuid_extract_time(id) <@ r
                              AND NOT id BETWEEN uuid_v7_lower(r) AND uuid_v7_upper(r)) AS out_of_bounds
FROM sets;
SELECT count(*) FILTER (WHERE id <@ r) > 1000 AS inside, count(*) FILTER (WHERE NOT id <@ r) > 1000 AS outside
FROM sets;
DO $$
DECLARE
    id uuid := uuid_v7_at('2026-01-01');
    time_range tstzrange;
    wrong int := 0;
BEGIN
    FOR day IN 1..31 LOOP
        time_range := tstzrange(make_timestamptz(2026, 1, day, 0, 0, 0), NULL);
        IF id <@ time_range <> (day = 1) THEN
            wrong := wrong + 1;
        END IF;
    END LOOP;
    RAISE NOTICE '% wrong', wrong;
END $$;

-- NULL on either side, as with AND; the function of the operator, and a domain over tstzrange.
SELECT NULL::uuid <@ tstzrange('2022-02-22', NULL) AS null_id, uuid_v7() <@ NULL::tstzrange AS null_range,
       max_uuid() <@ NULL::tstzrange AS not_version_7, NULL::uuid <@ NULL::tstzrange AS both;
CREATE DOMAIN opening AS tstzrange CHECK (NOT isempty(VALUE));
SELECT id <@ '[2022-02-22,2022-02-23)'::opening AS domain, '[2022-02-22,2022-02-23)'::opening @> id AS contains,
       uuid_contained_by_time_range(id, '[2022-02-22,2022-02-23)') AS function
FROM (VALUES ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid)) AS vector (id);
DROP DOMAIN opening;

-- An untyped literal beside a range is a range, as without the extension; so it is beside a uuid.
SELECT during @> '[2022-02-22 12:00,2022-02-22 13:00)' AS contains,
       '[2022-02-22 12:00,2022-02-22 13:00)' <@ during AS contained
FROM (VALUES (tstzrange('2022-02-22', '2022-02-23'))) AS time_range (during);
SELECT max_uuid() <@ '[2022-02-22,2022-02-23)' AS other, uuid_v7() <@ '(,infinity)' AS inside;
