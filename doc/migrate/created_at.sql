-- Proves how an ordinary column of times follows the key, so that queries by it use the index of the key. The column
-- stays as it is. Prints the statements of a step, which can be run again after an error:
--   psql -d mydb -X -v table=payment -v step=1 -f created_at.sql | psql -d mydb -X -v ON_ERROR_STOP=1
-- table     the table
-- step      1 compare column and key; 2 add CHECKs for new rows; 3 for kind=equal, set the column in old rows;
--           4 validate the CHECKs; 5 drop indexes; back creates these again, and drops the rest
-- kind      near: the column may differ from the time of the key (default); equal: a trigger sets it to that time
-- column    the column (created_at): timestamptz, in UTC timestamp, or for kind=equal in UTC date
-- key       the key (id)
-- earlier   by how much the column may be earlier than the key (1 hour)
-- later     by how much later (1 minute). With kind=equal, the trigger refuses more than the greater of both
-- pause     seconds between batches of step 3 (0)
-- triggers  fire, to let triggers of the table fire in step 3

\set ON_ERROR_STOP on
\ir time_column.sql

SELECT :'step' = '1' AS step_1, :'step' = '2' AS step_2, :'step' = '3' AS step_3, :'step' = '4' AS step_4,
    :'step' = '5' AS step_5, :'step' = 'back' AS step_back, :'kind' = 'equal' AS is_equal \gset

-- As there can be many children, also limit the time in which all of them are locked.
\set begin 'BEGIN;\nSET LOCAL lock_timeout = ''500ms'';\nSET LOCAL statement_timeout = ''2s'';'

\if :step_1
-- Times are like local time if they differ by whole hours, or, as in some zones, quarters of an hour.
INSERT INTO output SELECT format($f$SELECT rows, "of other versions", "without a time", "outside the tolerance",
    "like local time", earlier AS "earlier by", later AS "later by", %1$s
FROM (SELECT count(*) AS rows, count(*) FILTER (WHERE NOT uuid_is_v7(%2$s)) AS "of other versions",
    count(*) FILTER (WHERE %3$s IS NULL) AS "without a time",
    count(*) FILTER (WHERE (%4$s) IS FALSE) AS "outside the tolerance",
    count(*) FILTER (WHERE abs(s) > 1700 AND abs(s - 900 * round(s / 900)) < 60) AS "like local time",
    greatest(-min(by), '0') AS earlier, greatest(max(by), '0') AS later
    FROM %5$s, LATERAL (SELECT CASE WHEN isfinite(%3$s) THEN %3$s - %6$s END) AS difference (by),
        LATERAL extract(epoch FROM by) AS s) AS compared;$f$,
    (SELECT string_agg(format('coalesce((SELECT min(step)::text FROM unnest(%L::interval[]) AS step
        WHERE step >= 2 * %s), ''?'') AS "%2$s"', steps, side), ', ')
    FROM (VALUES ('{1 hour,6 hours,24 hours}', 'earlier'),
        ('{10 seconds,1 minute,10 minutes,1 hour,6 hours,24 hours}', 'later')) AS s (steps, side)),
    key, col, near, tab, time) FROM target WHERE type <> 'date';
INSERT INTO output SELECT format($f$SELECT %1$s, %2$s, %3$s AS "time of the key" FROM %4$s
WHERE (%5$s) IS NOT TRUE OR NOT uuid_is_v7(%1$s) LIMIT 20;$f$, key, col, time, tab,
    CASE type WHEN 'date' THEN equal ELSE near END) FROM target;
\if :is_equal
-- What rows lose, what the table gains, CHECKs that rows would no longer meet, and triggers.
INSERT INTO output SELECT format($f$SELECT count(*) AS "rows that lose their time", %L AS "size before"
FROM %s WHERE %s <> %s;$f$, pg_size_pretty(size), tab, col, time)
FROM target, (SELECT sum(pg_total_relation_size(rel)) AS size FROM member) AS s;
-- In a CHECK, the whole row has the name of the table.
INSERT INTO output SELECT format($f$SELECT count(*) AS %I FROM %s AS old, LATERAL (SELECT
    FROM jsonb_populate_record(old.*, jsonb_build_object(%L, %s)) AS %I WHERE (%s) IS FALSE) AS new;$f$,
    left('rows against ' || conname, 40), tab, :'column', time, relname, pg_get_expr(conbin, conrelid))
