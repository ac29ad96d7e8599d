-- Fields extracted from a UUID.
SET timezone = 'UTC';

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

-- The microseconds of TimescaleDB's to_uuidv7('2025-10-31 19:34:54.176665+00').
SELECT uuid_extract_time_precise('019a3bc4-07e0-7aa3-9549-4c0c3dd27c2c');

-- The results do not depend on TimeZone and DateStyle.
CREATE TEMP TABLE here AS
    SELECT id, uuid_extract_time(id) AS t FROM (VALUES (uuid_v1()), (uuid_v6()), (uuid_v7())) AS v(id);
SET timezone = 'Asia/Kathmandu';
SET datestyle = 'SQL, DMY';
SELECT count(*) FILTER (WHERE uuid_extract_time(id) IS DISTINCT FROM t) AS changed FROM here;
