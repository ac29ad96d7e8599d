-- Prints a line for each table, partition, materialized view and view, with the number of rows and a digest of them;
-- then the sequences.
SET timezone = 'UTC';
SELECT format('SELECT %L, count(*), md5(string_agg(t::text, E''\n'' ORDER BY t::text COLLATE "C")) FROM ONLY %s AS t',
    c.oid::regclass, c.oid::regclass)
FROM pg_class AS c
WHERE c.relkind IN ('r', 'm', 'v')
  AND c.relnamespace::regnamespace NOT IN ('pg_catalog', 'information_schema', 'present')
ORDER BY c.oid::regclass::text COLLATE "C"
\gexec
SELECT schemaname, sequencename, last_value FROM pg_sequences ORDER BY 1, 2;
