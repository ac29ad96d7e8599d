-- Converts the primary key of a table and its foreign keys to version 7 UUIDs while the application writes, in seven
-- steps. Prints the statements of a step; they can be run again after an error.
--   psql -d mydb -X -v parent=customer -v step=1 -f online.sql | psql -d mydb -X -v ON_ERROR_STOP=1
-- parent      the table; the foreign keys that reference it are found
-- step        1 to 7; undo, before step 6; back, between 6 and 7
-- key         the column of the primary key (id)
-- expression  the new key of a row; by default, for integers and UUIDs, one with the time of created_at
-- default     the default of the key after step 6 (uuid_v7())
-- pause       seconds between batches in step 2 (0)
-- triggers    fire, to let other triggers of the tables fire in steps 2, 4 and back

\set ON_ERROR_STOP on
\ir keys.sql
\if :{?pause} \else \set pause 0 \endif

-- What else PostgreSQL keeps of constraints and indexes, for the successors or, in the step back, for the old ones.
CREATE OR REPLACE TEMP VIEW kept AS
SELECT sql FROM ind, LATERAL (SELECT coalesce(conname, CASE :'step' WHEN 'back'
        THEN regexp_replace(relname, '_new$', '') ELSE left(relname, 59) || '_new' END) AS now) AS n, LATERAL (
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L;', conname, tab, con_comment) WHERE con_comment IS NOT NULL
    UNION ALL SELECT format('COMMENT ON INDEX %I.%I IS %L;', nspname, conname, comment)
    WHERE conname IS NOT NULL AND comment IS NOT NULL
    UNION ALL SELECT format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I;', tab, now) WHERE indisreplident
    UNION ALL SELECT format('ALTER TABLE %s CLUSTER ON %I;', tab, now) WHERE indisclustered) AS s (sql)
WHERE successor IS NOT NULL
UNION ALL SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L;', conname, tab, obj_description(fk, 'pg_constraint'))
FROM key_column WHERE obj_description(fk, 'pg_constraint') IS NOT NULL;

SELECT :'step' = '1' AS step_1, :'step' = '2' AS step_2, :'step' = '3' AS step_3, :'step' = '4' AS step_4,
    :'step' = '5' AS step_5, :'step' = '6' AS step_6, :'step' = '7' AS step_7, :'step' = 'undo' AS step_undo,
    :'step' = 'back' AS step_back, CASE WHEN :'triggers' <> 'fire'
        AND has_parameter_privilege('session_replication_role', 'SET') THEN 'replica' ELSE 'origin' END AS role,
    string_agg(tab, ', ' ORDER BY n) AS tables
FROM (SELECT tab, min(n) AS n FROM col GROUP BY tab) AS t \gset

