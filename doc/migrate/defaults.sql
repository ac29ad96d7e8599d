-- Replaces a function in the defaults that are a call of it and nothing else, in all tables:
--   psql -v old='uuid_generate_v4()' -v new='uuid_v4()' -f defaults.sql

SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', a.adrelid::regclass, c.attname, :'new')
FROM pg_attrdef AS a
JOIN pg_attribute AS c ON c.attrelid = a.adrelid AND c.attnum = a.adnum
-- By the expression: pg_depend does not have calls of PostgreSQL's own functions.
WHERE a.adbin::text LIKE format('%%{FUNCEXPR :funcid %s %%', :'old'::regprocedure::oid) AND c.attgenerated = ''
    AND pg_get_expr(a.adbin, a.adrelid) ~ '^([^()]+\.)?[^().]+\(\)$'
\gexec
