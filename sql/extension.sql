-- Every object that CREATE EXTENSION creates, with its properties. Of functions only those that the reference does not
-- list, which operators and the planner call: test/t/034_documents.pl compares it with the catalog.

SELECT extversion, extrelocatable FROM pg_extension WHERE extname = 'uuidx';
SELECT trusted, superuser, relocatable, requires
FROM pg_available_extension_versions WHERE name = 'uuidx' AND version = '1.0';

SELECT format('%s(%s)', p.proname, oidvectortypes(p.proargtypes)) AS function,
       format_type(p.prorettype, NULL) AS returns,
       CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility,
       p.proisstrict AS strict,
       CASE p.proparallel WHEN 's' THEN 'safe' ELSE 'not safe' END AS parallel,
       p.proleakproof AS leakproof
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE e.extname = 'uuidx' AND p.prokind = 'f' AND p.proname !~ '^uuid_(min|max|minmax)_'
  AND (p.oid IN (SELECT oprcode FROM pg_operator) OR 'internal'::regtype = ANY (p.proargtypes)
       OR obj_description(p.oid, 'pg_proc') ~ 'added to plans by the planner$')
ORDER BY format('%s(%s)', p.proname, oidvectortypes(p.proargtypes)) COLLATE "C";

-- The aggregates and their functions: all of them, or none if PostgreSQL has the aggregates (from 20 on).
WITH member AS (
    SELECT p.*
    FROM pg_depend d
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
    WHERE e.extname = 'uuidx'
),
made (facts) AS (
    SELECT concat_ws(' ', oid::regprocedure, prorettype::regtype, provolatile, proisstrict, proparallel, proleakproof)
    FROM member WHERE prokind = 'f' AND proname ~ '^uuid_(min|max|minmax)_'
  UNION ALL
    SELECT concat_ws(' ', aggfnoid::regprocedure, aggtransfn, aggtranstype::regtype, aggtransspace, aggcombinefn,
                     aggserialfn, aggdeserialfn, aggfinalfn, aggsortop::regoperator, proparallel)
    FROM member JOIN pg_aggregate ON aggfnoid = oid
),
promised (facts) AS (
    SELECT unnest(ARRAY[
        'uuid_min_transfn(internal,uuid) internal i f s f',
        'uuid_max_transfn(internal,uuid) internal i f s f',
        'uuid_min_combine(internal,internal) internal i f s f',
        'uuid_max_combine(internal,internal) internal i f s f',
        'uuid_minmax_serialize(internal) bytea i t s f',
        'uuid_minmax_deserialize(bytea,internal) internal i t s f',
        'uuid_minmax_finalfn(internal) uuid i t s f',
        'min(uuid) uuid_min_transfn internal 32 uuid_min_combine '
        'uuid_minmax_serialize uuid_minmax_deserialize uuid_minmax_finalfn <(uuid,uuid) s',
        'max(uuid) uuid_max_transfn internal 32 uuid_max_combine '
        'uuid_minmax_serialize uuid_minmax_deserialize uuid_minmax_finalfn >(uuid,uuid) s'])
    WHERE to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS NULL
)
SELECT made.facts AS made, promised.facts AS promised
FROM made FULL JOIN promised USING (facts) WHERE made.facts IS NULL OR promised.facts IS NULL
ORDER BY 1, 2;

SELECT o.oid::regoperator AS operator, o.oprcode AS function, c.oid::regoperator AS commutator,
       n.oid::regoperator AS negator,
       o.oprrest AS restrict, o.oprjoin AS join
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_operator o ON d.classid = 'pg_operator'::regclass AND d.objid = o.oid
LEFT JOIN pg_operator c ON c.oid = o.oprcom AND c.oprcom = o.oid
LEFT JOIN pg_operator n ON n.oid = o.oprnegate AND n.oprnegate = o.oid
WHERE e.extname = 'uuidx'
ORDER BY o.oid::regoperator::text COLLATE "C";

SELECT t.oid::regtype AS domain, t.typbasetype::regtype AS of, t.typnotnull AS not_null
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_type t ON d.classid = 'pg_type'::regclass AND d.objid = t.oid
WHERE e.extname = 'uuidx' AND t.typtype = 'd'
ORDER BY 1;

SELECT oid::regprocedure AS function, prosupport AS support
FROM pg_proc WHERE prosupport = 'uuid_time_range_support'::regproc ORDER BY 1;

-- No function is SECURITY DEFINER. The C symbol of a function uuid_x is uuidx_x, in this library. Overloads end with
-- the type of their last argument.
SELECT p.oid::regprocedure AS function, p.prosrc AS symbol
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_language l ON l.oid = p.prolang
CROSS JOIN LATERAL (SELECT 'uuidx_' || regexp_replace(p.proname, '^uuidx?_', '')) AS s (symbol)
WHERE e.extname = 'uuidx' AND (p.prosecdef OR l.lanname = 'c' AND (
    p.probin <> 'uuidx'
    OR p.prosrc <> s.symbol
    AND p.prosrc NOT IN (
        SELECT s.symbol || '_' || name FROM pg_type t, unnest(ARRAY[t.typname, format_type(t.oid, NULL)]) AS name
        WHERE t.oid = p.proargtypes[p.pronargs - 1])))
ORDER BY 1;

-- The extension has no other objects, and all have a comment. (From 17 on, the array types of its domains are members,
-- too.)
SELECT d.classid::regclass AS kind, count(*) > 0 AS some,
       count(*) FILTER (WHERE obj_description(d.objid, d.classid::regclass::name) IS NULL) AS uncommented
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'uuidx' AND NOT (d.classid = 'pg_type'::regclass AND d.objid IN (SELECT typarray FROM pg_type))
GROUP BY 1 ORDER BY 1;

-- No comment of the script is on a function of core with the same name and arguments.
SELECT count(*) AS misplaced
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_proc c ON c.proname = p.proname AND c.proargtypes = p.proargtypes
             AND c.pronamespace = 'pg_catalog'::regnamespace
WHERE e.extname = 'uuidx' AND obj_description(c.oid, 'pg_proc') LIKE '%(RFC 9562 section%';

-- Only uuid_extract_version() has the name and arguments of a function of core, from 17 on.
SELECT count(*) AS shared
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_proc c ON c.proname = p.proname AND c.proargtypes = p.proargtypes
             AND c.pronamespace = 'pg_catalog'::regnamespace
WHERE e.extname = 'uuidx' AND p.proname <> 'uuid_extract_version';

-- Every function that SQL can call takes its arguments by name, without quotes and in any order.
DO $$
DECLARE
    calls text[] := ARRAY(
        SELECT format('%s(%s)', p.oid::regproc, string_agg(format('%s => NULL::%s', p.proargnames[a.n],
                   format_type(a.type, NULL)), ', ' ORDER BY a.n DESC))
        FROM pg_depend d
        JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
        JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
        CROSS JOIN LATERAL unnest(p.proargtypes) WITH ORDINALITY AS a (type, n)
        WHERE e.extname = 'uuidx' AND p.prokind = 'f' AND NOT 'internal'::regtype = ANY (p.proargtypes)
        GROUP BY p.oid);
    call text;
BEGIN
    ASSERT cardinality(calls) > 50;
    FOREACH call IN ARRAY calls LOOP
        EXECUTE 'SELECT ' || call;
    END LOOP;
END $$;
