\echo Use "CREATE EXTENSION uuidx_compat" to load this file. \quit

-- The functions of PostgreSQL 18, with its signatures and attributes, unless the server has them in pg_catalog, which
-- comes first in every search_path: 17 has uuid_extract_timestamp(), and 18 has all. Not by DO, as a database may lack
-- plpgsql.

CREATE FUNCTION uuidx_create_generators() RETURNS void LANGUAGE sql AS $$
    CREATE FUNCTION uuidv4() RETURNS uuid
        LANGUAGE C VOLATILE STRICT PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_v4';
    COMMENT ON FUNCTION uuidv4() IS
        'generate UUID version 4';

    CREATE FUNCTION uuidv7() RETURNS uuid
        LANGUAGE C VOLATILE STRICT PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_v7';
    COMMENT ON FUNCTION uuidv7() IS
        'generate UUID version 7';

    CREATE FUNCTION uuidv7(shift interval) RETURNS uuid
        LANGUAGE C VOLATILE STRICT PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_v7_interval';
    COMMENT ON FUNCTION uuidv7(interval) IS
        'generate UUID version 7 with a timestamp shifted by specified interval';
$$;
SELECT uuidx_create_generators() WHERE to_regprocedure('pg_catalog.uuidv7(pg_catalog.interval)') IS NULL;
DROP FUNCTION uuidx_create_generators();

-- Without a name for the argument, as in core.
CREATE FUNCTION uuidx_create_extract_timestamp() RETURNS void LANGUAGE sql AS $$
    CREATE FUNCTION uuid_extract_timestamp(uuid) RETURNS timestamptz
        LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'uuidx_extract_timestamp';
    COMMENT ON FUNCTION uuid_extract_timestamp(uuid) IS
        'extract timestamp from UUID version 1 or 7';
$$;
SELECT uuidx_create_extract_timestamp()
WHERE to_regprocedure('pg_catalog.uuid_extract_timestamp(pg_catalog.uuid)') IS NULL;
DROP FUNCTION uuidx_create_extract_timestamp();
