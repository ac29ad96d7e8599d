-- For created_at.sql, which includes it: what it has to know of the table, and what it refuses.

\set ON_ERROR_STOP on
\set QUIET on
\timing off
\pset format unaligned
\pset tuples_only on
\pset pager off
\ir search_path.sql
\if :{?kind} \else \set kind near \endif
\if :{?column} \else \set column created_at \endif
\if :{?key} \else \set key id \endif
\if :{?earlier} \else \set earlier '1 hour' \endif
\if :{?later} \else \set later '1 minute' \endif
\if :{?pause} \else \set pause 0 \endif
\if :{?triggers} \else \set triggers '' \endif

-- Printed at the end, all at once: psql at the other end of a pipe may lock tables that queries here would wait for.
CREATE TEMP TABLE IF NOT EXISTS output (sql text, n serial);
TRUNCATE output;
INSERT INTO output SELECT format(E'SET search_path = %s;\nSET row_security = off;', current_setting('search_path'));

-- Returns a name with a suffix, shortened to the 63 bytes that PostgreSQL allows; the number keeps it unique.
CREATE OR REPLACE FUNCTION pg_temp.name_with(name text, suffix text, number bigint) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN octet_length(name) < 50 THEN name ELSE left(name, 8) || number END || suffix $$;
-- Returns what an index definition says of a column's order.
CREATE OR REPLACE FUNCTION pg_temp.order_of(option integer) RETURNS text LANGUAGE sql AS $$
    SELECT (ARRAY['', ' DESC NULLS LAST', ' NULLS FIRST', ' DESC'])[option + 1] $$;
-- A line break in a name of another role would end a comment.
CREATE OR REPLACE FUNCTION pg_temp.in_comment(name text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(name, '[\n\r]', ' ', 'g') $$;

-- The table and its children.
CREATE OR REPLACE TEMP VIEW member AS
WITH RECURSIVE tree AS (
    SELECT :'table'::text::regclass::oid AS rel, 0 AS depth
    UNION SELECT inhrelid, depth + 1 FROM tree JOIN pg_inherits ON inhparent = rel
)
SELECT rel, min(depth) AS depth, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) AS tab, c.relkind,
    c.relowner, c.relispartition, a.attnum AS num, k.attnum AS key_num
FROM tree JOIN pg_class AS c ON c.oid = rel JOIN pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = :'column' AND a.attnum > 0
LEFT JOIN pg_attribute AS k ON k.attrelid = rel AND k.attname = :'key' AND k.attnum > 0
GROUP BY rel, n.nspname, c.relname, c.relkind, c.relowner, c.relispartition, a.attnum, k.attnum;

CREATE OR REPLACE TEMP VIEW target AS
SELECT c.rel, c.relkind, c.nspname, c.relname, c.tab, num, key_num, quote_ident(:'column') AS col,
    quote_ident(:'key') AS key, format_type(a.atttypid, NULL) AS type, a.atttypmod, a.attgenerated,
    k.atttypid AS key_type, time, proof, key_proof, 'zz_' || proof AS keeper,
    pg_temp.name_with(c.relname, '_uuidx', rel::bigint) AS loader,
    format('%1$I >= %2$s - interval %3$L AND %1$I <= %2$s + interval %4$L', :'column', time,
        make_interval(secs => extract(epoch FROM :'earlier'::interval)::float8),
        make_interval(secs => extract(epoch FROM :'later'::interval)::float8)) AS near,
    format('%I = %s', :'column', time) AS equal, replace(pg_get_constraintdef(p.oid), ' NOT VALID', '') AS proof_def,
    p.convalidated AS is_proved, note,
    EXISTS (SELECT FROM pg_settings WHERE name ~ '_preload_libraries$' AND setting ~ '\muuidx\M'
            AND source IN ('configuration file', 'command line', 'database'))
        OR EXISTS (SELECT FROM pg_statistic_ext WHERE stxrelid = rel
            AND stxexprs::text LIKE format('%%{FUNCEXPR :funcid %s %%', to_regprocedure('uuid_is_v7(uuid)')::oid))
        AS is_loaded
FROM member AS c JOIN pg_attribute AS a ON a.attrelid = rel AND a.attnum = num
JOIN pg_attribute AS k ON k.attrelid = rel AND k.attnum = key_num
CROSS JOIN pg_temp.name_with(a.attname, '_by_key', num) AS proof
CROSS JOIN pg_temp.name_with(k.attname, '_is_v7', key_num) AS key_proof
CROSS JOIN LATERAL (SELECT format(CASE a.atttypid WHEN 'timestamp'::regtype THEN '(%s AT TIME ZONE ''Etc/UTC'')'
        WHEN 'date'::regtype THEN '(%s AT TIME ZONE ''Etc/UTC'')::date' ELSE '%s' END,
        format('uuid_extract_v7_time(%I)', :'key')) AS time) AS t
