-- For the other scripts, which include it: stops if their names could mean objects of others. In any schema of
-- search_path, PostgreSQL prefers a function or an operator whose argument types match exactly to its own.
-- You, superusers and the owner of the database are trusted. All others must not own functions, operators or domains in
-- these schemas, nor be able to create them; the only trigger function that scripts name is uuid_time_trigger(). Then
-- sets search_path to the schemas that it has checked: others could create those that are missing. uuidx.sql has its own
-- rule, as it trusts only you and superusers.

DO $$
DECLARE
    path pg_catalog.name[] := pg_catalog.current_schemas(false);
    former pg_catalog.text := pg_catalog.current_setting('search_path');
    stranger pg_catalog.record;
BEGIN
    -- From here on, names are those of PostgreSQL.
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    -- Behind others, their tables would be taken for PostgreSQL's and for the temporary ones of the scripts.
    IF former ~ '\mpg_(catalog|temp)\M' THEN
        RAISE 'search_path must not contain pg_catalog or pg_temp' USING
            HINT = 'Leave them out: they are searched first then.';
    END IF;
    SELECT nspname AS schema, coalesce(rolname, 'public') AS role, object INTO stranger
    FROM pg_namespace AS n,
        LATERAL (
            SELECT nspowner AS creator, NULL AS object
            UNION ALL SELECT grantee, NULL FROM aclexplode(nspacl) WHERE privilege_type = 'CREATE'
            UNION ALL SELECT proowner, pg_describe_object(tableoid, oid, 0) FROM pg_proc
                WHERE pronamespace = n.oid AND (prorettype <> 'trigger'::regtype OR proname = 'uuid_time_trigger')
                    AND (prokind <> 'p' OR proname IN ('create_partitions', 'drop_oldest_partition'))
            UNION ALL SELECT oprowner, pg_describe_object(tableoid, oid, 0) FROM pg_operator WHERE oprnamespace = n.oid
            UNION ALL SELECT typowner, pg_describe_object(tableoid, oid, 0) FROM pg_type
                WHERE typnamespace = n.oid AND typtype = 'd') AS c
        LEFT JOIN pg_roles AS r ON r.oid = creator
    WHERE nspname = ANY (path) AND nspname <> 'pg_catalog' AND creator NOT IN (
        SELECT oid FROM pg_roles WHERE rolsuper OR rolname IN (current_user, 'pg_database_owner')
        UNION ALL SELECT datdba FROM pg_database WHERE datname = current_database())
    ORDER BY object NULLS FIRST LIMIT 1;
    IF FOUND THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('role "%s" can create objects in schema %I, or has done so', stranger.role,
                stranger.schema),
            DETAIL = coalesce('It owns ' || stranger.object, 'It has the privilege CREATE')
                || '. What it creates there could run with your privileges.',
            HINT = CASE WHEN stranger.object IS NULL
                    THEN format('REVOKE CREATE ON SCHEMA %I FROM %s', stranger.schema,
                        CASE stranger.role WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(stranger.role) END)
                    ELSE 'Drop it or change its owner' END
                || format(', or leave %I out of search_path, as by PGOPTIONS=''-c search_path=…''.', stranger.schema);
    END IF;
    PERFORM set_config('search_path', coalesce((SELECT string_agg(quote_ident(name), ', ' ORDER BY n)
        FROM unnest(path) WITH ORDINALITY AS u (name, n)), '""'), false);
END
$$;
