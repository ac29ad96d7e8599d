-- Every form of a condition on the time of a key returns the same rows as without the rewriting, in every time zone
-- that PostgreSQL accepts.
SET enable_seqscan = off;
CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int NOT NULL);
-- Around changes of summer time, of a zone's day, of the year, and today.
INSERT INTO event
SELECT uuid_v7_at(t::timestamptz + i * interval '25 minutes 0.123 seconds'), i
FROM unnest(ARRAY['2011-12-28Z', '1993-08-19Z', '2026-03-27Z', '2026-10-23Z', '2025-12-30Z', 'today',
        '2500-06-01Z']) AS t,
    generate_series(0, 300) AS i;
INSERT INTO event VALUES (uuid_v7_at('2026-03-27 00:59:59.9997Z'), 301);
ANALYZE event;
CREATE VIEW event_at AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event;

CREATE TABLE form (condition text);
INSERT INTO form VALUES
    ($$created_at >= date '2026-03-29'$$), ($$created_at < timestamp '2026-03-29 02:30'$$),
    ($$timestamp '2011-12-30 12:00' >= created_at$$), ($$created_at > current_date$$),
    ($$created_at <= localtimestamp$$), ($$created_at = timestamp '2026-03-27'$$),
    ($$created_at < date '5874897-12-31'$$), ($$created_at > date '4713-01-01 BC'$$),
    ($$created_at < date 'infinity'$$), ($$created_at <= timestamp '-infinity'$$),
    ($$created_at::date = '2026-03-29'$$), ($$created_at::date = '2011-12-30'$$), ($$created_at::date = '1993-08-21'$$),
    ($$created_at::date >= '2026-10-25'$$), ($$created_at::date < '2026-10-25'$$), ($$created_at::date <= 'infinity'$$),
    ($$created_at::date BETWEEN '2011-12-29' AND '2011-12-31'$$), ($$created_at::date + 3 > '2026-03-31'$$),
    ($$created_at::date IN ('2026-03-29', '2026-10-25')$$), ($$created_at::date = '5874897-12-31'$$),
    ($$created_at::date >= timestamptz '2026-10-25 00:30'$$), ($$created_at::timestamp >= '2026-10-25 02:30'$$),
    ($$created_at::timestamp < timestamptz '2026-10-25 02:30'$$), ($$created_at::timestamp = '2026-03-27'$$),
    ($$(created_at AT TIME ZONE 'Europe/Berlin')::date = '2026-03-29'$$),
    ($$(created_at AT TIME ZONE 'Pacific/Apia')::date >= '2011-12-30'$$),
    ($$created_at AT TIME ZONE '<A>-100' < '2026-03-29'$$), ($$created_at AT TIME ZONE 'EST' < '2026-03-29'$$),
    ($$created_at AT TIME ZONE 'UTC' >= '2026-03-29 12:00'$$), ($$created_at AT TIME ZONE 'utc' = '2026-03-27'$$),
    ($$created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' >= '2026-03-29 12:00'$$),
    ($$date_trunc('day', created_at) = '2026-03-29'$$), ($$date_trunc('month', created_at) = '2026-10-01'$$),
    ($$date_trunc('hour', created_at) = '2026-03-29 03:00'$$), ($$date_trunc('week', created_at) <= '2011-12-26'$$),
    ($$date_trunc('year', created_at) > '2025-01-01'$$),
    ($$date_trunc('day', created_at, 'Australia/Lord_Howe') = '2026-10-25Z'$$),
    ($$date_trunc('quarter', created_at::timestamp) = '2026-10-01'$$),
    ($$date_bin('15 minutes', created_at, '2020-01-01') = '2026-03-29 01:00Z'$$),
    ($$date_bin('1 day', created_at, '2030-01-01') < '2026-03-28Z'$$),
    ($$now() - created_at < interval '1 day'$$), ($$created_at - now() > interval '-2 days'$$),
    ($$timestamptz '2026-03-29' - created_at >= interval '1 day 2 hours'$$),
    ($$created_at + interval '30 days' > now()$$), ($$created_at - interval '1 month 2 days' < '2026-02-27'$$),
    ($$interval '1 year' + created_at >= '2027-03-29'$$), ($$created_at + interval '3 hours' < '2026-03-29'$$),
    ($$created_at::timestamp + interval '1 month' < '2026-04-29'$$), ($$created_at::timestamptz(4) = '2026-03-27'$$),
    ($$created_at::timestamptz(3) < '2026-03-29'$$), ($$created_at::timestamptz(2) = '2026-03-27 00:25:00.12Z'$$),
    ($$(created_at + interval '500 us')::timestamptz(3) = '2026-03-27 00:25:00.124Z'$$),
    ($$created_at - interval '1 month' >= '2026-02-28'$$), ($$extract(epoch FROM created_at) >= 1774700000$$),
    ($$date_part('epoch', created_at) < 1774700000.5$$), ($$date_part('epoch', now() - created_at) < 8e7::real$$),
    ($$extract(epoch FROM created_at) < 'NaN'$$),
    ($$created_at IN ('2026-03-27Z', '2026-10-23Z')$$),
    ($$created_at > ANY (ARRAY[timestamptz '2026-03-28', NULL, current_date])$$),
    ($$created_at <= ANY ('{2011-12-29Z,1993-08-20Z}')$$),
    ($$created_at = ANY (ARRAY['2026-03-27Z', NULL]::timestamptz[])$$),
    ($$created_at = ANY (string_to_array('2026-03-27Z,2026-10-23Z', ',')::timestamptz[])$$),
    ($$created_at::date = ANY (array_fill(date '2026-03-29', ARRAY[300]))$$),
    ($$created_at::date = ANY (string_to_array('2026-03-29,2026-10-25', ',')::timestamp[])$$),
    ($$date_trunc('day', created_at) IN (SELECT '2026-03-29'::timestamptz)$$),
    ($$created_at IN (date '2026-03-27', '2026-10-23')$$), ($$created_at >= '2026-10-23' OR created_at IS NULL$$),
    ($$created_at < '2011-12-29' OR created_at >= '2500-06-02'$$),
    ($$created_at < '2026-03-27Z' OR (created_at = '2026-03-27Z' AND id < uuid_v7_max('2026-03-27Z'))$$),
    ($$(created_at, n) < ('2026-03-28', 7)$$), ($$created_at IS NULL$$),
    ($$extract(year FROM created_at) = 2026$$), ($$extract(year FROM created_at) > 2025.9999999999999999$$),
    ($$extract(year FROM created_at) = 2026.00000000000000001$$), ($$to_char(created_at, 'YYYY-MM') = '2026-03-29'$$),
    ($$extract(year FROM created_at) < 2026.00000000000000001$$), ($$extract(year FROM created_at) < 2026$$),
    ($$date_part('year', created_at::date) BETWEEN 1993 AND 2011$$),
    ($$extract(year FROM created_at) IN (1993, 2026)$$), ($$(extract(year FROM created_at), n) < (2026, 7)$$),
    ($$(extract(year FROM created_at), n) > (2025, 300)$$), ($$extract(year FROM created_at) <= 'Infinity'$$),
    ($$to_char(created_at, 'YYYY-MM-DD') = '2026-03-29'$$), ($$to_char(created_at, 'yyyy-mm') = '2025-12'$$),
    ($$to_char(created_at::timestamp, 'YYYY') IN ('2011', '2026')$$), ($$to_char(created_at, 'YYYY-MM') = '2025-15'$$),
    ($$to_char(created_at, 'YYYY-MM')::bpchar = '2026-03 '$$),
    ($$to_char(created_at, 'YYYY-MM-DD') = to_char(now(), 'YYYY-MM-DD')$$), ($$to_char(created_at, 'YYYY') = 'a'$$),
    ($$date_bin('1 day', created_at, CASE WHEN n < 0 THEN now() END) > '2000-01-01'$$),
    ($$to_char(created_at, 'YYYY-MM') = '1146894'$$), ($$to_char(created_at, 'YYYY-MM-DD') = '11468944-0'$$),
    ($$extract(epoch FROM timestamptz '2011-12-28 00:25:01.124Z' - created_at) = 1.001$$),
    ($$extract(epoch FROM now() - created_at) < 86400$$), ($$date_part('epoch', created_at - now()) >= -1e5$$),
    ($$created_at IS NOT DISTINCT FROM NULL$$),
    ($$to_char(created_at - interval '3000 years', 'YYYY') = '0975'$$), ($$to_char(created_at, 'Yyyy') = '6026'$$),
    ($$extract(year FROM created_at - interval '3000 years') = -975$$),
    ($$(n, now() - created_at) < (7, interval '30 days')$$),
    ($$date_trunc('month', created_at) IN ('2026-03-01', '2026-10-02')$$), ($$created_at::date = current_date$$),
    ($$date_trunc('day', created_at) = '2026-03-29 01:00'$$), ($$date_trunc('year', created_at) = '2026-01-01'$$),
    ($$date_trunc('week', created_at::timestamp) IN ('2026-03-23', '2026-10-21')$$),
    ($$date_trunc('month', created_at)::date = '2026-03-01'$$), ($$(created_at + '1 day')::date = '2026-03-29'$$),
    ($$date_trunc('hour', created_at AT TIME ZONE 'UTC') = '2026-03-29 01:00'$$),
    ($$created_at::date = timestamptz '2026-03-29'$$), ($$to_char(created_at, 'YYYY-MM-DD') = '2026-3-29'$$),
    ($$to_char(created_at, 'YYYY-MM-DD') IN ('2026-02-57', '2026-10-25')$$),
    ($$date_trunc('year', created_at) = '2025-01-01'$$),
    ($$date_trunc('hour', uuid_extract_time_precise(id) + interval '500 us') < '2026-03-27 01:00Z'$$),
    ($$date_trunc('day', created_at) = '-infinity'$$), ($$created_at::date = 'infinity'$$),
    ($$date_trunc('day', created_at + interval '1 month')::date = '2026-04-29'$$);

-- Returns what a condition finds in a time zone, with the rewriting or without.
CREATE FUNCTION found(zone text, condition text, rewriting boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  PERFORM set_config('timezone', zone, true);
  PERFORM set_config('uuidx.enable_time_columns', rewriting::text, true);
  EXECUTE 'SELECT count(*) || coalesce(min(id)::text || max(id), '''') FROM event_at WHERE ' || condition INTO result;
  RETURN result;
END $$;
-- Returns whether a condition is one of the index.
CREATE FUNCTION uses_index(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text; uses boolean := false;
BEGIN
  PERFORM set_config('uuidx.enable_time_columns', 'on', true);
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) SELECT * FROM event_at WHERE ' || condition LOOP
    uses := uses OR line ~ 'Index Cond|One-Time Filter: false';
  END LOOP;
  RETURN uses;
END $$;
SELECT condition AS "not by the index" FROM form WHERE NOT uses_index(condition);
-- A zone with leap seconds, of systems that have such ones.
DO $$ BEGIN
  PERFORM now() AT TIME ZONE 'right/UTC';
  INSERT INTO form VALUES ($q$created_at AT TIME ZONE 'right/UTC' < '2026-10-22 23:59:50'$q$);
EXCEPTION WHEN invalid_parameter_value THEN
END $$;
-- A collation by which different texts are equal, of servers with ICU.
DO $$ BEGIN
  CREATE COLLATION loose (provider = icu, locale = 'und-u-ka-shifted', deterministic = false);
  INSERT INTO form VALUES ($q$to_char(created_at, 'YYYY-MM') = '202603' COLLATE loose$q$),
    ($q$to_char(created_at, 'YYYY-MM') IN ('202603' COLLATE loose, '202610')$q$),
    ($q$to_char(created_at, 'YYYY-MM') = ANY ('{202603}'::text[] COLLATE loose)$q$);
EXCEPTION WHEN feature_not_supported THEN
END $$;
-- The zones of PostgreSQL, odd ones of tzdb, and POSIX ones, which are up to 167 hours from UTC.
CREATE TABLE zone AS SELECT unnest(ARRAY['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Apia',
    'Pacific/Kwajalein', 'Australia/Lord_Howe', 'America/Scoresbysund', 'Africa/Casablanca', 'Pacific/Chatham',
    'Asia/Kathmandu',
    '<A>-100', '<A>167', '<A>100<B>-167,J60/0,J300/0', '<A>-167<B>167,J86/2,J297/2']) AS name;
CREATE TABLE result AS
SELECT name, condition, found(name, condition, true) AS rewritten, found(name, condition, false) AS original
FROM zone, form;
SELECT * FROM result WHERE rewritten <> original;
-- And each zone gives other rows than UTC.
SELECT r.name AS "the same as UTC" FROM result AS r JOIN result AS u USING (condition) WHERE u.name = 'UTC'
GROUP BY r.name HAVING count(*) FILTER (WHERE r.rewritten <> u.rewritten) < 10;
-- Seconds of times that are far away are not exact in floating point.
INSERT INTO event SELECT uuid_v7_at('10889-08-01Z'::timestamptz + i * interval '1.001 s'), i
FROM generate_series(1, 100) AS i;
SELECT count(*) FROM event_at, format('extract(epoch FROM created_at) = %s', extract(epoch FROM created_at)) AS same
WHERE created_at > '10000-01-01Z' AND found('UTC', same, true) <> found('UTC', same, false);
-- A plan outlives a change of the zone.
SET timezone = 'UTC';
SET plan_cache_mode = force_generic_plan;
PREPARE day(date) AS SELECT count(*) FROM event_at WHERE created_at::date = $1;
EXECUTE day('2026-03-29');
SET timezone = '<A>-100';
EXECUTE day('2026-04-02');
SET uuidx.enable_time_columns = off;
SELECT count(*) FROM event_at WHERE created_at::date = '2026-04-02';

SET client_min_messages = warning;
DROP TABLE event, form, zone, result CASCADE;
DROP FUNCTION found;
DROP FUNCTION uses_index;
DROP COLLATION IF EXISTS loose;
-- A bound is that of the arguments of each call, also where these are variables.
CREATE FUNCTION bounds() RETURNS SETOF timestamptz LANGUAGE plpgsql AS $$
DECLARE step text; year text;
BEGIN
  FOR i IN 1..3 LOOP
    step := (i * 1000000)::text;
    year := (2000 + i)::text;
    RETURN NEXT uuid_time_bound(step, false, timestamptz '2026-01-01Z');
    RETURN NEXT uuid_time_bound('0', false, year);
    RETURN NEXT uuid_time_bound('0', i = 2, '2026'::text);
  END LOOP;
END $$;
SELECT count(DISTINCT b) FROM bounds() AS b;
SELECT count(DISTINCT uuid_time_bound('0', false, year))
FROM (SELECT (2000 + i)::text FROM generate_series(1, 3) AS i OFFSET 0) AS v (year);
-- And of the zone of the session and its abbreviations.
CREATE OR REPLACE FUNCTION bounds() RETURNS SETOF timestamptz LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..4 LOOP
    PERFORM set_config('timezone_abbreviations', CASE WHEN i > 2 THEN 'Australia' ELSE 'Default' END, true),
      set_config('timezone', CASE WHEN i IN (2, 3) THEN 'Asia/Tokyo' ELSE 'UTC' END, true);
    RETURN NEXT uuid_time_bound('zone=EST', false, timestamp '2026-01-01');
    RETURN NEXT uuid_time_bound('zone=EST;local=AWST', false, timestamp '2026-01-02');
    RETURN NEXT uuid_time_bound('zone', false, timestamp '2026-01-03');
  END LOOP;
END $$;
SELECT b, count(*) FROM bounds() AS b GROUP BY b ORDER BY b;
DROP FUNCTION bounds;
-- Each is that of its call until the row has been read.
SELECT count(DISTINCT (uuid_v7_min(t), repeat('x', 50)))
FROM (SELECT '2026-01-01Z'::timestamptz + i * interval '0' FROM generate_series(1, 5) AS i OFFSET 0) AS v (t);
SELECT uuid_time_bound('', true, -9.1e12), uuid_time_bound('', false, 9.223e12);