-- Add the columns, without a default, which would rewrite the tables, and triggers that fill them. By their names they
-- run after others, which may set what they read; they also run where others are off, as in step 2. Those of foreign
-- keys can read the parent for every role, with the rights of its owner, who may replace it by a view that calls
-- functions. Nobody can replace a function, or use it for another trigger, before it has its owner and privileges: it
-- is a new one, as one that is there keeps its grants.
\if :step_1
INSERT INTO output SELECT 'SET lock_timeout = ''500ms'';';
INSERT INTO output SELECT format(E'ALTER TABLE %s ADD COLUMN IF NOT EXISTS %s uuid;\nBEGIN;
DROP TRIGGER IF EXISTS %s ON %1$s;\nDROP FUNCTION IF EXISTS %4$s();', tab, new, trigger, fn)
    || CASE WHEN is_parent THEN format($f$
CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.%s := (SELECT %s FROM (SELECT NEW.*) AS new);
    RETURN NEW;
END $$;$f$, fn, new, :'expression') ELSE format($f$
CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.%s := (SELECT %s FROM %s WHERE %s = NEW.%s);%s
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION %1$s() FROM PUBLIC;$f$, fn, new, new_key, parent, key, old,
        CASE WHEN tab = parent THEN format($f$
    IF NEW.%s = NEW.%s THEN NEW.%s := NEW.%s; END IF;$f$, old, key, new, new_key) END) END
    || format(E'\nALTER FUNCTION %s() OWNER TO %s;', fn,
        (SELECT relowner::regrole FROM pg_class WHERE oid = parent_rel))
    || format($f$
CREATE TRIGGER %s BEFORE INSERT OR UPDATE ON %s
    FOR EACH ROW %sEXECUTE FUNCTION %s();
ALTER TABLE %2$s ENABLE ALWAYS TRIGGER %1$s;
COMMIT;$f$,
        trigger, tab, CASE WHEN is_parent THEN format('WHEN (NEW.%s IS NULL) ', new) END, fn)
FROM col ORDER BY n;
\endif

-- Fill them in old rows, 100 pages at a time. A row that moves to another page has been updated, and so filled. Other
-- triggers, such as those of updated_at, must not take that for a change.
\if :step_2
INSERT INTO output SELECT 'SET session_replication_role = replica;' WHERE :'role' = 'replica';
INSERT INTO output SELECT format($f$DO $$
DECLARE
    page bigint := 0;
BEGIN
    WHILE page < pg_relation_size('%1$s') / current_setting('block_size')::integer LOOP
        UPDATE %1$s SET %2$s = NULL WHERE %2$s IS NULL AND %3$s IS NOT NULL
            AND ctid >= format('(%%s,0)', page)::tid AND ctid < format('(%%s,0)', page + 100)::tid;
        COMMIT;
        PERFORM pg_sleep(%4$s);
        page := page + 100;
    END LOOP;
END $$;$f$, tab, new, old, :'pause') FROM col ORDER BY n;
INSERT INTO output SELECT 'RESET session_replication_role;' WHERE :'role' = 'replica';
\endif

-- Create an index for each that has one of the columns.
\if :step_3
INSERT INTO output SELECT coalesce(successor || coalesce(format(E'\nCOMMENT ON INDEX %s IS %L;', made, comment), ''),
    '-- Write it yourself, for the new columns: ' || regexp_replace(by_hand, '[\n\r]', ' ', 'g'))
FROM ind ORDER BY tab, name;
\endif

-- Declare the columns NOT NULL, by constraints that save SET NOT NULL a scan. Transactions that were open in step 2 may
-- have left rows without a value.
\if :step_4
INSERT INTO output SELECT 'SET lock_timeout = ''500ms'';';
INSERT INTO output
SELECT format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %s, ADD CONSTRAINT %2$s CHECK (%s) NOT VALID;', tab, "check",
    CASE WHEN is_set THEN format('%s IS NOT NULL', new) ELSE format('(%s IS NULL) = (%s IS NULL)', old, new) END)
FROM col ORDER BY n;
INSERT INTO output SELECT 'RESET lock_timeout;';
INSERT INTO output SELECT 'SET session_replication_role = replica;' WHERE :'role' = 'replica';
INSERT INTO output
SELECT format(E'UPDATE %s SET %s = NULL WHERE %2$s IS NULL AND %s IS NOT NULL;', tab, new, old) FROM col ORDER BY n;
INSERT INTO output SELECT 'RESET session_replication_role;' WHERE :'role' = 'replica';
INSERT INTO output SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %s;', tab, "check") FROM col ORDER BY n;
INSERT INTO output SELECT 'SET lock_timeout = ''500ms'';';
INSERT INTO output SELECT format('ALTER TABLE %s ALTER %s SET NOT NULL;', tab, new) FROM col WHERE is_set ORDER BY n;
INSERT INTO output SELECT sql FROM col JOIN pg_attribute ON attrelid = rel AND attname = col, LATERAL (
    SELECT format('COMMENT ON COLUMN %s.%s IS %L;', tab, new, col_description(rel, attnum)) AS sql
    WHERE col_description(rel, attnum) IS NOT NULL
    UNION ALL SELECT format('ALTER TABLE %s ALTER %s SET STATISTICS %s;', tab, new, attstattarget)
    WHERE attstattarget >= 0
    UNION ALL SELECT format('ALTER TABLE %s ALTER %s SET (%s);', tab, new, string_agg(o, ', '))
    FROM unnest(attoptions) AS o WHERE o ~ '^n_distinct(_inherited)?=' HAVING count(*) > 0) AS s ORDER BY n;
\endif

