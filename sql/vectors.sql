-- The test vectors of RFC 9562, generated and read.
SELECT uuid_v3(uuid_namespace('dns'), 'www.example.com') = '5df41881-3aed-3515-88a7-2f4a814cf09e' AS v3,
       uuid_v5(uuid_namespace('dns'), 'www.example.com') = '2ed6657d-e927-568b-95e1-2665a8aea6a2' AS v5,
       uuid_v8_hash('sha256', uuid_namespace('dns'), 'www.example.com')
           = '5c146b14-3c52-8afd-938a-375d0df1fbf6' AS v8_hash;

-- B.1: custom_a, custom_b and custom_c, with any bits in place of version and variant.
SELECT uuid_v8('\x2489E9AD2EE20E000EC932D5F69181C0') = '2489E9AD-2EE2-8E00-8EC9-32D5F69181C0' AS v8,
       uuid_v8('\x2489E9AD2EE2FE00CEC932D5F69181C0') = '2489E9AD-2EE2-8E00-8EC9-32D5F69181C0' AS v8_stamped;

-- RFC 4122 prints a different value here: its authors hashed the namespace in the wrong byte order.
SELECT uuid_v3(uuid_namespace('dns'), 'www.widgets.com') = '3d813cbb-47fb-32ba-91df-831e1593ac29' AS v3_erratum;

-- A.1, A.5 and A.6: v1, v6 and v7 of 2022-02-22 19:22:22 UTC.
SELECT version, uuid_extract_version(id) = version AS version_read,
       uuid_extract_time(id) = '2022-02-22 19:22:22+00' AS time_read,
       to_hex(uuid_extract_clock_seq(id)) AS clock_seq, uuid_extract_node(id) AS node
FROM (VALUES (1, 'C232AB00-9414-11EC-B3C8-9F6BDECED846'::uuid),
             (6, '1EC9414C-232A-6B00-B3C8-9F6BDECED846'),
             (7, '017F22E2-79B0-7CC3-98C4-DC0C0C07398F')) AS v(version, id);
SELECT uuid_extract_version('919108f7-52d1-4320-9bac-f847db4148a8') AS v4;

-- Generated for the same time, all bits except the random ones are the same.
SELECT left(uuid_v1_at(t)::text, 18) AS v1, left(uuid_v6_at(t)::text, 18) AS v6,
       left(uuid_v7_at(t)::text, 14) AS v7
FROM (VALUES ('2022-02-22 19:22:22+00'::timestamptz)) AS v(t);

-- Nil, max, and the namespaces of section 6.6.
SELECT nil_uuid(), max_uuid();
SELECT name, uuid_namespace(name) FROM unnest(ARRAY['dns', 'url', 'oid', 'x500']) AS name;