FROM target JOIN pg_constraint ON conrelid = rel AND contype = 'c' AND conkey && ARRAY[num, 0::smallint]
    AND conname <> proof ORDER BY conname;
INSERT INTO output SELECT CASE WHEN tgenabled = 'O' AND :'triggers' <> 'fire' THEN '-- Step 3 does not fire '
    ELSE '-- Step 3 fires ' END || pg_temp.in_comment(trigger) FROM fired ORDER BY trigger;
\endif
\endif

-- New rows must meet the CHECKs from here on.
\if :step_2
INSERT INTO output SELECT :'begin';
INSERT INTO output SELECT format(E'LOCK TABLE %s IN ACCESS EXCLUSIVE MODE;', tab) FROM target;
INSERT INTO output SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, proof) FROM target
WHERE proof_def <> :'wanted' AND note <> '{}';
INSERT INTO output SELECT format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %s
    FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger(%L, %L, %L);', keeper, m.tab, :'key', :'column',
    greatest(:'earlier'::interval, :'later'::interval))
FROM target, member AS m WHERE :'kind' = 'equal' AND NOT m.relispartition ORDER BY depth, m.tab;
INSERT INTO output SELECT format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID;', tab, name, expression)
FROM target, LATERAL (
    SELECT 1, proof, :'expression' WHERE proof_def IS DISTINCT FROM :'wanted'
    UNION ALL SELECT 2, key_proof, format('uuid_is_v7(%s)', key) WHERE NOT EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = target.rel AND pg_get_constraintdef(oid) IN (:'wanted_v7', :'wanted_v7' || ' NOT VALID'))
    UNION ALL SELECT DISTINCT 3, "check", format('%I IS NOT NULL', attname) FROM nullable AS n WHERE NOT EXISTS (
        SELECT FROM pg_constraint WHERE conrelid = target.rel AND conname = "check")) AS c (n, name, expression)
ORDER BY n, name;
INSERT INTO output SELECT pg_temp.noted(jsonb_build_object('kind', :'kind', 'had_v7', coalesce(note -> 'had_v7',
        to_jsonb(EXISTS (SELECT FROM pg_constraint WHERE conrelid = rel AND conname = key_proof))), 'nullable',
    coalesce(note -> 'nullable', (SELECT jsonb_agg(noted ORDER BY noted) FROM nullable), '[]'))) FROM target;
INSERT INTO output SELECT 'COMMIT;';
\endif

-- In batches of 100 pages, without rows that others have locked: if they change these, the trigger sets the column. The
-- last UPDATE sets the rest. VACUUM after each tenth makes room for the next.
\if :step_3
-- Also if there are none now: others could create some before this is run.
INSERT INTO output SELECT 'SET session_replication_role = replica;'
WHERE :'triggers' <> 'fire' AND has_parameter_privilege('session_replication_role', 'SET');
INSERT INTO output SELECT format($f$
SELECT statement FROM (SELECT pg_relation_size(%1$L) / current_setting('block_size')::bigint AS pages) AS size,
    generate_series(0, pages, 100) AS page, LATERAL (VALUES
        (1, %2$L || page || ',0)'' AND ctid < ''(' || page + 100 || %3$L), (2, %5$L),
        (3, CASE WHEN (page + 100) * 10 / (pages + 100) > page * 10 / (pages + 100) THEN %4$L END)) AS s (n, statement)
WHERE statement IS NOT NULL ORDER BY page, n
\gexec
SET lock_timeout = '500ms';
UPDATE ONLY %1$s SET %6$s = %7$s WHERE %6$s IS DISTINCT FROM %7$s;
RESET lock_timeout;$f$, m.tab,
    format('UPDATE ONLY %s SET %s = %s WHERE ctid = ANY (ARRAY(SELECT ctid FROM ONLY %1$s WHERE ctid >= ''(', m.tab,
        col, time),
    format(',0)'' AND %s IS DISTINCT FROM %s FOR NO KEY UPDATE SKIP LOCKED));', col, time),
    format('VACUUM (INDEX_CLEANUP ON) %s', m.tab),
    CASE WHEN :'pause' <> '0' THEN format('DO ''BEGIN PERFORM pg_sleep(%s); END''', :'pause'::numeric) END, col, time)