-- Add the foreign keys, unless they are there: to drop one would take a stronger lock. The tables are locked in the
-- order in which applications usually do. As lock_timeout is less than deadlock_timeout, this script gives way in a
-- deadlock, and not the application.
\if :step_5
INSERT INTO output
SELECT format($f$BEGIN;
SET LOCAL lock_timeout = '500ms';
LOCK TABLE %1$s, %2$s IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE %2$s ADD CONSTRAINT %3$s
    FOREIGN KEY (%4$s) REFERENCES %1$s (%5$s)%6$s NOT VALID;
COMMIT;$f$, parent, tab, quote_ident(left(conname, 59) || '_new'), new, new_key,
    regexp_replace(substring(replace(pg_get_constraintdef(fk), ' NOT VALID', '') FROM ' REFERENCES [^)]*\)(.*)'),
        '\([^)]*\)', format('(%s)', new), 'g'))
FROM col WHERE NOT is_parent AND NOT EXISTS (SELECT FROM pg_constraint AS c
    WHERE c.conrelid = rel AND c.conname = left(col.conname, 59) || '_new') ORDER BY n;
INSERT INTO output
SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', tab, left(conname, 59) || '_new')
FROM col WHERE NOT is_parent ORDER BY n;
\endif

-- Swap the columns. A line break in a name of another role would end the comment.
\if :step_6
INSERT INTO output SELECT format('-- Stays on %s.old_%s unless you drop and create it here: %s', relname, col,
    regexp_replace(object, '[\n\r]', ' ', 'g')) FROM col
JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = col
JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = attnum
    AND (deptype = 'n' OR classid = 'pg_statistic_ext'::regclass OR classid = 'pg_attrdef'::regclass AND NOT is_parent
        OR objid IN (SELECT name::regclass FROM ind WHERE successor IS NULL
            UNION ALL SELECT oid FROM pg_constraint WHERE contype = 'x')),
    pg_describe_object(classid, objid, 0) AS object
WHERE object !~ '_set on table' AND NOT EXISTS (SELECT FROM col AS c WHERE objid = c.fk)
ORDER BY n;
INSERT INTO output
SELECT format('-- New rows get no old key, but step=back needs it: ALTER TABLE %s ALTER %s SET DEFAULT nextval(''s'');',
    tab, old)
FROM col JOIN pg_attribute ON attrelid = rel AND attname = col WHERE is_parent AND NOT atthasdef AND attidentity = ''
    AND atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype);
INSERT INTO output
SELECT format(E'BEGIN;\nSET LOCAL lock_timeout = ''500ms'';\nLOCK TABLE %s IN ACCESS EXCLUSIVE MODE;', :'tables');
INSERT INTO output SELECT format('GRANT %s (%s) ON %s TO %s%s;', privilege_type, new, tab,
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
FROM col JOIN pg_attribute ON attrelid = rel AND attname = col, aclexplode(attacl) ORDER BY n, grantee, privilege_type;
INSERT INTO output SELECT format(E'DROP TRIGGER %s ON %s;\nDROP FUNCTION %s();', trigger, tab, fn) FROM col ORDER BY n;
INSERT INTO output
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, conname) FROM col WHERE NOT is_parent ORDER BY n;
INSERT INTO output
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, conname) FROM ind WHERE conname IS NOT NULL ORDER BY tab, name;
INSERT INTO output SELECT format('ALTER TABLE %s DROP CONSTRAINT %s;', tab, "check") FROM col ORDER BY n;
INSERT INTO output
SELECT format(E'ALTER TABLE %1$s RENAME COLUMN %2$s TO %3$s;\nALTER TABLE %1$s RENAME COLUMN %4$s TO %2$s;',
    tab, old, kept, new)
FROM col ORDER BY n;
INSERT INTO output SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %s%s;', tab, conname,
    CASE contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, new, timing)
FROM ind WHERE conname IS NOT NULL ORDER BY tab, name;
INSERT INTO output
SELECT format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I;', tab, left(conname, 59) || '_new', conname) FROM col
WHERE NOT is_parent ORDER BY n;
INSERT INTO output SELECT sql FROM kept ORDER BY sql;
INSERT INTO output SELECT format('ALTER TABLE %s ALTER %s DROP NOT NULL;', tab, kept) FROM col WHERE may_be_nullable
ORDER BY n;
INSERT INTO output SELECT format(E'ALTER TABLE %s ALTER %s SET DEFAULT %s;\n', tab, old, :'default')
    || CASE WHEN :'default' = 'uuid_v7()' AND atttypid = 'uuid'::regtype THEN
        format(E'-- Rejects keys of version 4, as of an older release of the application:\n'
        '-- ALTER TABLE %s ADD CHECK (uuid_is_v7(%s)) NOT VALID;\n', tab, old) ELSE '' END || 'COMMIT;'
