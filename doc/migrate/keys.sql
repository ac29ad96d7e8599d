-- For the other scripts, which include it: finds the key of a table, and the foreign keys that reference it.
-- They print statements only, so that a step can be read, saved to a file and edited, or piped to psql.

\set ON_ERROR_STOP on
\set QUIET on
\timing off
\pset format unaligned
\pset tuples_only on
\pset pager off
\ir search_path.sql
\if :{?key} \else \set key id \endif
\if :{?type} \else \set type uuid \endif
\if :{?default} \else \set default 'uuid_v7()' \endif
\if :{?step} \else \set step '' \endif
\if :{?triggers} \else \set triggers '' \endif

-- Printed at the end, all at once: psql at the other end of a pipe may lock tables that queries here would wait for.
CREATE TEMP TABLE IF NOT EXISTS output (sql text, n serial);
TRUNCATE output;
INSERT INTO output SELECT format('SET search_path = %s;', current_setting('search_path'));

-- The key itself, without a constraint, and the columns that reference it. Read once, as other roles could change names
-- after these have been checked.
CREATE TEMP TABLE IF NOT EXISTS key_column (rel oid, owner oid, tab text, nspname name, relname name, relkind "char",
    col name, may_be_nullable boolean, is_set boolean, fk oid, conname name);
TRUNCATE key_column;
INSERT INTO key_column
SELECT c.oid, c.relowner, format('%I.%I', n.nspname, c.relname), n.nspname, c.relname, c.relkind, a.attname,
    a.attnotnull AND a.attidentity = '', a.attnotnull, f.oid, f.conname
FROM pg_attribute AS k
JOIN pg_constraint AS f ON f.contype = 'f' AND f.confrelid = k.attrelid AND f.confkey = ARRAY[k.attnum]
    AND f.conparentid = 0
JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
JOIN pg_class AS c ON c.oid = f.conrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE k.attrelid = :'parent'::text::regclass AND k.attname = :'key'
UNION ALL
SELECT c.oid, c.relowner, format('%I.%I', n.nspname, c.relname), n.nspname, c.relname, c.relkind, a.attname,
    a.attnotnull AND a.attidentity = '', a.attnotnull, NULL, NULL
FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE a.attrelid = :'parent'::text::regclass AND a.attname = :'key';

-- For online.sql, the columns with the names that its steps need, and what "back" sets as old key of new rows.
CREATE OR REPLACE TEMP VIEW col AS
SELECT k.*, quote_ident(col) AS old, quote_ident('new_' || col) AS new, quote_ident('old_' || col) AS kept,
    format('%I.%I', nspname, relname || '_new_' || col) AS fn,
    quote_ident(CASE WHEN fk IS NULL THEN 'zy_new_' ELSE 'zz_new_' END || col) AS trigger,
    quote_ident(relname || '_new_' || col || '_set') AS "check", fk IS NULL AS is_parent,
    first_value(tab) OVER by_fk AS parent, first_value(quote_ident(col)) OVER by_fk AS key,
    first_value(quote_ident('new_' || col)) OVER by_fk AS new_key,
    first_value(rel) OVER by_fk AS parent_rel, CASE WHEN a.atttypid = 'bytea'::regtype
            THEN format('uuid_to_bytea(%I)', col)
        WHEN a.atttypid IN ('uuid'::regtype, 'text'::regtype)
                OR a.atttypid IN ('varchar'::regtype, 'bpchar'::regtype) AND a.atttypmod - 4 NOT BETWEEN 0 AND 35
            THEN format('%I::text::%s', col, format_type(a.atttypid, a.atttypmod))
        WHEN a.atthasdef THEN 'DEFAULT' END AS old_key, fk IS NULL AND NOT a.attnotnull AS may_lack_old,
    row_number() OVER (ORDER BY fk IS NOT NULL, tab, col) AS n
FROM key_column AS k LEFT JOIN pg_attribute AS a ON attrelid = rel AND attname = 'old_' || col
WINDOW by_fk AS (ORDER BY fk NULLS FIRST ROWS UNBOUNDED PRECEDING);

