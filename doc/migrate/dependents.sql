-- Lists what depends on an extension, or on the functions of a schema, and functions whose bodies may call them:
--   psql -d mydb -X -v extension=uuid-ossp -f dependents.sql
--   psql -d mydb -X -v schema=uuidx -f dependents.sql
-- Generated columns are named as such, as DROP … CASCADE drops their data. PostgreSQL records no dependencies of a body
-- that is text (PL/pgSQL, AS $$ … $$): these are found by names and operators. Queries of applications are not found.

\set ON_ERROR_STOP on
\set QUIET on
\ir search_path.sql
\if :{?extension} \else \set extension '' \endif
\if :{?schema} \else \set schema '' \endif

WITH RECURSIVE member AS (
    SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = :'extension'
    UNION ALL SELECT tableoid, oid FROM pg_proc WHERE pronamespace = to_regnamespace(nullif(:'schema', ''))
    UNION ALL SELECT tableoid, oid FROM pg_operator WHERE oprnamespace = to_regnamespace(nullif(:'schema', ''))
    UNION ALL SELECT tableoid, oid FROM pg_type WHERE typnamespace = to_regnamespace(nullif(:'schema', ''))
), needs AS (
    SELECT d.classid, d.objid, d.objsubid, d.refclassid, d.refobjid, d.refobjsubid FROM pg_depend AS d
    JOIN member AS m ON (d.refclassid, d.refobjid) = (m.classid, m.objid)
    WHERE d.deptype IN ('n', 'a')
        AND NOT EXISTS (SELECT FROM member AS o WHERE (o.classid, o.objid) = (d.classid, d.objid))
    UNION
    -- What depends on these: on the view of a rule, on a generated column, or on the object itself.
    SELECT d.classid, d.objid, d.objsubid, d.refclassid, d.refobjid, d.refobjsubid FROM needs AS n
    LEFT JOIN pg_rewrite AS r ON n.classid = 'pg_rewrite'::regclass AND r.oid = n.objid
    LEFT JOIN (pg_attrdef AS a JOIN pg_attribute AS c ON c.attrelid = a.adrelid AND c.attnum = a.adnum
        AND c.attgenerated <> '') ON n.classid = 'pg_attrdef'::regclass AND a.oid = n.objid
    JOIN pg_depend AS d ON d.deptype IN ('n', 'a') AND d.objid <> n.objid
        AND d.refclassid = CASE WHEN r.oid IS NULL AND a.oid IS NULL THEN n.classid ELSE 'pg_class'::regclass END
        AND d.refobjid = coalesce(r.ev_class, a.adrelid, n.objid) AND d.refobjsubid = coalesce(a.adnum, d.refobjsubid)
)
SELECT DISTINCT coalesce('view ' || r.ev_class::regclass,
        'generated column ' || quote_ident(c.attname) || ' of table ' || c.attrelid::regclass,
        pg_describe_object(n.classid, n.objid, n.objsubid)) AS object,
    pg_describe_object(n.refclassid, n.refobjid, n.refobjsubid) AS needs
FROM needs AS n
LEFT JOIN pg_rewrite AS r ON n.classid = 'pg_rewrite'::regclass AND r.oid = n.objid AND r.rulename = '_RETURN'
LEFT JOIN (pg_attrdef AS a JOIN pg_attribute AS c ON c.attrelid = a.adrelid AND c.attnum = a.adnum
    AND c.attgenerated <> '') ON n.classid = 'pg_attrdef'::regclass AND a.oid = n.objid
ORDER BY 1, 2;

SELECT oid::regprocedure AS body_to_read FROM pg_proc
WHERE prosrc ~ '\m(uuid_|nil_uuid|max_uuid|typeid_prefix)|<@|@>|\^@|\mid\s*[<>]|\m(min|max)\s*\(' AND probin IS NULL
    AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'internal')
    AND pronamespace <> 'pg_catalog'::regnamespace AND pronamespace::regnamespace::text <> :'schema' ORDER BY 1;
