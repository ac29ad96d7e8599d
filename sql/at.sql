-- UUIDs for a given time. The time extracted is the time given, for random times over the whole range.
SET timezone = 'UTC';

SELECT count(*) FILTER (WHERE uuid_extract_time(uuid_v1_at(t)) <> t) AS v1,
       count(*) FILTER (WHERE uuid_extract_time(uuid_v6_at(t)) <> t) AS v6,
       count(*) FILTER (WHERE uuid_extract_time_precise(uuid_v6_at(t)) <> t) AS v6_precise
FROM (SELECT '1582-10-15'::timestamptz + random() * ('5236-03-31'::timestamptz - '1582-10-15') AS t
      FROM generate_series(1, 10000)) AS times;

-- Also in v7. Its fraction is rounded down to 1/4096 ms.
SELECT count(*) FILTER (WHERE uuid_extract_time(id) <> date_trunc('milliseconds', t)) AS v7,
       count(*) FILTER (WHERE uuid_extract_time_precise(id) <> t) AS v7_precise
FROM (SELECT t, uuid_v7_at(t) AS id
      FROM (SELECT '1970-01-01'::timestamptz + random() * ('10889-08-02'::timestamptz - '1970-01-01') AS t
            FROM generate_series(1, 10000)) AS times) AS made;
SELECT count(*) FILTER (WHERE uuid_extract_time_precise(id) <> t) AS wrong,
       count(*) FILTER (WHERE rand_a <= last) AS out_of_order,
       count(*) FILTER (WHERE rand_a <> us * 4096 / 1000) AS not_rounded_down, max(rand_a) AS last
FROM (SELECT us, t, id, rand_a, lag(rand_a) OVER (ORDER BY us) AS last
      FROM generate_series(0, 999) AS us,
           LATERAL (SELECT timestamptz '2022-02-22 19:22:22' + us * interval '1 us') AS times (t),
           LATERAL uuid_v7_at(t) AS id,
           LATERAL (SELECT get_byte(uuid_send(id), 6) % 16 * 256 + get_byte(uuid_send(id), 7)) AS fields (rand_a)
     ) AS made;

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

-- UUIDs of one time sort by the ordinal. The bits before the ordinal are those of uuid_v7_at(ts).
SELECT count(*) AS ids, count(DISTINCT id), count(*) FILTER (WHERE id <= last) AS out_of_order,
       count(*) FILTER (WHERE uuid_extract_time_precise(id) <> t) AS time_lost,
       count(*) FILTER (WHERE left(id::text, 18) <> left(uuid_v7_at(t)::text, 18)) AS other_fields
FROM (SELECT t, id, lag(id) OVER (PARTITION BY t ORDER BY ordinal) AS last
      FROM (SELECT t, ordinal, uuid_v7_at(t, ordinal) AS id
            FROM (SELECT '2022-02-22 19:22:22'::timestamptz + n % 7 * interval '1 us',
                         CASE WHEN n < 20000 THEN n ELSE 2147483647 - n END
                  FROM generate_series(0, 39999) AS n) AS rows (t, ordinal) OFFSET 0) AS made) AS pairs;
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
