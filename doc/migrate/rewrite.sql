-- Converts the primary key of a table and its foreign keys in one transaction, which locks the tables while they are
-- rewritten. Prints the statements:
--   psql -d mydb -X -v parent=member -f rewrite.sql | psql -d mydb -X -v ON_ERROR_STOP=1
-- parent      the table; the foreign keys that reference it are found
-- key         the column of the primary key (id)
-- expression  the new key, of the key only (text: id::uuid, bytea: uuid_from_bytea(id))
-- default     the default of the key (uuid_v7())
-- type        the type of the key (uuid); to go back, for instance text, with id::text and the default NULL

\set ON_ERROR_STOP on
\set step rewrite
\ir keys.sql

INSERT INTO output
SELECT format(E'BEGIN;\nSET LOCAL lock_timeout = ''500ms'';\nLOCK TABLE %s IN ACCESS EXCLUSIVE MODE;',
    string_agg(tab, ', ' ORDER BY n))
FROM (SELECT tab, min(coalesce(fk::bigint, 0)) AS n FROM key_column GROUP BY tab) AS t;
INSERT INTO output
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, conname) FROM key_column WHERE fk IS NOT NULL ORDER BY fk;
-- The default of a foreign key is converted as its values are.
INSERT INTO output
SELECT format(E'ALTER TABLE %1$s ALTER %2$I DROP DEFAULT,\n    ALTER %2$I TYPE %3$s USING %4$s%5$s;', tab, col, :'type',
    regexp_replace(:'expression', pattern, quote_ident(col), 'g'),
    E',\n    ALTER ' || quote_ident(col) || ' SET DEFAULT ' || CASE WHEN fk IS NULL THEN :'default' ELSE regexp_replace(
        :'expression', pattern, '(' || replace(pg_get_expr(adbin, adrelid), '\', '\\') || ')', 'g') END)
FROM key_column JOIN pg_attribute ON attrelid = rel AND attname = col
LEFT JOIN pg_attrdef ON adrelid = rel AND adnum = attnum, format('\m%s\M', :'key') AS pattern ORDER BY fk NULLS FIRST;
INSERT INTO output SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', tab, conname, pg_get_constraintdef(fk))
FROM key_column WHERE fk IS NOT NULL ORDER BY fk;
INSERT INTO output SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L;', conname, tab, comment)
FROM key_column, obj_description(fk, 'pg_constraint') AS comment WHERE comment IS NOT NULL ORDER BY fk;
INSERT INTO output SELECT 'COMMIT;';
INSERT INTO output SELECT format('ANALYZE %s;', string_agg(DISTINCT tab, ', ')) FROM key_column;

SELECT sql FROM output ORDER BY n;
