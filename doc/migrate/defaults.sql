-- Replaces a function in the defaults that are a call of it and nothing else, in all tables:
--   psql -v old='uuid_generate_v4()' -v new='uuid_v4()' -f defaults.sql

SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', a.adrelid::regclass, c.attname, :'new')
FROM pg_depend AS d
JOIN pg_attrdef AS a ON d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
JOIN pg_attribute AS c ON c.attrelid = a.adrelid AND c.attnum = a.adnum
WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = :'old'::regprocedure AND c.attgenerated = ''
    AND pg_get_expr(a.adbin, a.adrelid) ~ '^([^()]+\.)?[^().]+\(\)$'
\gexec
