-- What CREATE EXTENSION makes: every object with its labels. The labels are a promise.
CREATE EXTENSION uuidx;

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
WHERE e.extname = 'uuidx' AND p.prokind = 'f'
ORDER BY format('%s(%s)', p.proname, oidvectortypes(p.proargtypes)) COLLATE "C";

SELECT a.aggfnoid::regprocedure AS aggregate, a.aggtransfn AS transition, a.aggtranstype::regtype AS state, a.aggtransspace AS space,
       a.aggcombinefn AS combine, a.aggserialfn AS serial, a.aggdeserialfn AS deserial, a.aggfinalfn AS final,
       a.aggsortop::regoperator AS sort, p.proparallel AS parallel
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE e.extname = 'uuidx'
ORDER BY 1;

SELECT o.oid::regoperator AS operator, o.oprcode AS function, c.oid::regoperator AS commutator, n.oid::regoperator AS negator,
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
FROM pg_proc WHERE prosupport = 'uuid_period_support'::regproc ORDER BY 1;

-- A function uuid_x is uuidx_x in C; of several, those with arguments end with the type of the last one.
SELECT p.oid::regprocedure AS function, p.prosrc AS symbol
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_language l ON l.oid = p.prolang
CROSS JOIN LATERAL (SELECT 'uuidx_' || regexp_replace(p.proname, '^uuid_', '')) AS s (symbol)
WHERE e.extname = 'uuidx' AND l.lanname = 'c'
  AND p.prosrc NOT IN (s.symbol, s.symbol || '_' || format_type(p.proargtypes[p.pronargs - 1], NULL))
ORDER BY 1;

-- Nothing else belongs to it, and nothing lacks a comment. (From 17 on, so do the types of arrays of its domains.)
SELECT d.classid::regclass AS kind, count(*) > 0 AS some,
       count(*) FILTER (WHERE obj_description(d.objid, d.classid::regclass::name) IS NULL) AS uncommented
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'uuidx' AND NOT (d.classid = 'pg_type'::regclass AND d.objid IN (SELECT typarray FROM pg_type))
GROUP BY 1 ORDER BY 1;

-- No comment landed on a function of core with the same name and arguments.
SELECT count(*) AS misplaced
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_proc c ON c.proname = p.proname AND c.proargtypes = p.proargtypes
             AND c.pronamespace = 'pg_catalog'::regnamespace
WHERE e.extname = 'uuidx' AND obj_description(c.oid, 'pg_proc') LIKE '%(RFC 9562 section%';

-- The one name that it shares with core, from 17 on, has core's signature.
SELECT count(*) AS shared
FROM pg_depend d
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_proc c ON c.proname = p.proname AND c.proargtypes = p.proargtypes
             AND c.pronamespace = 'pg_catalog'::regnamespace
WHERE e.extname = 'uuidx' AND p.proname <> 'uuid_extract_version';

-- NULL in, NULL out, without a call.
SELECT uuid_extract_time(NULL), uuid_v5(NULL, 'a'), uuid_v7_min(NULL), uuid_v7_at(NULL),
       uuid_v8(NULL), uuid_namespace(NULL);
