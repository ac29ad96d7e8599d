-- Replaces a stored column of times by a time column of the same name, in the steps of time-queries.md. Prints the
-- statements of a step:
--   psql -d mydb -X -v table=payment -v step=1 -f created_at.sql | psql -d mydb -X -v ON_ERROR_STOP=1
-- table   the table
-- step    1 compare key and column; 2 prove that keys are of version 7; 3 default for inserts without the column;
--         4 replace indexes; 5 replace the column, which deletes the stored times; back, after step 5
-- column  the stored column (created_at), of type timestamptz, or timestamp in UTC
-- key     the key (id)
-- kind    of the time column: virtual (on PostgreSQL 18 and later), stored, which rewrites the table, or view

\set ON_ERROR_STOP on
\set QUIET on
\timing off
\pset format unaligned
\pset tuples_only on
\pset pager off
\ir search_path.sql
\if :{?column} \else \set column created_at \endif
\if :{?key} \else \set key id \endif
\if :{?kind}
\else
SELECT CASE WHEN current_setting('server_version_num')::integer >= 180000 THEN 'virtual' ELSE 'view' END AS kind \gset
\endif

-- Printed at the end, all at once: psql at the other end of a pipe may lock tables that queries here would wait for.
CREATE TEMP TABLE IF NOT EXISTS output (sql text, n serial);
TRUNCATE output;
INSERT INTO output SELECT format('SET search_path = %s;', current_setting('search_path'));

CREATE OR REPLACE TEMP VIEW stored AS
SELECT c.oid AS rel, a.attnum AS num, format('%I.%I', n.nspname, c.relname) AS tab,
    format('%I.%I', n.nspname, left(c.relname, 58) || '_data') AS data,
    quote_ident(left(c.relname, 58) || '_data') AS renamed, quote_ident(c.relname) AS name,
    quote_ident(a.attname) AS col, quote_ident(:'key') AS key,
    quote_ident(left(c.relname, 54) || '_id_is_v7') AS "check", a.attgenerated, c.relacl, c.relkind,
    format_type(a.atttypid, NULL) AS type, a.atthasdef AS has_default,
    CASE WHEN a.atttypid = 'timestamp'::regtype THEN ' AT TIME ZONE ''UTC''' ELSE '' END AS zone
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_attribute AS a ON a.attrelid = c.oid
WHERE c.oid = :'table'::text::regclass AND a.attname = :'column';
SELECT :'step' = '1' AS step_1, :'step' = '2' AS step_2, :'step' = '3' AS step_3, :'step' = '4' AS step_4,
    :'step' = '5' AS step_5, :'step' = 'back' AS step_back, :'kind' = 'view' AS is_view \gset

\if :step_1
INSERT INTO output
SELECT format($f$SELECT count(*) AS rows, count(*) FILTER (WHERE uuid_is_v7(%1$s)) AS "with a time in the key",
    max(%2$s - uuid_extract_time(%1$s)) AS "column later by", max(uuid_extract_time(%1$s) - %2$s) AS "key later by"
FROM %3$s;$f$, key, '(' || col || zone || ')', tab) FROM stored;
\endif

-- VALIDATE reads the table and blocks neither reads nor writes.
\if :step_2
INSERT INTO output SELECT format($f$SET lock_timeout = '500ms';
ALTER TABLE %1$s DROP CONSTRAINT IF EXISTS %2$s, ADD CONSTRAINT %2$s CHECK (uuid_is_v7(%3$s)) NOT VALID;
ALTER TABLE %1$s VALIDATE CONSTRAINT %2$s;$f$, tab, "check", key) FROM stored;
\endif

\if :step_3
INSERT INTO output
SELECT format('ALTER TABLE %s ALTER %s SET DEFAULT (now()%s);', tab, col, zone) FROM stored WHERE NOT has_default;
\endif

-- An index on the column alone needs no successor: it is that of the key.
\if :step_4
INSERT INTO output
SELECT format('CREATE %sINDEX CONCURRENTLY IF NOT EXISTS %I ON %s USING %s;', CASE WHEN indisunique THEN 'UNIQUE ' END,
    left(c.relname, 60) || '_id', tab, regexp_replace(part, format('\m%s\M', :'column'), :'key', 'g'))
FROM stored JOIN pg_index AS i ON indrelid = rel JOIN pg_class AS c ON c.oid = indexrelid,
    substring(pg_get_indexdef(indexrelid) FROM ' USING (.*)') AS part
WHERE part ~ format('\m%s\M', :'column') AND indnatts > 1 ORDER BY c.relname;
\endif

-- A line break in a name of another role would end the comment.
\if :step_5
INSERT INTO output
SELECT '-- Drop it here, and create it again: ' || regexp_replace(object, '[\n\r]', ' ', 'g') FROM stored
JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = num AND deptype = 'n',
    pg_describe_object(classid, objid, 0) AS object;
INSERT INTO output SELECT 'BEGIN;';
INSERT INTO output SELECT 'SET LOCAL lock_timeout = ''500ms'';';
\if :is_view
-- The view gets the grants of the table.
INSERT INTO output SELECT format($f$ALTER TABLE %1$s DROP COLUMN %2$s;
ALTER TABLE %1$s RENAME TO %3$s;
CREATE VIEW %1$s WITH (security_invoker) AS
    SELECT *, uuid_extract_v7_time(%4$s)%5$s AS %2$s FROM %6$s;$f$, tab, col, renamed, key, zone, data) FROM stored;
INSERT INTO output SELECT format('GRANT %s ON %s TO %s%s;', string_agg(privilege_type, ', '), tab,
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
FROM stored, aclexplode(relacl) WHERE privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
GROUP BY tab, grantee, is_grantable;
\else
INSERT INTO output SELECT format($f$ALTER TABLE %1$s DROP COLUMN %2$s,
    ADD COLUMN %2$s %3$s GENERATED ALWAYS AS (%4$s(%5$s)%6$s) %7$s;$f$, tab, col, type,
    CASE :'kind' WHEN 'virtual' THEN 'uuid_extract_timestamp' ELSE 'uuid_extract_v7_time' END, key, zone,
    upper(:'kind')) FROM stored;
\endif
INSERT INTO output SELECT 'COMMIT;';
\endif

-- A stored column can keep its values. Otherwise, the times of the keys are stored.
\if :step_back
INSERT INTO output SELECT CASE
    WHEN attgenerated = 's' THEN format($f$ALTER TABLE %1$s ALTER %2$s DROP EXPRESSION;
ALTER TABLE %1$s ALTER %2$s SET DEFAULT (now()%3$s);$f$, tab, col, zone)
    ELSE format($f$BEGIN;
SET LOCAL lock_timeout = '500ms';
%1$sALTER TABLE %2$s ADD COLUMN %3$s %4$s DEFAULT (now()%5$s);
UPDATE %2$s SET %3$s = uuid_extract_time(%6$s)%5$s;
COMMIT;$f$, CASE WHEN relkind = 'v' THEN format(E'DROP VIEW %s;\nALTER TABLE %s RENAME TO %s;\n', tab, data, name)
        ELSE format(E'ALTER TABLE %s DROP COLUMN %s;\n', tab, col) END, tab, col, type, zone, key) END FROM stored;
\endif

SELECT sql FROM output ORDER BY n;