-- The indexes of these columns, and the definitions of their successors, part by part: a literal can contain a name,
-- too. Those whose expression, predicate (except IS NOT NULL) or operator class is for the old type, and exclusion
-- constraints, have none.
CREATE OR REPLACE TEMP VIEW ind AS
SELECT i.indexrelid::regclass::text AS name, c.relname, format('%I.%I', n.nspname, c.relname) AS old,
    quote_ident(made) AS new, t.tab, n.nspname, con.conname, con.contype, pg_get_constraintdef(con.oid) AS def,
    obj_description(con.oid, 'pg_constraint') AS con_comment, obj_description(c.oid, 'pg_class') AS comment,
    indisclustered, indisreplident, format('%I.%I', n.nspname, made) AS made, pg_get_indexdef(indexrelid) AS by_hand,
    CASE WHEN con.condeferrable THEN ' DEFERRABLE' || CASE WHEN con.condeferred THEN ' INITIALLY DEFERRED' ELSE '' END
        END AS timing,
    CASE WHEN NOT indisexclusion AND can_follow AND indexprs::text !~ t.pattern IS NOT FALSE
            AND (indpred::text !~ t.pattern IS NOT FALSE OR not_null IS NOT NULL)
        THEN format(E'DROP INDEX CONCURRENTLY IF EXISTS %I.%I;\nCREATE %sINDEX CONCURRENTLY %2$I ON %4$s USING %I (%s)',
            n.nspname, made, CASE WHEN indisunique THEN 'UNIQUE ' END, t.tab, am.amname, part)
            || coalesce(' INCLUDE (' || included || ')', '')
            || CASE WHEN indnullsnotdistinct THEN ' NULLS NOT DISTINCT' ELSE '' END
            || coalesce((SELECT format(' WITH (%s)', string_agg(format('%I = %L', split_part(o, '=', 1),
                substring(o FROM '=(.*)')), ', ')) FROM unnest(c.reloptions) AS o HAVING count(*) > 0), '')
            || coalesce(' TABLESPACE ' || quote_ident(spcname), '')
            || coalesce(' WHERE ' || coalesce(quote_ident('new_' || not_null) || ' IS NOT NULL',
                pg_get_expr(indpred, indrelid)), '') || ';' END AS successor
FROM (SELECT rel, tab, array_agg(attnum) AS nums, array_agg(col) AS cols,
        format(':varattno (%s) ', string_agg(attnum::text, '|')) AS pattern
    FROM key_column JOIN pg_attribute ON attrelid = rel AND attname = col GROUP BY 1, 2) AS t
JOIN pg_index AS i ON i.indrelid = t.rel
JOIN pg_class AS c ON c.oid = i.indexrelid
JOIN pg_am AS am ON am.oid = c.relam
JOIN pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace AS space ON space.oid = c.reltablespace
LEFT JOIN pg_constraint AS con ON con.conindid = c.oid AND con.contype IN ('p', 'u')
LEFT JOIN LATERAL (SELECT col AS not_null FROM unnest(cols) AS col
    WHERE pg_get_expr(indpred, indrelid) = format('(%I IS NOT NULL)', col)) AS p ON true
CROSS JOIN LATERAL (SELECT left(c.relname, 59) || '_new' AS made) AS m
CROSS JOIN LATERAL (
    SELECT string_agg(name || CASE WHEN is_key THEN '' ELSE coalesce(' COLLATE ' || coll, '')
            || CASE WHEN opcdefault AND attoptions IS NULL THEN '' ELSE format(' %s%s', opclass, options) END END
            || CASE amname WHEN 'btree' THEN (ARRAY['', ' DESC NULLS LAST', ' NULLS FIRST', ' DESC'])[indoption[k] + 1]
                ELSE '' END, ', ' ORDER BY k) FILTER (WHERE k < indnkeyatts) AS part,
        string_agg(name, ', ' ORDER BY k) FILTER (WHERE k >= indnkeyatts) AS included,
        bool_and(NOT is_key OR opcdefault IS NOT FALSE) AS can_follow
    FROM generate_series(0, indnatts - 1) AS k JOIN pg_attribute AS a ON a.attrelid = indexrelid AND a.attnum = k + 1
    LEFT JOIN pg_opclass AS o ON o.oid = indclass[k]
    LEFT JOIN pg_namespace AS os ON os.oid = opcnamespace
    LEFT JOIN pg_collation AS l ON l.oid = nullif(indcollation[k], 0)
    LEFT JOIN pg_namespace AS ls ON ls.oid = collnamespace,
    LATERAL (SELECT indkey[k] = ANY (nums) AS is_key, format('%I.%I', os.nspname, opcname) AS opclass,
        CASE WHEN collname IS NOT NULL THEN format('%I.%I', ls.nspname, collname) END AS coll,
        (SELECT coalesce('(' || string_agg(format('%I = %L', split_part(x, '=', 1), substring(x FROM '=(.*)')), ', ')
            || ')', '') FROM unnest(a.attoptions) AS x) AS options) AS u,
    LATERAL (SELECT CASE WHEN is_key THEN quote_ident('new_' || (SELECT attname FROM pg_attribute
        WHERE attrelid = indrelid AND attnum = indkey[k]))
        ELSE pg_get_indexdef(indexrelid, k + 1, false) END AS name) AS v) AS parts
