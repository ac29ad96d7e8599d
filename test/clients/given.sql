-- Sets up each client's database.

-- Inserts 20,000 keys with known times into a table with the columns id and what: one every five minutes of 2026.
CREATE PROCEDURE fill(event regclass) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$ INSERT INTO %s (id, what)
    SELECT uuid_v7_at(timestamptz '2026-01-01 00:00Z' + n * interval '5 minutes'), 'event ' || n
    FROM generate_series(0, 19999) AS n $q$, event);
  EXECUTE format('ANALYZE %s', event);
END $$;

-- Gives the table event a time column: a virtual one from PostgreSQL 18 on, else by a view in the table's place.
CREATE PROCEDURE add_time_column() LANGUAGE plpgsql AS $$
BEGIN
  ALTER TABLE event ADD CHECK (uuid_is_v7(id));
  IF current_setting('server_version_num')::integer >= 180000 THEN
    EXECUTE 'ALTER TABLE event ADD created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL';
  ELSE
    ALTER TABLE event RENAME TO event_data;
    CREATE VIEW event AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event_data;
  END IF;
END $$;

-- Returns the kind of the table's time column if a tool's cycle keeps its default, CHECK and index, else what is lost.
CREATE FUNCTION kept(event regclass) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  line text;
  plan text := '';
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attrdef WHERE adrelid = event AND pg_get_expr(adbin, adrelid) = 'uuid_v7()') THEN
    RETURN 'no default';
  END IF;
  FOR line IN EXECUTE format('EXPLAIN SELECT FROM %s WHERE created_at >= now() - interval ''1 day''', event) LOOP
    plan := plan || line;
  END LOOP;
  RETURN (SELECT string_agg(coalesce(problem, kind), ', ') FROM uuidx_check(event))
      || CASE WHEN plan ~ 'Index Cond: .id >= ' AND plan !~ 'Filter' THEN '' ELSE plan END;
END $$;