LEFT JOIN pg_constraint AS p ON p.conrelid = rel AND p.conname = proof
-- What "back" needs is in the comment of the CHECK.
CROSS JOIN LATERAL (
    SELECT coalesce(substring(obj_description(p.oid, 'pg_constraint') FROM '^\{.*\}$'), '{}')::jsonb AS note) AS n
WHERE depth = 0;

-- Returns the statement that adds to the note.
CREATE OR REPLACE FUNCTION pg_temp.noted(added jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L;', proof, tab, note || added) FROM target $$;

-- Columns whose NULLs would meet a CHECK.
CREATE OR REPLACE TEMP VIEW nullable AS
SELECT rel, depth, tab, attname, pg_temp.name_with(attname, '_not_null', attnum) AS "check",
    jsonb_build_array(nspname, relname, attname) AS noted
FROM member JOIN pg_attribute ON attrelid = rel AND attnum IN (num, key_num) AND NOT attnotnull;

-- Rules, and triggers of others, that step 3 would fire. With the privilege TRIGGER, they could take the name of that of
-- step 2, or give it a condition.
CREATE OR REPLACE TEMP VIEW fired AS
SELECT format('trigger %s on table %s', tgname, tab) AS trigger, tgenabled
FROM member JOIN pg_trigger ON tgrelid = rel AND NOT tgisinternal AND tgtype & 16 <> 0 AND tgenabled <> 'D'
    AND (tgattr::text = '' OR num = ANY (tgattr)) AND (tgname = (SELECT keeper FROM target) AND tgqual IS NULL
        AND tgfoid = to_regprocedure('uuid_time_trigger()')) IS NOT TRUE
WHERE :'kind' = 'equal'
UNION ALL SELECT format('rule %s on table %s', rulename, tab), ev_enabled
FROM member JOIN pg_rewrite ON ev_class = rel AND ev_type = '2' AND ev_enabled <> 'D' WHERE :'kind' = 'equal';

-- Indexes that have the column, why one is not to be dropped, and its definition with the key in the column's place.
CREATE OR REPLACE TEMP VIEW ind AS
SELECT i.*, m.tab, m.nspname, m.relname, format('%I.%I', m.nspname, c.relname) AS name, c.relname AS index, c.relkind,
    c.relispartition, c.reloptions, spcname,
    CASE WHEN NOT indisvalid THEN 'it is invalid' WHEN amname <> 'btree' THEN 'it is of type ' || amname
        WHEN indisreplident THEN 'it is the replica identity'
        WHEN indisunique OR EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) THEN 'it is a constraint'
        WHEN indpred IS NOT NULL THEN 'it is partial' WHEN indexprs IS NOT NULL THEN 'it has an expression'
        WHEN indnatts > indnkeyatts THEN 'it includes columns'
        WHEN indnatts > 1 THEN 'unless one with the key serves these queries: ' || format('CREATE INDEX %sON %s (%s);',
            CASE WHEN c.relkind = 'i' THEN 'CONCURRENTLY ' ELSE '' END, tab, by_key)
        WHEN NOT opcdefault THEN 'it has another operator class' WHEN indisclustered THEN 'it clusters the table'
        END AS reason
FROM member AS m JOIN pg_index AS i ON indrelid = m.rel JOIN pg_class AS c ON c.oid = indexrelid
JOIN pg_am AS am ON am.oid = relam JOIN pg_opclass AS o ON o.oid = indclass[0]
LEFT JOIN pg_tablespace AS t ON t.oid = reltablespace,
LATERAL (SELECT string_agg(CASE WHEN indkey[n] = num THEN quote_ident(:'key') ELSE
        pg_get_indexdef(indexrelid, n + 1, false) END || pg_temp.order_of(indoption[n]), ', ' ORDER BY n) AS by_key
    FROM generate_series(0, indnkeyatts - 1) AS n) AS k
WHERE num = ANY (indkey) OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid
    AND refclassid = 'pg_class'::regclass AND refobjid = m.rel AND refobjsubid = num);

-- The definitions of the CHECKs as PostgreSQL stores them.
\set wanted ''
\set wanted_v7 ''
SELECT CASE :'kind' WHEN 'near' THEN near WHEN 'equal' THEN equal END AS expression, key AS quoted_key,
    col AS quoted_column, type AS column_type FROM (SELECT) AS one LEFT JOIN target ON true \gset
\if :{?expression}
BEGIN;
CREATE TEMP TABLE wanted (:quoted_key uuid, :quoted_column :column_type, CONSTRAINT a CHECK (:expression),
    CONSTRAINT b CHECK (uuid_is_v7(:quoted_key)));
SELECT max(def) FILTER (WHERE conname = 'a') AS wanted, max(def) FILTER (WHERE conname = 'b') AS wanted_v7
FROM pg_constraint, pg_get_constraintdef(oid) AS def WHERE conrelid = 'pg_temp.wanted'::regclass \gset
ROLLBACK;
\endif