WHERE indkey::smallint[] && nums OR indexprs::text ~ t.pattern OR indpred::text ~ t.pattern;

-- What the scripts cannot do.
CREATE TEMP TABLE IF NOT EXISTS problem (message text);
TRUNCATE problem;
INSERT INTO problem
SELECT format('column %s of table %s is not its primary key', :'key', :'parent')
WHERE NOT EXISTS (SELECT FROM pg_constraint AS p JOIN pg_attribute AS a ON a.attrelid = p.conrelid
    AND ARRAY[a.attnum] = p.conkey
    WHERE p.contype = 'p' AND p.conrelid = :'parent'::text::regclass AND a.attname = :'key')
UNION ALL
SELECT format('table %s is partitioned', tab) FROM key_column WHERE relkind = 'p'
UNION ALL
SELECT format('foreign key %s of table %s has several columns', conname, conrelid::regclass) FROM pg_constraint
WHERE contype = 'f' AND confrelid = :'parent'::text::regclass AND cardinality(confkey) > 1
UNION ALL
SELECT format('foreign key %s of table %s references column %s.%s, which would change', f.conname,
    f.conrelid::regclass, tab, col)
FROM key_column JOIN pg_attribute ON attrelid = rel AND attname = col
JOIN pg_constraint AS f ON contype = 'f' AND confrelid = rel AND attnum = ANY (confkey) AND conparentid = 0
WHERE :'step' NOT IN ('7', 'undo', 'back') AND NOT EXISTS (SELECT FROM key_column AS k WHERE k.fk = f.oid)
UNION ALL
SELECT format('the names %s.%s are too long', tab, col) FROM key_column
WHERE octet_length(relname || col) > 54
UNION ALL
SELECT format('the names %s, %s, %s of a key have other characters than letters, digits, _, - and spaces', tab, col,
    conname) FROM key_column WHERE concat(nspname, relname, col, conname) ~ '[\x01-\x1f!-,./:-@[-^`{-~]'
-- Its triggers would run as you.
UNION ALL
SELECT format('table %s belongs to another role', tab) FROM key_column
WHERE NOT pg_has_role(owner, current_user, 'USAGE') AND owner <> (SELECT owner FROM key_column WHERE fk IS NULL)
-- Steps drop it.
UNION ALL
SELECT format('function %s belongs to another role', f.oid::regprocedure) FROM key_column
JOIN pg_proc AS f ON f.oid = to_regprocedure(format('%I.%I()', nspname, relname || '_new_' || col))
WHERE :'step' NOT IN ('', 'rewrite') AND proowner <> quote_ident(current_user)::regrole
    AND proowner <> (SELECT owner FROM key_column WHERE fk IS NULL)
-- Of online.sql: each conversion would take the columns and indexes of another for the application's.
UNION ALL
SELECT format('table %s is being converted for its column %s: first finish step 6 of that, or step=undo', tab,
    substring(tgname, 8))
FROM key_column AS k JOIN pg_trigger ON tgrelid = rel AND tgname ~ '^z[yz]_new_'
    AND tgfoid = to_regproc(format('%I.%I', nspname, relname || substring(tgname, 3)))
WHERE :'step' NOT IN ('', 'undo') AND (:'step' = 'rewrite' OR NOT EXISTS (SELECT FROM key_column AS own
    WHERE own.rel = tgrelid AND tgname = CASE WHEN own.fk IS NULL THEN 'zy_new_' ELSE 'zz_new_' END || own.col))