FROM col JOIN pg_attribute ON attrelid = rel AND attname = col WHERE is_parent;
\endif

-- Drop the old columns, with their indexes.
\if :step_7
INSERT INTO output SELECT 'SET lock_timeout = ''500ms'';';
INSERT INTO output SELECT format('ALTER TABLE %s DROP COLUMN IF EXISTS %s;', tab, kept) FROM col ORDER BY n DESC;
INSERT INTO output
SELECT format('ALTER INDEX IF EXISTS %s RENAME TO %I;', old, regexp_replace(relname, '_new$', '')) FROM ind
WHERE relname ~ '_new$' ORDER BY tab, name;
-- From PostgreSQL 18 on, NOT NULL has a name.
INSERT INTO output SELECT format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I;', tab, n.conname, made)
FROM col JOIN pg_constraint AS n ON n.conrelid = rel AND n.contype = 'n'
    AND n.conname = relname || '_new_' || col || '_not_null',
    LATERAL (SELECT relname || '_' || col || '_not_null') AS m (made)
WHERE NOT EXISTS (SELECT FROM pg_constraint AS c JOIN pg_attribute ON attrelid = rel AND attnum = ANY (c.conkey)
    WHERE c.conrelid = rel AND c.conname = made AND attname <> 'old_' || col) ORDER BY col.n;
\endif

-- Undo steps 1 to 5.
\if :step_undo
INSERT INTO output SELECT 'SET lock_timeout = ''500ms'';';
INSERT INTO output
SELECT format(E'DROP FUNCTION IF EXISTS %s() CASCADE;  -- with its trigger\nALTER TABLE %s DROP COLUMN IF EXISTS %s;',
    fn, tab, new) FROM col ORDER BY n DESC;
\endif

-- Undo step 6. Constraints are created again by their own definitions, which then name the old columns.
\if :step_back
INSERT INTO output
SELECT format(E'BEGIN;\nSET LOCAL lock_timeout = ''500ms'';\nLOCK TABLE %s IN ACCESS EXCLUSIVE MODE;', :'tables');
INSERT INTO output SELECT 'SET LOCAL session_replication_role = replica;' WHERE :'role' = 'replica';
INSERT INTO output SELECT format('UPDATE %1$s SET %2$s = %3$s WHERE %2$s IS NULL;', tab, kept, old_key) FROM col
WHERE may_lack_old AND old_key IS NOT NULL;
INSERT INTO output SELECT format(
    E'UPDATE %1$s AS c SET %2$s = (%3$s)\n    WHERE %2$s IS DISTINCT FROM (%3$s);', c.tab, c.kept,
    format('SELECT %s FROM %s WHERE %s = c.%s', p.kept, p.tab, p.old, c.old))
FROM col AS c, col AS p WHERE p.is_parent AND NOT c.is_parent ORDER BY c.n;
INSERT INTO output
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, conname) FROM col WHERE NOT is_parent ORDER BY n;
INSERT INTO output
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I;', tab, conname) FROM ind WHERE conname IS NOT NULL ORDER BY tab, name;
INSERT INTO output
SELECT format(E'ALTER TABLE %1$s DROP COLUMN %2$s;\nALTER TABLE %1$s RENAME COLUMN %3$s TO %2$s;', tab, old, kept)
    || CASE WHEN is_set THEN format(E'\nALTER TABLE %s ALTER %s SET NOT NULL;', tab, old) ELSE '' END
FROM col ORDER BY n;
INSERT INTO output SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', tab, conname, def)
FROM ind WHERE conname IS NOT NULL ORDER BY tab, name;
INSERT INTO output SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID;', tab, conname,
    replace(pg_get_constraintdef(fk), ' NOT VALID', ''))
FROM col WHERE NOT is_parent ORDER BY n;
INSERT INTO output SELECT sql FROM kept ORDER BY sql;
INSERT INTO output SELECT 'COMMIT;';
INSERT INTO output
SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', tab, conname) FROM col WHERE NOT is_parent ORDER BY n;
\endif

SELECT sql FROM output ORDER BY n;
