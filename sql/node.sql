-- Version 8 with a node id.
SELECT uuid_extract_version(id) AS version, uuid_extract_variant(id) AS variant, uuid_extract_v8_node(id) AS node,
       uuid_extract_v8_time(id) BETWEEN now() - interval '1 hour' AND clock_timestamp() AS time
FROM (SELECT uuid_v8_node(4711) AS id OFFSET 0) AS made;

-- The layout: 48 bits of milliseconds, version, 12 bits of fraction, variant, 4 bits of sequence, 16 bits of node and
-- 42 random bits.
SELECT uuid_extract_v8_node('017f22e2-79b0-8800-bfff-fc0000000000'),
       uuid_extract_v8_node('017f22e2-79b0-8800-bc00-0400ffffffff'),
       uuid_extract_v8_time('017f22e2-79b0-8800-8000-000000000000') AT TIME ZONE 'UTC' AS half_a_millisecond,
       uuid_extract_v8_time('017f22e2-79b0-8000-8000-000000000000')
           = uuid_extract_time('017f22e2-79b0-7000-8000-000000000000') AS same_as_v7;

-- Other versions have neither node nor time.
SELECT uuid_extract_v8_node(id), uuid_extract_v8_time(id)
FROM unnest(ARRAY[nil_uuid(), max_uuid(), uuid_v7(), uuid_v4(), '017f22e2-79b0-8800-0000-000000000000', NULL]) AS id;

-- Nodes out of range, and the settings.
\set VERBOSITY sqlstate
SELECT uuid_v8_node(-1);
SELECT uuid_v8_node(65536);
SELECT uuid_v8_node(NULL);
\set VERBOSITY default
SHOW uuidx.node_id;
SELECT uuid_v8_node();
SET uuidx.node_id = 65535;
SELECT uuid_extract_v8_node(uuid_v8_node());
SET uuidx.node_id = 0;
SELECT uuid_extract_v8_node(uuid_v8_node());
\set VERBOSITY sqlstate
SET uuidx.node_id = 65536;
SET uuidx.max_clock_lead = -1;
SET uuidx.unheard_of = 1;
CREATE ROLE uuidx_nobody;
SET ROLE uuidx_nobody;
SET uuidx.node_id = 5;
SET uuidx.max_clock_lead = '1h';
RESET ROLE;
\set VERBOSITY default
DROP ROLE uuidx_nobody;
SELECT name, setting, unit, context FROM pg_settings WHERE name LIKE 'uuidx.%' ORDER BY name;
