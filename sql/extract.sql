-- Fields extracted from each version and variant.
SET timezone = 'UTC';

-- Returns a random UUID with the given version and the given highest three bits of octet 8.
CREATE FUNCTION pg_temp.any_uuid(version int, variant int) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_byte(set_byte(r, 6, version * 16 + get_byte(r, 6) % 16),
                           8, variant * 32 + get_byte(r, 8) % 32), 'hex')::uuid
    FROM (SELECT uuid_send(gen_random_uuid()) AS r) AS random
$$;

CREATE TEMP TABLE sample AS
SELECT version, variant, pg_temp.any_uuid(version, variant) AS id
FROM generate_series(0, 15) AS version, generate_series(0, 7) AS variant, generate_series(1, 20);

SELECT variant, count(*) AS "all", count(uuid_extract_version(id)) AS version,
       count(uuid_extract_time(id)) AS time, count(uuid_extract_time_precise(id)) AS precise,
       count(uuid_extract_clock_seq(id)) AS clock_seq, count(uuid_extract_node(id)) AS node,
       string_agg(DISTINCT uuid_extract_variant(id), ' ') AS name
FROM sample GROUP BY variant ORDER BY variant;
SELECT version, count(uuid_extract_time(id)) AS time, count(uuid_extract_time_precise(id)) AS precise,
       count(uuid_extract_clock_seq(id)) AS clock_seq, count(uuid_extract_node(id)) AS node,
       bool_and(uuid_extract_version(id) = version) AS version_ok
FROM sample WHERE variant IN (4, 5) GROUP BY version ORDER BY version;

-- Nil and max have neither version nor time.
SELECT uuid_extract_variant(id), uuid_extract_version(id), uuid_extract_time(id),
       uuid_extract_time_precise(id), uuid_extract_clock_seq(id), uuid_extract_node(id)
FROM (VALUES (nil_uuid()), (max_uuid())) AS v(id);

-- Times at both ends of each version's range and around 1970 are rounded down.
SELECT id, uuid_extract_time(id), uuid_extract_time_precise(id)
FROM (VALUES ('00000000-0000-1000-8000-000000000000'::uuid), ('ffffffff-ffff-1fff-bfff-ffffffffffff'),
             ('00000000-0000-6000-8000-000000000000'), ('ffffffff-ffff-6fff-bfff-ffffffffffff'),
             ('13813fff-1dd2-11b2-8000-000000000000'), ('13814000-1dd2-11b2-8000-000000000000'),
             ('13814009-1dd2-11b2-8000-000000000000'), ('1381400a-1dd2-11b2-8000-000000000000'),
             ('00000000-0000-7000-8000-000000000000'), ('00000000-0000-7fff-bfff-ffffffffffff'),
             ('ffffffff-ffff-7fff-bfff-ffffffffffff')) AS v(id);

-- The precise time of v7 includes its fraction: the microsecond that begins in the step of 1/4096 ms, or the one around
-- it, which never reaches the next millisecond.
SELECT count(*) FILTER (WHERE uuid_extract_time_precise(id) - uuid_extract_time(id)
                              <> make_interval(secs => (rand_a * 1000 + 999) / 4096 / 1e6)) AS wrong,
       max(uuid_extract_time_precise(id) - uuid_extract_time(id)) AS most
FROM (SELECT rand_a, ('017f22e2-79b0-7' || lpad(to_hex(rand_a), 3, '0') || '-98c4-dc0c0c07398f')::uuid AS id
      FROM generate_series(0, 4095) AS rand_a) AS v;

-- The results do not depend on TimeZone and DateStyle.
CREATE TEMP TABLE here AS SELECT id, uuid_extract_time(id) AS t FROM sample;
SET timezone = 'Asia/Kathmandu';
SET datestyle = 'SQL, DMY';
SELECT count(*) FILTER (WHERE uuid_extract_time(id) IS DISTINCT FROM t) AS changed FROM here;
