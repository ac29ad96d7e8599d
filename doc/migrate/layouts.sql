-- Functions for keys with a time of another layout than version 7; migrate.md says which:
--   psql -f layouts.sql

\set ON_ERROR_STOP on
\ir search_path.sql

-- Returns digits of a key as a number.
CREATE FUNCTION key_digits(id uuid, first integer, digits integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || lpad(substr(uuid_encode(id, 'hex'), first, digits), 16, '0'))::bit(64)::bigint;

-- Returns the time of a number of ticks of 100 ns since the year 1.
CREATE FUNCTION ticks_time(ticks bigint) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN timestamp '0001-01-01' + ticks / 10000000 * interval '1 s' + ticks % 10000000 / 10 * interval '1 us';

-- Returns the time of a key: milliseconds, seconds and 2^-24 s around the version, units of 10 us, days since 1900 and
-- 1/300 s, or .NET's milliseconds or ticks since the year 1.
CREATE FUNCTION layout_time(id uuid, layout text) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE layout
        WHEN 'ulid' THEN timestamp '1970-01-01' + key_digits(id, 1, 12) * interval '1 ms'
        WHEN 'draft' THEN timestamp '1970-01-01' + key_digits(id, 1, 9) * interval '1 s'
            + (key_digits(id, 10, 3) * 4096 + key_digits(id, 14, 3)) * interval '1 s' / 16777216
        WHEN 'laravel' THEN timestamp '1970-01-01' + key_digits(id, 1, 12) * interval '10 us'
        WHEN 'comb' THEN timestamp '1900-01-01' + key_digits(id, 21, 4) * interval '1 day'
            + key_digits(id, 25, 8) * interval '1 s' / 300
        WHEN 'abp' THEN timestamp '0001-01-01' + key_digits(id, 1, 12) * interval '1 ms'
        WHEN 'newid' THEN ticks_time((key_digits(id, 21, 12) << 16) | key_digits(id, 17, 4))
        WHEN 'newid_sequential' THEN ticks_time(key_digits(id, 1, 16)) END AT TIME ZONE 'UTC';

-- Returns the UUID whose bytes or first bit were changed.
CREATE FUNCTION layout_key(id uuid, layout text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE layout
        WHEN 'mysql' THEN regexp_replace(uuid_encode(id, 'hex'), '^(.{4})(.{4})(.{8})', '\3\2\1')
        WHEN 'halves' THEN regexp_replace(uuid_encode(id, 'hex'), '(..)(..)(..)(..)(..)(..)(..)(..)',
            '\8\7\6\5\4\3\2\1', 'g')
        WHEN 'duckdb' THEN translate(left(uuid_encode(id, 'hex'), 1), '89abcdef', '01234567')
            || substr(uuid_encode(id, 'hex'), 2) END::uuid;
