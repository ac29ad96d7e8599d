-- TypeIDs. The valid and invalid cases are those of version 0.3 of the specification.
SELECT name, uuid_to_typeid(id, prefix) = typeid AS written, uuid_from_typeid(typeid) = id AS read,
       uuid_from_typeid(typeid, prefix) = id AS read_with_prefix, typeid_prefix(typeid) = prefix AS prefix
FROM (VALUES ('nil', '', '00000000000000000000000000', '00000000-0000-0000-0000-000000000000'::uuid),
             ('one', '', '00000000000000000000000001', '00000000-0000-0000-0000-000000000001'),
             ('ten', '', '0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'),
             ('sixteen', '', '0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'),
             ('thirty-two', '', '00000000000000000000000010', '00000000-0000-0000-0000-000000000020'),
             ('max-valid', '', '7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
             ('valid-alphabet', 'prefix', 'prefix_0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'),
             ('valid-uuidv7', 'prefix', 'prefix_01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'),
             ('prefix-underscore', 'pre_fix', 'pre_fix_00000000000000000000000000',
              '00000000-0000-0000-0000-000000000000')) AS valid (name, prefix, typeid, id);

-- Returns the SQLSTATE, message and detail of a call's error.
CREATE FUNCTION error_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; detail text; state text;
BEGIN
  EXECUTE 'SELECT ' || call;
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, state = RETURNED_SQLSTATE;
  RETURN state || ': ' || message || coalesce(E'\n' || nullif(detail, ''), '');
END $$;

CREATE TEMP TABLE error AS
SELECT name, error_of(format('uuid_from_typeid(%L)', typeid)) AS of_typeid,
       error_of(format('typeid_prefix(%L)', typeid)) AS of_prefix,
       error_of(format('uuid_from_typeid(%L, %L)', typeid, 'prefix')) AS with_prefix
FROM (VALUES ('prefix-uppercase', 'PREFIX_00000000000000000000000000'),
             ('prefix-numeric', '12345_00000000000000000000000000'),
             ('prefix-period', 'pre.fix_00000000000000000000000000'),
             ('prefix-non-ascii', 'préfix_00000000000000000000000000'),
             ('prefix-spaces', '  prefix_00000000000000000000000000'),
             ('prefix-64-chars', 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl'
                                 '_00000000000000000000000000'),
             ('separator-empty-prefix', '_00000000000000000000000000'),
             ('separator-empty', '_'),
             ('suffix-short', 'prefix_1234567890123456789012345'),
             ('suffix-long', 'prefix_123456789012345678901234567'),
             ('suffix-spaces', 'prefix_1234567890123456789012345 '),
             ('suffix-uppercase', 'prefix_0123456789ABCDEFGHJKMNPQRS'),
             ('suffix-hyphens', 'prefix_123456789-123456789-123456'),
             ('suffix-wrong-alphabet', 'prefix_ooooooiiiiiiuuuuuuulllllll'),
             ('suffix-ambiguous-crockford', 'prefix_i23456789ol23456789oi23456'),
             ('suffix-hyphens-crockford', 'prefix_123456789-0123456789-0123456'),
             ('suffix-overflow', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz'),
             ('prefix-underscore-start', '_prefix_00000000000000000000000000'),
             ('prefix-underscore-end', 'prefix__00000000000000000000000000'),
             ('empty', ''),
             ('prefix-empty', 'prefix_')) AS invalid (name, typeid);
SELECT count(*) AS invalid, count(*) FILTER (WHERE of_typeid !~ '^22P02') AS not_rejected,
       count(*) FILTER (WHERE of_prefix <> of_typeid) AS other_of_prefix,
       count(*) FILTER (WHERE with_prefix <> of_typeid) AS other_with_prefix
FROM error;
-- One for each kind of detail.
SELECT name, of_typeid FROM error
WHERE name IN ('prefix-non-ascii', 'suffix-short', 'suffix-long', 'suffix-overflow');

-- A TypeID with a different prefix, without a prefix, and with an invalid one.
SELECT error_of(call)
FROM unnest(ARRAY[$$uuid_from_typeid('nonsense', 'cus')$$,
                  $$uuid_from_typeid('nonsense', '')$$,
                  $$uuid_from_typeid('user_01h455vb4pex5vsknk084sn02q', 'cus')$$,
                  $$uuid_from_typeid('01h455vb4pex5vsknk084sn02q', 'user')$$,
                  $$uuid_from_typeid('user_01h455vb4pex5vsknk084sn02q', '')$$,
                  $$uuid_from_typeid('user_01h455vb4pex5vsknk084sn02q', 'User')$$]) AS call;
SELECT prefix, error_of(format('uuid_to_typeid(%L, %L)', nil_uuid(), prefix))
FROM unnest(ARRAY['a_b', 'a_', 'é']) AS prefix;
SELECT uuid_to_typeid(NULL, 'a') IS NULL AND uuid_to_typeid(nil_uuid(), NULL) IS NULL AND uuid_from_typeid(NULL) IS NULL
   AND uuid_from_typeid(NULL, 'a') IS NULL AND typeid_prefix(NULL) IS NULL AS nulls;

-- The suffix is the ULID in lower case, and TypeIDs sort like the UUIDs.
SELECT count(*) AS ids, count(*) FILTER (WHERE typeid <> 'user_' || lower(uuid_encode(id, 'ulid'))) AS other_than_ulid,
       count(*) FILTER (WHERE typeid <= last) AS out_of_order
FROM (SELECT id, uuid_to_typeid(id, 'user') COLLATE "C" AS typeid,
             lag(uuid_to_typeid(id, 'user') COLLATE "C") OVER (ORDER BY id) AS last
      FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 10000)) AS ids OFFSET 0) AS typeids;
DROP FUNCTION error_of;
