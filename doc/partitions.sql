-- Procedures that create and drop partitions of a table that is partitioned by ranges of its version 7 key:
--   psql -d app -f partitions.sql
-- Partitions end with a unit in UTC, and are called after the first one, such as log_2026_03.
-- Only the owner of the table may call them, unless that is a superuser: they run its code, as in indexes and CHECKs.
-- They do not depend on the search_path of a session: below, "uuidx." is replaced by the schema of uuidx. If that
-- changes, run the file again.

\set former_stop :ON_ERROR_STOP
\set ON_ERROR_STOP on
SELECT pg_catalog.current_setting('search_path') AS former_path \gset
\ir migrate/search_path.sql
SELECT replace($sql$
-- Creates the partitions of this unit (month, week, day, hour) and the following ones, if they are missing. ATTACH lets
-- others read and write the table, unlike CREATE TABLE … PARTITION OF.
CREATE OR REPLACE PROCEDURE create_partitions(parent regclass, unit text DEFAULT 'month',
    ahead interval DEFAULT '1 year')
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    step   interval := ('1 ' || unit)::interval;
    suffix text := CASE unit WHEN 'month' THEN '_YYYY_MM' WHEN 'hour' THEN '_YYYY_MM_DD_HH24'
        ELSE '_YYYY_MM_DD' END;
    owner  name := (SELECT rolname FROM pg_class AS c JOIN pg_roles AS r ON r.oid = relowner
        WHERE c.oid = parent AND NOT rolsuper);
    start  timestamp;
    name   text;
BEGIN
    IF owner <> current_user THEN
        RAISE insufficient_privilege USING MESSAGE = format('must be owner of table %s', parent),
            HINT = format('Connect as role %I, whose code could run with your privileges.', owner);
    END IF;
    IF NOT isfinite(ahead) THEN
        RAISE 'ahead is not finite';
    END IF;
    FOR start IN SELECT generate_series(date_trunc(unit, now() AT TIME ZONE 'UTC'),
            now() AT TIME ZONE 'UTC' + ahead, step) LOOP
        SELECT format('%I.%I', nspname, relname || to_char(start, suffix)) INTO name
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = parent;
        CONTINUE WHEN EXISTS (SELECT FROM pg_inherits
            WHERE inhparent = parent AND inhrelid = to_regclass(name));
        EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING IDENTITY)', name, parent);
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, name,
            uuidx.uuid_v7_min(start AT TIME ZONE 'UTC'), uuidx.uuid_v7_min((start + step) AT TIME ZONE 'UTC'));
    END LOOP;
END $$;

-- Drops the oldest partition, with its rows, if it ended at least this long ago. At most one each time, so that a wrong
-- clock cannot drop them all. A partition whose upper bound is not a time, such as a default partition, stays.
CREATE OR REPLACE PROCEDURE drop_oldest_partition(parent regclass, keep interval)
LANGUAGE plpgsql SET lock_timeout = '2s' SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner  name := (SELECT rolname FROM pg_class AS c JOIN pg_roles AS r ON r.oid = relowner
        WHERE c.oid = parent AND NOT rolsuper);
    oldest regclass;
BEGIN
    IF owner <> current_user THEN
        RAISE insufficient_privilege USING MESSAGE = format('must be owner of table %s', parent),
            HINT = format('Connect as role %I, whose code could run with your privileges.', owner);
    END IF;
    SELECT inhrelid INTO oldest FROM pg_inherits JOIN pg_class ON oid = inhrelid,
        substring(pg_get_expr(relpartbound, oid) FROM $e$TO \('(.+)'\)$e$) AS bound
    WHERE inhparent = parent AND uuidx.uuid_extract_time(bound::uuid) <= now() - keep
    ORDER BY bound LIMIT 1;
    IF FOUND THEN
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, oldest);
        EXECUTE format('DROP TABLE %s', oldest);
    END IF;
END $$;
$sql$, 'uuidx.', format('%I.', nspname)) FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace
WHERE p.oid = 'uuid_v7_min(timestamptz)'::regprocedure \gexec
SELECT set_config('search_path', :'former_path', false) AS former_path \gset
\set ON_ERROR_STOP :former_stop
\unset former_path
\unset former_stop
