-- Every generator sets its version and the variant.
SELECT version,
       bool_and(uuid_extract_version(id) = version) AS version_ok,
       bool_and(uuid_extract_variant(id) = 'rfc9562') AS variant_ok,
       count(DISTINCT id) = count(*) AS distinct_ok
FROM generate_series(1, 1000) AS i,
     LATERAL (VALUES (1, uuid_v1()), (4, uuid_v4()), (6, uuid_v6()), (7, uuid_v7()),
                     (7, uuid_v7(make_interval(days => i))), (1, uuid_v1_at(now())),
                     (6, uuid_v6_at(now())), (7, uuid_v7_at(now())),
                     (3, uuid_v3(nil_uuid(), i::text)), (5, uuid_v5(nil_uuid(), i::text)),
                     (8, uuid_v8_hash('sha256', nil_uuid(), i::text)),
                     (8, uuid_v8(decode(md5(i::text), 'hex')))) AS v(version, id)
GROUP BY version ORDER BY version;

-- The time of a new value lies between two readings of the clock.
DO $$
DECLARE
    before timestamptz;
    ids uuid[];
    late int;
BEGIN
    FOR i IN 1..1000 LOOP
        before := date_trunc('milliseconds', clock_timestamp());
        ids := ARRAY[uuid_v1(), uuid_v6(), uuid_v7()];
        SELECT count(*) INTO late FROM unnest(ids) AS id
        WHERE uuid_extract_time(id) NOT BETWEEN before AND clock_timestamp();
        ASSERT late = 0, format('%s', ids);
    END LOOP;
END $$;

-- A session has one v1 node and clock sequence; each v6 has its own. No node is a MAC address: all
-- have the multicast bit.
SELECT version, count(DISTINCT uuid_extract_node(id)) AS nodes,
       count(DISTINCT uuid_extract_clock_seq(id)) > 900 AS many_clock_seqs,
       bool_and((uuid_extract_node(id) & '01:00:00:00:00:00') = '01:00:00:00:00:00') AS multicast
FROM (SELECT 1 AS version, uuid_v1() AS id FROM generate_series(1, 1000)
      UNION ALL SELECT 6, uuid_v6() FROM generate_series(1, 1000)
      UNION ALL SELECT 11, uuid_v1_at(now()) FROM generate_series(1, 1000)
      UNION ALL SELECT 66, uuid_v6_at(now()) FROM generate_series(1, 1000)) AS made
GROUP BY version ORDER BY version;

-- A shifted v7 has the shifted time.
SELECT shift,
       abs(extract(epoch FROM uuid_extract_time(uuid_v7(shift)) - (clock_timestamp() + shift))) < 60 AS shifted
FROM unnest(ARRAY['0', '1 day', '-1 day', '-50 years', '1000 years 2 mons 3 days 04:05:06.789']::interval[]) AS shift;

-- A shifted time out of range is an error.
SELECT uuid_v7('-1000 years');
SELECT uuid_v7('10000 years');
SELECT uuid_v7('200000 years');
SELECT uuid_v7('400000 years');
\set VERBOSITY sqlstate
SELECT uuid_v7('-1000 years');
SELECT uuid_v7('10000 years');
\set VERBOSITY default

-- uuid_v8() requires exactly 16 bytes.
SELECT uuid_v8('\x'), uuid_v8('\x00');
SELECT uuid_v8(decode(repeat('ff', 17), 'hex'));
SELECT uuid_v8(decode(repeat('ff', 16), 'hex'));

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
