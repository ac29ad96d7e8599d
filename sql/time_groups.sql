-- The number of groups by what is computed from the time of a key is estimated from the keys that the conditions leave.
SET timezone = 'UTC';
\pset format unaligned
\pset tuples_only
CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
CREATE TABLE log (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
SELECT uuid_v7_min(now() - interval '100 days') AS middle \gset
CREATE TABLE log_old PARTITION OF log FOR VALUES FROM (MINVALUE) TO (:'middle');
CREATE TABLE log_new PARTITION OF log FOR VALUES FROM (:'middle') TO (MAXVALUE);
INSERT INTO event SELECT uuid_v7_at(now() - i * interval '30 min'), i % 7 FROM generate_series(1, 10000) AS i;
INSERT INTO log SELECT * FROM event;
VACUUM ANALYZE event;
ANALYZE log;
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
CREATE TEMP TABLE form AS SELECT * FROM (VALUES
    ($$date_trunc('day', c)$$), ($$date_trunc('hour', c, 'Europe/Berlin')$$), ($$date_trunc('Month', c)$$),
    ($$c::date$$), ($$(c AT TIME ZONE 'America/New_York')::date$$), ($$date_bin('6 hours', c, '2026-01-01')$$),
    ($$date_trunc('week', c::timestamp + '1 day') + interval '-1 day'$$),
    ($$floor(extract(epoch FROM c) / 7200) * 7200$$),
    ($$to_char(c, 'YYYY-MM-DD')$$), ($$to_char(c, 'iyyy-iw')$$), ($$to_char(c, 'HH24')$$), ($$to_char(c, 'Dy')$$),
    ($$extract(hour FROM c)$$), ($$date_part('isodow', c)$$), ($$extract(year FROM c)$$)) AS form (form);
SELECT count(*) AS forms, string_agg(query, '; ') FILTER (WHERE is_off(query)) AS off
FROM form, (VALUES ('event_at'), ('log_at')) AS source (source),
  (VALUES ('true'), ($$c > now() - interval '20 days'$$), ($$c < now() - interval '150 days' AND n < 6$$))
    AS filter (filter), format('SELECT %s, count(*) FROM %s WHERE %s GROUP BY 1', form, source, filter) AS query;
-- With other columns, in joins and for DISTINCT.
SELECT is_off($$SELECT date_trunc('day', c), n, count(*) FROM event_at GROUP BY 1, 2$$),
  is_off($$SELECT DISTINCT c::date FROM event_at JOIN event USING (id)$$),
  is_off($$SELECT date_trunc('day', e.c) FROM event_at AS e LEFT JOIN log_at AS l ON l.id = e.id GROUP BY 1$$);
-- The switch, and a time as such, which is nearly unique.
SELECT is_off($$SELECT c FROM event_at GROUP BY 1$$);
SET uuidx.enable_time_columns = off;
SELECT is_off($$SELECT c::date FROM event_at GROUP BY 1$$);

SET client_min_messages = warning;
DROP TABLE event, log CASCADE;
DROP FUNCTION is_off;
