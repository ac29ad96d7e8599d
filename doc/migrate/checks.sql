-- Checks that every row of a table can get a new key, before online.sql or rewrite.sql. Changes nothing:
--   psql -d mydb -X -v parent=member -f checks.sql
-- parent      the table
-- key         the column of the primary key (id)
-- expression  the new key, as for online.sql and rewrite.sql
-- The first table must be empty. It has rows whose new key is an error or NULL, and rows with the same new key.

\set ON_ERROR_STOP on
\ir keys.sql
SELECT format($f$CREATE FUNCTION pg_temp.new_key(%s) RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT %s FROM (SELECT $1.*) AS new);
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$$f$, :'parent'::regclass, :'expression') \gexec
CREATE TEMP TABLE made AS SELECT :"key" AS key, pg_temp.new_key(old) AS new_key FROM :parent AS old;

\pset format aligned
\pset tuples_only off
SELECT new_key, count(*) AS rows, (array_agg(key))[1:5] AS keys FROM made GROUP BY new_key
HAVING new_key IS NULL OR count(*) > 1 ORDER BY rows DESC LIMIT 100;

SELECT CASE WHEN pg_typeof(key) = 'uuid'::regtype THEN uuid_extract_version(key::text::uuid) END AS old_version,
    uuid_extract_version(new_key) AS new_version, count(*) AS rows, min(uuid_extract_time(new_key)) AS first,
    max(uuid_extract_time(new_key)) AS last FROM made GROUP BY 1, 2 ORDER BY 1, 2;
