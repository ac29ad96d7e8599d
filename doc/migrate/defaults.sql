-- Replaces a function in defaults of your tables that are a call of it, or a cast of the call, and lists its other uses
-- in defaults:
--   psql -v old='uuid_generate_v4()' -v new='uuid_v4()' -f defaults.sql
-- With -v only=keys, replaces it in the columns of primary keys only, so that tokens stay random. A table that others
-- lock for longer is left, with a warning: run it again.

\set ON_ERROR_STOP on
\ir search_path.sql
\if :{?only}
\else
\set only all
\endif
-- By the expression: pg_depend does not have calls of PostgreSQL's own functions. With a table, pg_get_expr() would
-- wait for its lock: so generated columns are only named.
CREATE TEMP VIEW default_with_call AS
SELECT a.adrelid::regclass AS in_table, c.attname AS in_column,
    CASE c.attgenerated WHEN '' THEN pg_get_expr(a.adbin, 0) ELSE 'GENERATED' END AS expression,
    c.attgenerated = '' AS is_default, EXISTS (SELECT FROM pg_index AS i
        WHERE i.indrelid = c.attrelid AND i.indisprimary AND c.attnum = ANY (i.indkey)) AS is_key
FROM pg_attrdef AS a
JOIN pg_attribute AS c ON c.attrelid = a.adrelid AND c.attnum = a.adnum
WHERE a.adbin::text LIKE '%{FUNCEXPR :funcid ' || :'old'::regprocedure::oid || ' %';

SET lock_timeout = '500ms';
SELECT format('DO %L', format(
    'BEGIN %s; EXCEPTION WHEN lock_not_available THEN RAISE WARNING ''%%'', SQLERRM || %L; END',
    format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', in_table, in_column,
        regexp_replace(expression, pattern, :'new')), ' for ' || in_table))
FROM default_with_call, CAST('(("[^"]+"|[a-z_0-9]+)\.)?("[^"]+"|[a-z_0-9]+)\(\)' AS text) AS pattern
WHERE is_default AND (is_key OR :'only' <> 'keys')
    AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = in_table), 'USAGE')
    AND expression ~ ('^\(*' || pattern || '\)*(::[a-z ]+(\(\d+\))?\)*)*$')
\gexec
RESET lock_timeout;

SELECT in_table AS left_in_table, in_column, expression FROM default_with_call ORDER BY in_table::text, in_column;
-- Domains have defaults, too.
SELECT oid::regtype AS left_in_domain, typdefault FROM pg_type
WHERE typdefaultbin::text LIKE '%{FUNCEXPR :funcid ' || :'old'::regprocedure::oid || ' %' ORDER BY oid::regtype::text;
DROP VIEW default_with_call;