FROM target, member AS m WHERE :'kind' = 'equal' AND m.relkind = 'r' ORDER BY m.tab;
INSERT INTO output SELECT 'RESET session_replication_role;'
WHERE :'triggers' <> 'fire' AND has_parameter_privilege('session_replication_role', 'SET');
\endif

-- VALIDATE reads the table and blocks neither reads nor writes. A valid CHECK saves SET NOT NULL a scan under a lock.
\if :step_4
INSERT INTO output SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', tab, conname)
FROM target JOIN pg_constraint ON conrelid = rel AND NOT convalidated AND (conname = proof
    OR pg_get_constraintdef(oid) = :'wanted_v7' || ' NOT VALID' OR conname IN (SELECT "check" FROM nullable))
ORDER BY conname;
-- From PostgreSQL 18 on, NOT NULL can be NOT VALID.
INSERT INTO output SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', tab, conname)
FROM member JOIN pg_constraint ON conrelid = rel AND NOT convalidated AND contype = 'n'
    AND conkey[1] IN (num, key_num) ORDER BY depth DESC, tab, conname;
INSERT INTO output SELECT :'begin';
INSERT INTO output SELECT format('ALTER TABLE %s ALTER %I SET NOT NULL;', tab, attname) FROM nullable
ORDER BY depth, tab, attname;
INSERT INTO output SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, "check")
FROM target, (SELECT DISTINCT "check" FROM nullable) AS n ORDER BY "check";
-- Loads uuidx in sessions that plan a query of the table.
INSERT INTO output SELECT CASE WHEN has_schema_privilege(nspname, 'CREATE')
    THEN format('CREATE STATISTICS %I.%I ON (uuid_is_v7(%s)) FROM %s;', nspname, loader, key, tab)
    ELSE '-- Let the owner of the database load uuidx in new sessions, as you may not create a statistics object.' END
FROM target WHERE NOT is_loaded;
INSERT INTO output SELECT 'COMMIT;';
\endif

-- Those of partitions go with that of their table, which cannot be dropped concurrently.
\if :step_5
INSERT INTO output SELECT '-- Keep an index that queries need which no condition on the column limits: '
    || CASE :'kind' WHEN 'near' THEN 'min, max, newest rows of a join, groups in order, an order of all rows, '
        ELSE '' END
    || 'joins by equality.';
INSERT INTO output SELECT format('-- %s stays: %s', pg_temp.in_comment(name), pg_temp.in_comment(reason)) FROM ind
WHERE reason IS NOT NULL AND NOT relispartition ORDER BY name;
INSERT INTO output SELECT pg_temp.noted(jsonb_build_object('indexes', coalesce((SELECT jsonb_agg(i)
    FROM jsonb_array_elements(note -> 'indexes') AS i
    WHERE to_regclass(format('%I.%I', i ->> 'schema', i ->> 'index')) IS NULL), '[]') || dropped))
FROM target, (
    WITH RECURSIVE tree AS (
        SELECT indexrelid FROM ind WHERE reason IS NULL AND NOT relispartition
        UNION ALL SELECT inhrelid FROM tree JOIN pg_inherits ON inhparent = indexrelid
    )
    SELECT jsonb_agg(jsonb_build_object('schema', nspname, 'table', relname, 'index', index, 'order', indoption[0],
        'with', reloptions, 'tablespace', spcname, 'comment', obj_description(indexrelid, 'pg_class'), 'parent',
        (SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhparent WHERE inhrelid = indexrelid)) ORDER BY name)
        AS dropped
    FROM ind JOIN tree USING (indexrelid)) AS d WHERE dropped IS NOT NULL;
INSERT INTO output SELECT 'SET lock_timeout = ''500ms'';' WHERE EXISTS (SELECT FROM ind WHERE relkind = 'I');
INSERT INTO output SELECT format('DROP INDEX %s%s;', CASE relkind WHEN 'i' THEN 'CONCURRENTLY ' ELSE '' END, name)
FROM ind WHERE reason IS NULL AND NOT relispartition ORDER BY relkind, name;
\endif

