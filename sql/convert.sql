-- Conversion to other versions, text, bytes and masks.
SET timezone = 'UTC';

-- The RFC's test vectors of versions 1 and 6 have the same time, clock sequence and node, so both convert to the same
-- version 7 UUID.
SELECT uuid_v1_to_v6('c232ab00-9414-11ec-b3c8-9f6bdeced846') AS v6,
       uuid_v6_to_v1('1ec9414c-232a-6b00-b3c8-9f6bdeced846') AS v1;
SELECT id, uuid_to_v7(id), uuid_extract_time(uuid_to_v7(id))
FROM unnest(ARRAY['c232ab00-9414-11ec-b3c8-9f6bdeced846', '1ec9414c-232a-6b00-b3c8-9f6bdeced846']::uuid[]) AS id;
\set VERBOSITY sqlstate
SELECT uuid_to_v7(uuid_v6_at('1969-12-31 23:59:59.999999'));
\set VERBOSITY default
SELECT uuid_v1_to_v6('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
SELECT uuid_v6_to_v1('c232ab00-9414-11ec-b3c8-9f6bdeced846');
SELECT uuid_to_v7('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT uuid_to_v7('00000000-0000-0000-0000-000000000000');

-- Returns the names of all formats from the hint of an error.
CREATE FUNCTION formats() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
  PERFORM uuid_encode(nil_uuid(), '');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RETURN QUERY SELECT name[1] FROM regexp_matches(hint, '"(\w+)"', 'g') AS name;
END $$;
SELECT format, uuid_encode('f81d4fae-7dec-11d0-a765-00a0c91e6bf6', format), uuid_encode(max_uuid(), format)
FROM formats() AS format;
DROP FUNCTION formats;
SELECT uuid_decode('URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', 'urn'),
       uuid_decode('01arz3ndektsv4rrffq69g5fav', 'Ulid') = uuid_decode('OLARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid') AS aliases;
-- base32hex is read with all of its padding, as encode() of PostgreSQL 19 writes it, or with none.
SELECT uuid_decode(uuid_encode(id, 'base32hex') || '======', 'base32hex') = id AS padded FROM gen_random_uuid() AS id;
-- Invalid text: the detail says what is wrong and where.
SELECT uuid_decode('01ARZ3NDEKTSV4RRFFQ69G5FAU', 'ulid');
SELECT uuid_decode('81ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid');
SELECT uuid_decode('01ARZ3NDEKTSV4RRFFQ69G5FA', 'ulid');
SELECT uuid_decode('V0EKVBJTTG8T19R502GCI7JBUP', 'base32hex');
SELECT uuid_decode('007', 'decimal');
SELECT uuid_decode('f81d4fae7dec11d0a76500a0c91e6bé6', 'hex');
SELECT uuid_encode(nil_uuid(), 'base64');
SELECT uuid_decode('x', '');

-- Conversion to bytes, and Microsoft's byte order.
SELECT uuid_to_bytea(id), uuid_from_bytea(uuid_to_bytea(id)) = id AS back, uuid_swap_guid(id),
       uuid_swap_guid(uuid_swap_guid(id)) = id AS swapped_back
FROM (VALUES ('00112233-4455-6677-8899-aabbccddeeff'::uuid)) AS v (id);
SELECT uuid_from_bytea('\x00');

-- Version 4 masks of version 7 UUIDs.
SELECT id, uuid_v47_mask(id, key) AS mask, uuid_extract_version(uuid_v47_mask(id, key)) AS version,
       uuid_v47_unmask(uuid_v47_mask(id, key), key) = id AS back
FROM (VALUES ('018f2d9f-9a2a-7def-8c3f-7b1a2c4d5e6f'::uuid,
              '\x000102030405060708090a0b0c0d0e0f'::bytea)) AS v (id, key);
SELECT uuid_v47_mask(uuid_v7(), '\x00');
SELECT uuid_v47_mask('f47ac10b-58cc-4372-a567-0e02b2c3d479', '\x000102030405060708090a0b0c0d0e0f');
SELECT uuid_v47_unmask('018f2d9f-9a2a-7def-8c3f-7b1a2c4d5e6f', '\x000102030405060708090a0b0c0d0e0f');