UNION ALL
SELECT format('step 3 would drop %s, which is not of this conversion: rename it, or finish step 7 of another', made)
FROM ind WHERE :'step' BETWEEN '1' AND '6' AND successor IS NOT NULL AND to_regclass(made) IS NOT NULL
    AND NOT EXISTS (SELECT FROM key_column AS k
        JOIN pg_attribute AS a ON attrelid = rel AND attname = 'new_' || col
        JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = attnum
        WHERE classid = 'pg_class'::regclass AND objid = to_regclass(made))
UNION ALL
SELECT 'others need the columns that this would drop or change: drop these first, and create them again after it: '
    || string_agg(DISTINCT object, ', ' ORDER BY object)
FROM key_column AS k JOIN pg_attribute ON attrelid = rel AND attname = col
JOIN pg_depend AS d ON refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = attnum AND deptype = 'n',
    pg_describe_object(classid, objid, objsubid) AS object
WHERE :'step' IN ('back', 'rewrite') AND NOT EXISTS (SELECT FROM key_column AS c WHERE objid = c.fk)
    AND NOT EXISTS (SELECT FROM pg_depend AS a WHERE (a.classid, a.objid, a.objsubid, a.refclassid, a.refobjid)
        = (d.classid, d.objid, d.objsubid, d.refclassid, d.refobjid) AND a.deptype = 'a')
HAVING count(*) > 0
-- Of online.sql, which sets new or old columns in all rows. A trigger for updated_at would take that for a change.
UNION ALL
SELECT format('step %s would fire trigger %s on table %s: allow it by -v triggers=fire%s', :'step', tgname, tab,
    CASE tgenabled WHEN 'O' THEN ', or run the step as a role that may set session_replication_role' END)
FROM key_column JOIN pg_trigger ON tgrelid = rel AND NOT tgisinternal AND tgtype & 16 <> 0 AND tgenabled <> 'D'
    AND NOT EXISTS (SELECT FROM key_column AS own WHERE own.rel = tgrelid
        AND tgfoid = to_regproc(format('%I.%I', nspname, relname || '_new_' || own.col)))
    AND (tgattr::text = '' OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = rel AND attnum = ANY (tgattr)
        AND attname IN ('new_' || col, 'old_' || col)))
WHERE :'step' IN ('2', '4', 'back') AND :'triggers' <> 'fire'
    AND (tgenabled <> 'O' OR NOT has_parameter_privilege('session_replication_role', 'SET'));
-- Rows since step 6 whose old key is NULL, and cannot be made.
SELECT format('INSERT INTO problem SELECT %L WHERE EXISTS (SELECT FROM %s WHERE %s IS NULL)',
    format('rows of table %s have no %s: set its default, such as nextval(''s''), or the keys', tab, kept), tab, kept)
FROM col WHERE :'step' = 'back' AND may_lack_old AND old_key IS NULL \gexec
DO $$
DECLARE
    problem text := (SELECT message FROM problem LIMIT 1);
BEGIN
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION USING MESSAGE = problem;
    END IF;
END $$;

-- The new key of a row, unless it is given. Later than in step 1, its columns may be others, or gone.
SELECT :'step' IN ('', '1', 'rewrite') AS makes_keys \gset
\if :makes_keys
\if :{?expression}
\else
SELECT CASE
        WHEN k.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
            THEN format('uuid_v7_at(%s, %I & 2147483647)', at, k.attname)
        WHEN k.atttypid = 'uuid'::regtype THEN format('uuid_v7_at(%s, %I, '''')', at, k.attname)
        WHEN k.atttypid = 'bytea'::regtype THEN format('uuid_from_bytea(%I)', k.attname)
        ELSE format('%I::uuid', k.attname) END AS expression
FROM pg_attribute AS k
LEFT JOIN pg_attribute AS c ON c.attrelid = k.attrelid AND c.attname = 'created_at'
    AND c.atttypid = 'timestamp'::regtype,
LATERAL (SELECT CASE WHEN c.attname IS NULL THEN 'created_at' ELSE 'created_at AT TIME ZONE ''UTC''' END AS at) AS time
WHERE k.attrelid = :'parent'::text::regclass AND k.attname = :'key' \gset
\endif
-- Fails if it is not an expression of the table's columns.
SELECT count(CAST((:expression) AS :type)) AS expression_is_valid FROM (SELECT * FROM :parent LIMIT 0) AS old \gset
\endif
