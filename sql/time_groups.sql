-- The number of groups by what is computed from the time of a key is estimated from the keys that the conditions leave.
SET timezone = 'UTC';
\pset format unaligned
\pset tuples_only
CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
CREATE TABLE log (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
SELECT uuid_v7_min(now() - interval '100 days') AS middle \gset
CREATE TABLE log_old PARTITION OF log FOR VALUES FROM (MINVALUE) TO (:'middle');
CREATE TABLE log_new PARTITION OF log FOR VALUES FROM (:'middle') TO (MAXVALUE);
INSERT INTO event SELECT uuid_v7_at(now() - i * interval '30 min'), i % 7 FROM generate_series(1, 10000) AS i;
INSERT INTO log SELECT * FROM event;
VACUUM ANALYZE event;
VACUUM ANALYZE log;
CREATE VIEW event_at AS SELECT *, uuid_extract_v7_time(id) AS c FROM event;
CREATE VIEW log_at AS SELECT *, uuid_extract_time(id) AS c FROM log;
-- Returns whether the rows that the planner expects and those that come differ by a factor of more than 2.
CREATE FUNCTION is_off(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE plan json; found bigint;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO found;
  RETURN (plan->0->'Plan'->>'Plan Rows')::numeric NOT BETWEEN found / 2.0 AND found * 2.0;
END $$;
CREATE DOMAIN moment AS timestamptz;
CREATE DOMAIN day AS date;
CREATE DOMAIN number AS numeric;
CREATE TEMP TABLE form AS SELECT * FROM (VALUES
    ($$date_trunc('day', c)$$), ($$date_trunc('hour', c, 'Europe/Berlin')$$), ($$date_trunc('Month', c)$$),
    ($$c::date$$), ($$(c AT TIME ZONE 'America/New_York')::date$$), ($$date_bin('6 hours', c, '2026-01-01')$$),
    ($$date_trunc('week', c::timestamp + '1 day') + interval '-1 day'$$),
    ($$floor(extract(epoch FROM c) / 7200) * 7200$$),
    ($$to_char(c, 'DD.MM.YYYY')$$), ($$to_char(c, 'iyyy-iw')$$), ($$to_char(c, 'YYYY-MM-DD HH24:00')$$),
    ($$extract(hour FROM c)$$), ($$date_part('isodow', c)$$), ($$extract(year FROM c)$$),
    ($$c::moment$$), ($$(c::date)::day$$), ($$extract(epoch FROM c)::number$$)) AS form (form);
SELECT count(*) AS forms, string_agg(query, '; ') FILTER (WHERE is_off(query)) AS off
FROM form, (VALUES ('event_at'), ('log_at')) AS source (source),
  (VALUES ('true'), ($$c > now() - interval '20 days'$$), ($$c < now() - interval '150 days' AND n < 6$$))
    AS filter (filter), format('SELECT %s, count(*) FROM %s WHERE %s GROUP BY 1', form, source, filter) AS query;
-- With other columns, in joins and for DISTINCT.
SELECT is_off($$SELECT date_trunc('day', c), n, count(*) FROM event_at GROUP BY 1, 2$$),
  is_off($$SELECT DISTINCT c::date FROM event_at JOIN event USING (id)$$),
  is_off($$SELECT date_trunc('day', e.c) FROM event_at AS e LEFT JOIN log_at AS l ON l.id = e.id GROUP BY 1$$);
-- As a text of another collation or type, where the table begins with a number, and where an outer join adds NULL.
CREATE TABLE counted (n int, id uuid, PRIMARY KEY (id, n), CHECK (uuid_is_v7(id)));
INSERT INTO counted SELECT i, id FROM event, generate_series(1, 3) AS i;
ANALYZE counted;
CREATE VIEW counted_at AS SELECT *, uuid_extract_v7_time(id) AS c FROM counted;
SELECT is_off($$SELECT to_char(c, 'YYYY-MM-DD') COLLATE "C" FROM counted_at
    WHERE to_char(c, 'YYYY-MM-DD') COLLATE "C" <> 'x' GROUP BY 1$$),
  is_off($$SELECT to_char(c, 'YYYY-MM-DD')::varchar FROM counted_at
    WHERE to_char(c, 'YYYY-MM-DD')::varchar <> 'x' GROUP BY 1$$),
  is_off($$SELECT c::date FROM event LEFT JOIN counted_at USING (id) GROUP BY 1$$);
-- The time is as unique as the key.
SELECT is_off('SELECT c FROM counted_at GROUP BY 1'), is_off('SELECT FROM event_at JOIN counted_at USING (c)');
-- What increases with the key is read in the order of its index: no sort, and only the keys of the groups that come.
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text := '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ '->|^\S' THEN
      found := concat_ws(', ', nullif(found, ''), regexp_replace(line, '^ *(-> *)?| using .*| on .*', '', 'g'));
    END IF;
  END LOOP;
  RETURN found;
END $$;
SET timezone = 'Europe/Berlin';
INSERT INTO form VALUES ($$date_trunc('week', c AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Tokyo'$$),
  ($$date_part('epoch', c) / 60$$), ($$to_timestamp(floor(extract(epoch FROM c) / 600) * 600)$$),
  ($$(c - interval '4 hours')::date$$), ($$c::date + 1$$),
  ($$date_trunc('hour', c AT TIME ZONE 'Europe/Paris')$$), ($$c::timestamp$$), ($$c + interval '1 day'$$),
  ($$date_trunc('minute', c AT TIME ZONE 'Europe/Paris')$$), ($$(c::timestamp + '1 month')::date$$),
  ($$floor(-extract(epoch FROM c))$$), ($$floor(extract(epoch FROM c) / -60)$$),
  ($$extract(epoch FROM c) / 300$$), ($$-2 * extract(epoch FROM c)$$), ($$date_part('epoch', c) / -60$$),
  ($$c AT TIME ZONE 'EST'$$), ($$date_bin('1 day', c AT TIME ZONE 'Europe/Paris', '2020-01-01 02:30')$$),
  ($$(c - interval '262968 hours') AT TIME ZONE 'Asia/Kolkata'$$);
SELECT form FROM form, format('SELECT %s, count(*) FROM event_at GROUP BY 1 ORDER BY 1 DESC LIMIT 3', form) AS query
WHERE nodes(query) <> 'Limit, GroupAggregate, Index Only Scan Backward';
SELECT nodes($$SELECT date_trunc('day', c), count(*) FROM event_at GROUP BY 1 ORDER BY 1$$);
SELECT nodes(format(query, source)) FROM (VALUES ('event_at'), ('log_at')) AS source (source), (VALUES
    ('SELECT DISTINCT c::date FROM %s ORDER BY 1 LIMIT 3'), ('SELECT c::date, n FROM %s ORDER BY 1 DESC, 2 LIMIT 3'),
    ('SELECT DISTINCT ON (c::date) c::date, n FROM %s ORDER BY 1 LIMIT 3'),
    ($$SELECT min((c AT TIME ZONE 'Asia/Tokyo')::date) FROM %s$$),
    ('SELECT c::date, count(*) OVER (PARTITION BY c::date) FROM %s LIMIT 3'),
    ('SELECT c::moment FROM %s ORDER BY 1 DESC LIMIT 3'),
    ('SELECT c::date::day, count(*) OVER (ORDER BY c::date::day) FROM %s LIMIT 3'),
    ($$SELECT c::date FROM %s WHERE c < now() - interval '150 days' ORDER BY 1 DESC LIMIT 3$$)) AS shape (query);
-- Also if PostgreSQL removes a join: of a table with itself from 18 on, and such a left join in all versions.
CREATE TABLE few AS SELECT uuid_extract_v7_time(id) AS c FROM event LIMIT 5;
CREATE INDEX narrow ON event (id, n);
VACUUM ANALYZE event, few;
BEGIN;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
SET LOCAL enable_hashagg = off;
SELECT count(*) FROM (SELECT a.n, a.c FROM event_at AS a JOIN event_at AS b USING (id)
  WHERE b.c IN (SELECT c FROM few) ORDER BY a.c DESC, a.n LIMIT 9) AS found;
ROLLBACK;
DROP INDEX narrow;
DROP TABLE few;
CREATE TABLE mixed AS SELECT id, n FROM event UNION ALL SELECT gen_random_uuid(), n FROM event;
ALTER TABLE mixed ADD PRIMARY KEY (id);
VACUUM ANALYZE mixed;
CREATE VIEW mixed_at AS SELECT *, uuid_extract_v7_time(id) AS c FROM mixed;
SELECT joined, count(*) FILTER (WHERE is_off(format('SELECT a.c::date FROM %s GROUP BY 1', source))) AS off,
  count(*) FILTER (WHERE nodes(format('SELECT a.n FROM %s ORDER BY a.c LIMIT 3', source)) ~ 'Sort') AS sorted,
  count(*) FILTER (WHERE nodes(format('SELECT a.n FROM %s ORDER BY a.c::date DESC LIMIT 3', source)) ~ 'Sort'),
  count(*) FILTER (WHERE nodes(format($$SELECT a.n FROM %s AND a.c < now() - interval '207 days'$$, source))
    !~ 'Index') AS unused
FROM (VALUES ('event_at AS a JOIN event_at AS b USING (id)'), ('event_at AS a LEFT JOIN event_at AS b USING (id)'),
    ('event_at AS a JOIN event_at AS b USING (id) JOIN event AS d USING (id)'),
    ('log_at AS a LEFT JOIN log_at AS b USING (id)'), ('mixed_at AS a JOIN mixed_at AS b USING (id)'),
    ('mixed_at AS a LEFT JOIN mixed_at AS b USING (id)')) AS j (joined),
  (VALUES ('true'), ('b.n < 6')) AS filter (filter),
  format($$%s WHERE a.c < now() - interval '150 days' AND %s$$, joined, filter) AS source
GROUP BY joined ORDER BY joined COLLATE "C";
SELECT nodes($$SELECT FROM event AS a TABLESAMPLE SYSTEM (50) LEFT JOIN event_at AS b ON b.id = a.id AND b.c < now()
  ORDER BY uuid_extract_v7_time(a.id) LIMIT 3$$);
-- Before the minor releases of November 2024, PostgreSQL fails to merge the members of such a UNION ALL.
SELECT count(*) FILTER (WHERE nodes(query) ~ '^Limit, GroupAggregate, Result, Merge Append(, Index Scan)+$')
  = CASE WHEN version < 150009 OR version BETWEEN 160000 AND 160004 OR version = 170000 THEN 0 ELSE 2 END
FROM (SELECT current_setting('server_version_num')::int) AS server (version),
  (VALUES ('event_at'), ('log_at')) AS source (source), format(
    'SELECT c::date, sum(n) FROM (SELECT * FROM %s UNION ALL SELECT * FROM event_at) AS u GROUP BY 1 LIMIT 3', source)
    AS query
GROUP BY version;
-- NULL is among the rows.
CREATE TABLE loose (id uuid UNIQUE CHECK (uuid_is_v7(id)));
INSERT INTO loose VALUES (NULL), (uuid_v7());
SET enable_seqscan = off;
SELECT count(*) FROM (SELECT uuid_extract_v7_time(id)::date FROM loose ORDER BY 1 LIMIT 2) AS both_rows;
-- Nor is the order that of a type with the same bytes: as a floating point number, a time before 2000 is NaN.
CREATE CAST (timestamptz AS float8) WITHOUT FUNCTION;
INSERT INTO loose VALUES (uuid_v7_at('1999-01-01Z'));
SELECT array_agg(c) = array_agg(c ORDER BY c), count(*) FILTER (WHERE c > 1)
FROM (SELECT uuid_extract_v7_time(id)::float8 FROM loose ORDER BY 1) AS number (c);
SELECT count(*) FROM loose WHERE uuid_extract_v7_time(id)::float8 > 1;
DROP CAST (timestamptz AS float8);
RESET enable_seqscan;
-- In which zones, for that of the session and a named one: in some, a day or an hour begins twice.
SELECT zone, string_agg(part, ' ' ORDER BY part)
  FILTER (WHERE nodes(left(set_config('timezone', zone, false), 0) || query) !~ 'Sort')
FROM (VALUES ('UTC'), ('Europe/Berlin'), ('America/St_Johns'), ('Antarctica/Casey'), ('Antarctica/Troll'),
    ('Pacific/Chatham'), ('Pacific/Apia'), ('XXX3YYY,M3.2.0/0:01,M11.1.0/0:01'), ('<A>100<B>-167,J60/0,J300/0'),
    ('<A>-1<B>-1:30,M3.5.0/2:10,M10.5.0/2:10')) AS zone (zone),
  (VALUES ('time', 'c AT TIME ZONE %L'), ('minutes', $$date_trunc('minute', c AT TIME ZONE %L)$$),
    ('hours', $$date_trunc('hour', c AT TIME ZONE %L)$$), ('days', '(c AT TIME ZONE %L)::date'),
    ('shifted', $$(c AT TIME ZONE %L - interval '01:30')::date$$),
    ('session', 'c::date'), ('back', $$date_trunc('day', c, %L)$$), ('cut', $$date_trunc('hour', c, %L)$$),
    ('skipped', $$date_trunc('minute', c AT TIME ZONE 'UTC') AT TIME ZONE %L$$),
    ('cast', $$(c AT TIME ZONE 'UTC')::timestamptz$$)) AS part (part, form),
  format('SELECT %s FROM event_at ORDER BY 1 LIMIT 1', format(form, zone)) AS query
GROUP BY zone ORDER BY zone COLLATE "C";
-- A plan that was made for another zone is not used, and is made anew.
SET timezone = 'Europe/Berlin';
SET plan_cache_mode = force_generic_plan;
PREPARE days AS SELECT count(*) FROM (SELECT c::date FROM log_at ORDER BY 1 LIMIT 3) AS day;
EXECUTE days;
SET timezone = 'America/New_York';
EXECUTE days;
SET timezone = 'America/St_Johns';
EXECUTE days;
EXECUTE days;
-- The session makes no more plans in the order of its zone, so that a statement for several zones fails once.
SET timezone = 'UTC';
EXECUTE days;
SET timezone = 'America/St_Johns';
EXECUTE days;
-- That ends with the plans of the session, which another user may have next. A call by hand changes nothing.
SET timezone = 'Europe/Berlin';
SELECT nodes($$SELECT c::date FROM event_at ORDER BY 1 LIMIT 1$$);
DISCARD PLANS;
SELECT uuid_check_zone(nil_uuid(), true);
SELECT nodes($$SELECT c::date FROM event_at ORDER BY 1 LIMIT 1$$);
-- Nor are rows in the order of two zones.
\c -
SET timezone = 'UTC';
BEGIN;
DECLARE day CURSOR FOR
SELECT count(*) FROM event_at WHERE c < now() - interval '1 day' GROUP BY c::date ORDER BY c::date DESC;
FETCH 2 FROM day \g /dev/null
SET LOCAL timezone = '<A>5';
FETCH ALL FROM day;
ROLLBACK;
-- Nor those of one that was read before, which is no error for a call by hand, nor in the midst of a statement. No
-- worker reads them.
\c -
SET timezone = 'UTC';
BEGIN;
DECLARE twice CURSOR FOR SELECT c::date FROM event_at, generate_series(1, 5) ORDER BY 1;
DECLARE by_hand CURSOR FOR SELECT i FROM (SELECT FROM event_at WHERE uuid_check_zone(id, true) LIMIT 1) AS e,
  generate_series(1, 5) AS i;
FETCH FROM twice \g /dev/null
FETCH FROM by_hand;
SET LOCAL timezone = '<A>5';
FETCH FROM by_hand;
FETCH FROM twice;
ROLLBACK;
\c -
SELECT set_config(name, 'on', false) <> '' FROM pg_settings
WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
SELECT nodes($$SELECT c::date FROM event_at ORDER BY 1 LIMIT 1$$);
SELECT c::date, set_config('timezone', '<A>5', false) FROM event_at ORDER BY 1 LIMIT 2;
-- Also where workers do what they can.
\c -
SET plan_cache_mode = force_generic_plan;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET parallel_leader_participation = off;
SET enable_seqscan = off;
SET enable_sort = off;
SET enable_hashagg = off;
SET timezone = 'UTC';
PREPARE counts AS
SELECT count(*) FROM (SELECT c::date, count(*) FROM event_at GROUP BY 1 ORDER BY 1 DESC LIMIT 3) AS day;
-- The plan that brings the hooks is made anew.
EXECUTE counts \g /dev/null
EXECUTE counts;
SET timezone = 'America/St_Johns';
EXECUTE counts;
EXECUTE counts;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET min_parallel_index_scan_size;
RESET parallel_leader_participation;
RESET enable_seqscan;
RESET enable_sort;
RESET enable_hashagg;
\c -
SET timezone = 'UTC';
SELECT nodes($$SELECT date_trunc('hour', (c AT TIME ZONE 'UTC') AT TIME ZONE 'Europe/Berlin') FROM event_at
    ORDER BY 1 LIMIT 1$$);
-- A quotient by NaN.
SELECT count(*), sum(n) FROM (SELECT count(*) AS n FROM event_at GROUP BY floor(extract(epoch FROM c) / 'NaN')) AS q;
-- The switch, and a time as such, which is nearly unique.
SELECT is_off($$SELECT c FROM event_at GROUP BY 1$$);
SET uuidx.enable_time_columns = off;
SELECT is_off($$SELECT c::date FROM event_at GROUP BY 1$$);

SET client_min_messages = warning;
DROP TABLE event, log, loose, mixed CASCADE;
DROP FUNCTION is_off, nodes;
DROP DOMAIN moment, day, number;