-- What the script cannot do, or what would not help.
CREATE OR REPLACE TEMP VIEW problem AS
SELECT format('%s is no step of this script, or %s no kind', :'step', :'kind') AS message
WHERE :'step' NOT IN ('1', '2', '3', '4', '5', 'back') OR :'kind' NOT IN ('near', 'equal')
UNION ALL SELECT 'this needs the extension: with functions in plain SQL, no query by the column uses the key'
WHERE :'step' <> 'back' AND NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regprocedure('uuid_is_v7(uuid)')
    AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND probin LIKE '%uuidx%')
UNION ALL SELECT format('%s has no columns %s and %s', :'table', :'column', :'key')
WHERE NOT EXISTS (SELECT FROM target)
UNION ALL SELECT format('%s is no table, or a partition', tab) FROM target, pg_class
WHERE oid = rel AND (target.relkind NOT IN ('r', 'p') OR relispartition)
UNION ALL SELECT format('column %s is generated', col) FROM target WHERE attgenerated <> ''
UNION ALL SELECT format('column %s is not of type uuid', key) FROM target WHERE key_type <> 'uuid'::regtype
UNION ALL SELECT format('column %s has type %s, for which there is no kind %s', col, type, :'kind') FROM target
WHERE type NOT IN ('timestamp with time zone', 'timestamp without time zone', 'date')
    OR type = 'date' AND :'kind' = 'near' OR type <> 'date' AND :'kind' = 'equal' AND atttypmod BETWEEN 0 AND 2
UNION ALL SELECT 'a tolerance is less than 0' WHERE least(:'earlier'::interval, :'later'::interval) < '0'
UNION ALL SELECT format('table %s belongs to another role, or is a foreign table', m.tab) FROM member AS m
JOIN member AS r ON r.depth = 0 WHERE m.relowner <> r.relowner OR m.relkind NOT IN ('r', 'p')
UNION ALL SELECT format('column %s is in the partition key of %s, which serves these queries', :'column', tab)
FROM member JOIN pg_partitioned_table ON partrelid = rel WHERE num = ANY (partattrs)
UNION ALL SELECT format('table %s has no index on %s', tab, :'key') FROM member WHERE relkind = 'r' AND NOT EXISTS (
    SELECT FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = rel AND indkey[0] = key_num AND indisvalid
        AND indpred IS NULL AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree'))
-- Before PostgreSQL 18, the way back would take that of the partition.
UNION ALL SELECT format('partition %s is NOT NULL, but %s is not: declare that so first', m.tab, n.tab)
FROM nullable AS n JOIN pg_inherits ON inhparent = n.rel JOIN member AS m ON m.rel = inhrelid AND m.relispartition
WHERE current_setting('server_version_num')::integer < 180000
    AND NOT EXISTS (SELECT FROM nullable AS o WHERE o.rel = m.rel AND o.attname = n.attname)
UNION ALL SELECT format('for kind=equal, rows with the same millisecond could violate index %s', name) FROM ind
WHERE :'kind' = 'equal' AND (indisunique OR indisexclusion)
UNION ALL SELECT format('for kind=equal, foreign key %s must not have the column', conname)
FROM member JOIN pg_constraint ON contype = 'f' AND (conrelid = rel AND num = ANY (conkey)
    OR confrelid = rel AND num = ANY (confkey)) WHERE :'kind' = 'equal'
UNION ALL SELECT format('the table has been migrated with kind=%s: to change that, go back first', note ->> 'kind')
FROM target WHERE note ->> 'kind' <> :'kind'
UNION ALL SELECT format('step 3 would fire %s, as you may not set session_replication_role: allow it by '
    '-v triggers=fire', trigger) FROM fired WHERE :'step' = '3' AND :'triggers' <> 'fire' AND (tgenabled <> 'O'
        OR NOT has_parameter_privilege('session_replication_role', 'SET'))
UNION ALL SELECT format('the comment on constraint %s is damaged', proof) FROM target
WHERE :'step' IN ('5', 'back') AND (EXISTS (SELECT FROM jsonb_array_elements(note -> 'indexes') AS i
        WHERE num_nulls(i ->> 'schema', i ->> 'table', i ->> 'index') > 0)
    OR EXISTS (SELECT FROM jsonb_array_elements(note -> 'nullable') AS n WHERE n ->> 2 IS NULL))
UNION ALL SELECT 'step 2 has not added the CHECKs' FROM target WHERE :'step' IN ('3', '4')
    AND proof_def IS DISTINCT FROM :'wanted'
UNION ALL SELECT 'step 4 has not proved the CHECKs' FROM target WHERE :'step' = '5' AND (is_proved IS NOT TRUE
    OR EXISTS (SELECT FROM nullable)
    OR NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = rel AND pg_get_constraintdef(oid) = :'wanted_v7'))
UNION ALL SELECT 'new sessions do not load uuidx' FROM target WHERE :'step' = '5' AND NOT is_loaded;
DO $$
DECLARE
    problem text := (SELECT message FROM problem LIMIT 1);
BEGIN
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING MESSAGE = problem;
    END IF;
END $$;
