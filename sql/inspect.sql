-- The fields of each version, by their names in the RFC.
SET timezone = 'UTC';
\x
SELECT * FROM uuid_inspect('c232ab00-9414-11ec-b3c8-9f6bdeced846');
SELECT * FROM uuid_inspect('5df41881-3aed-3515-88a7-2f4a814cf09e');
SELECT * FROM uuid_inspect('919108f7-52d1-4320-9bac-f847db4148a8');
SELECT * FROM uuid_inspect('2ed6657d-e927-568b-95e1-2665a8aea6a2');
SELECT * FROM uuid_inspect('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
SELECT * FROM uuid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT * FROM uuid_inspect('2489e9ad-2ee2-8e00-8ec9-32d5f69181c0');
\x
-- UUIDs without fields in RFC 9562.
SELECT id, i.* FROM (VALUES (nil_uuid()), (max_uuid()),
                            ('000004d2-92e8-21ed-8100-3fdb0085247e'),  -- DCE Security
                            ('1ec9414c-232a-0b00-b3c8-9f6bdeced846'),  -- unused version
                            ('1ec9414c-232a-9b00-b3c8-9f6bdeced846'),  -- reserved version
                            ('1ec9414c-232a-6b00-73c8-9f6bdeced846'),  -- NCS
                            ('1ec9414c-232a-6b00-d3c8-9f6bdeced846')) AS v(id), uuid_inspect(id) AS i;
