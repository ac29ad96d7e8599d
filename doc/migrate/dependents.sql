-- Lists what depends on an extension, and functions whose bodies may:
--   psql -v extension=uuid-ossp -f dependents.sql
-- PostgreSQL records no dependencies of a body that is text (PL/pgSQL, AS $$ … $$), so these are found by the
-- names and operators in it, and by comparisons of a column id. Queries in the application are found by neither.

SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS object,
    pg_describe_object(d.refclassid, d.refobjid, 0) AS needs
FROM pg_depend AS d
JOIN pg_depend AS m ON m.classid = d.refclassid AND m.objid = d.refobjid AND m.deptype = 'e'
JOIN pg_extension AS e ON m.refclassid = 'pg_extension'::regclass AND e.oid = m.refobjid
WHERE e.extname = :'extension' AND d.deptype IN ('n', 'a')
    AND NOT EXISTS (SELECT FROM pg_depend AS o
        WHERE o.classid = d.classid AND o.objid = d.objid AND o.deptype = 'e' AND o.refobjid = e.oid)
ORDER BY 1;

SELECT oid::regprocedure AS body_to_read FROM pg_proc
WHERE prosrc ~ '\m(uuid_|nil_uuid|max_uuid|typeid_prefix)|<@|@>|\^@|\mid\s*[<>]|\m(min|max)\s*\(' AND probin IS NULL
    AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'internal')
    AND pronamespace <> 'pg_catalog'::regnamespace ORDER BY 1;