-- The indexes first, so that queries have one at any time. New partitions get one, too.
\if :step_back
INSERT INTO output
WITH RECURSIVE was AS (
    SELECT w.* FROM target, jsonb_to_recordset(note -> 'indexes') AS w (schema name, "table" name, index name,
        "order" integer, "with" text[], tablespace name, comment text, parent name)
), tree AS (
    SELECT m.*, 1 AS level, w.index, w."order", w."with", w.tablespace, w.comment, NULL COLLATE "C" AS above
    FROM was AS w JOIN member AS m ON (m.nspname, m.relname) = (w.schema, w."table") WHERE parent IS NULL
    UNION ALL
    SELECT m.*, level + 1,
        coalesce(w.index, pg_temp.name_with(m.relname, '_' || :'column', m.rel::bigint)::name), t."order",
        coalesce(w."with", t."with"), coalesce(w.tablespace, t.tablespace), w.comment,
        format('%I.%I', t.nspname, t.index)
    FROM tree AS t JOIN pg_inherits ON inhparent = t.rel JOIN member AS m ON m.rel = inhrelid AND m.relispartition
    LEFT JOIN was AS w ON (m.nspname, m.relname, t.index) = (w.schema, w."table", w.parent) WHERE t.relkind = 'p'
), named AS (
    SELECT *, format('%I.%I', nspname, index) AS name, to_regclass(format('%I.%I', nspname, index)) AS present FROM tree
    -- The owner of the table could have written the name of an index of another one.
    WHERE NOT EXISTS (SELECT FROM pg_class AS c LEFT JOIN pg_index ON indexrelid = c.oid
        WHERE c.oid = to_regclass(format('%I.%I', nspname, index)) AND indrelid IS DISTINCT FROM rel)
)
SELECT sql FROM named, LATERAL (
    SELECT 1, 0, format('DROP INDEX CONCURRENTLY %s;', name) AS sql FROM pg_index
    WHERE indexrelid = present AND NOT indisvalid AND named.relkind = 'r'
    UNION ALL SELECT 2, level, format('CREATE INDEX %s%I ON %s%s (%I%s)%s%s;',
        CASE WHEN relkind = 'r' THEN 'CONCURRENTLY ' END, index, CASE WHEN relkind = 'p' THEN 'ONLY ' END, tab,
        :'column', pg_temp.order_of("order"), (SELECT format(' WITH (%s)', string_agg(format('%I = %L',
            split_part(o, '=', 1), substring(o FROM '=(.*)')), ', ')) FROM unnest("with") AS o HAVING count(*) > 0),
        ' TABLESPACE ' || quote_ident(tablespace))
    WHERE present IS NULL OR EXISTS (SELECT FROM pg_index WHERE indexrelid = present AND NOT indisvalid
        AND named.relkind = 'r')
    UNION ALL SELECT 3, -level, format('ALTER INDEX %s ATTACH PARTITION %s;', above, name)
    WHERE above IS NOT NULL AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = present)
    UNION ALL SELECT 4, 0, format('COMMENT ON INDEX %s IS %L;', name, comment) WHERE comment IS NOT NULL) AS s (a, b)
ORDER BY a, b, name;
INSERT INTO output SELECT :'begin';
INSERT INTO output SELECT format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE;', tab) FROM target;
INSERT INTO output SELECT format('DROP TRIGGER IF EXISTS %I ON %s;', keeper, m.tab)
FROM target, member AS m WHERE :'kind' = 'equal' AND NOT m.relispartition ORDER BY depth, m.tab;
INSERT INTO output SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, conname)
FROM target JOIN pg_constraint ON conrelid = rel AND contype = 'c' AND (conname = proof
    OR conname = key_proof AND note -> 'had_v7' = 'false'
    OR conname IN (SELECT pg_temp.name_with(attname, '_not_null', attnum) FROM pg_attribute
        WHERE attrelid = rel AND attnum IN (num, key_num))) ORDER BY conname;
INSERT INTO output SELECT format('ALTER TABLE %s%s ALTER %I DROP NOT NULL;',
    CASE WHEN m.relkind = 'r' THEN 'ONLY ' END, m.tab, n.name ->> 2)
FROM target, jsonb_array_elements(note -> 'nullable') AS n (name)
JOIN member AS m ON m.nspname = n.name ->> 0 AND m.relname = n.name ->> 1 ORDER BY depth, m.tab;
INSERT INTO output SELECT format('DROP STATISTICS %s.%I;', stxnamespace::regnamespace, stxname)
FROM target JOIN pg_statistic_ext ON stxrelid = rel AND stxname = loader;
INSERT INTO output SELECT 'COMMIT;';
\endif

SELECT sql FROM output ORDER BY n;
