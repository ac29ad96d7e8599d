-- UUIDs for a given time.
SET timezone = 'UTC';

-- Both ends of each range.
SELECT uuid_extract_time(uuid_v1_at('1582-10-15 00:00:00')) AS v1_first,
       uuid_extract_time(uuid_v1_at('5236-03-31 21:21:00.684697')) AS v1_last;
SELECT uuid_extract_time(uuid_v6_at('1582-10-15 00:00:00')) AS v6_first,
       uuid_extract_time(uuid_v6_at('5236-03-31 21:21:00.684697')) AS v6_last;
SELECT uuid_extract_time(uuid_v7_at('1970-01-01 00:00:00')) AS v7_first,
       uuid_extract_time(uuid_v7_at('10889-08-02 05:31:50.655')) AS v7_last,
       uuid_extract_time_precise(uuid_v7_at('10889-08-02 05:31:50.655001')) AS v7_after,
       uuid_extract_time_precise(uuid_v7_at('10889-08-02 05:31:50.655999')) AS v7_very_last;

-- One microsecond further is an error that states the range.
SELECT uuid_v1_at('1582-10-14 23:59:59.999999');
SELECT uuid_v1_at('5236-03-31 21:21:00.684698');
SELECT uuid_v6_at('1582-10-14 23:59:59.999999');
SELECT uuid_v6_at('5236-03-31 21:21:00.684698');
SELECT uuid_v7_at('1969-12-31 23:59:59.999999');
SELECT uuid_v7_at('10889-08-02 05:31:50.656');

\set VERBOSITY sqlstate
SELECT uuid_v7_at('infinity');
\set VERBOSITY default

-- UUIDs of one time sort by the ordinal.
SELECT ordinal, substr(id::text, 20, 9) AS bits_of_ordinal, uuid_extract_version(id)
FROM (SELECT ordinal, uuid_v7_at('2022-02-22 19:22:22', ordinal) AS id
      FROM unnest(ARRAY[0, 1, 2, 2147483647]) AS ordinal) AS made;
SELECT uuid_v7_at('2022-02-22 19:22:22', -1);
SELECT uuid_v7_at('2022-02-22 19:22:22', 2147483648);
SELECT uuid_v7_at('2022-02-22 19:22:22', 9223372036854775807);
SELECT uuid_v7_at('1969-12-31 23:59:59.999999', 1);
\set VERBOSITY sqlstate
SELECT uuid_v7_at('2022-02-22 19:22:22', -1);
SELECT uuid_v7_at('infinity', 1);
SELECT uuid_v7_at('infinity', nil_uuid(), 'a');
\set VERBOSITY default

-- The UUID is determined by time and name. All bits except time and version are those of uuid_v8_hash('sha256').
SELECT uuid_v7_at('2022-02-22 19:22:22', uuid_namespace('dns'), 'www.example.com') AS id,
       uuid_v8_hash('sha256', uuid_namespace('dns'), 'www.example.com') AS v8;
SELECT count(*) AS ids, count(DISTINCT id), count(*) FILTER (WHERE uuid_extract_time_precise(id) <> t) AS time_lost,
       count(*) FILTER (WHERE substr(uuid_send(id), 9)
                              <> set_byte(digest, 0, get_byte(digest, 0) & 63 | 128)) AS other_than_digest,
       count(*) FILTER (WHERE left(id::text, 18) <> left(uuid_v7_at(t)::text, 18)) AS other_fields
FROM (SELECT t, uuid_v7_at(t, ns, n::text) AS id,
             substr(sha256(uuid_send(ns) || convert_to(n::text, 'UTF8')), 9, 8) AS digest
      FROM (SELECT '2022-02-22 19:22:22'::timestamptz + n % 7 * interval '1 us', uuid_namespace('dns'), n
            FROM generate_series(1, 20000) AS n) AS rows (t, ns, n) OFFSET 0) AS made;
SELECT uuid_v7_at(NULL, 1) IS NULL AND uuid_v7_at(now(), NULL::bigint) IS NULL AND uuid_v7_at(now(), NULL, 'a') IS NULL
   AND uuid_v7_at(now(), nil_uuid(), NULL) IS NULL AS nulls;
