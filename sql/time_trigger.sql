-- uuid_time_trigger() keeps an ordinary column equal to the time in a key.
SET timezone = 'Asia/Kathmandu';
SET datestyle = 'ISO';
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only
\set VERBOSITY sqlstate
-- Types, precisions and constraints. Every row satisfies the CHECK, whatever was given.
CREATE PROCEDURE try(key_type text, time_type text, condition text) LANGUAGE plpgsql AS $$
DECLARE
  given timestamptz;
  rejected int := 0;
BEGIN
  DROP TABLE IF EXISTS event;
  EXECUTE format('CREATE TABLE event (n int, text text, id %s NOT NULL, more text, at %s NOT NULL, last int DEFAULT 7,
    CHECK (%s))',
    key_type, time_type, condition);
  CREATE TRIGGER event BEFORE INSERT OR UPDATE ON event FOR EACH ROW EXECUTE FUNCTION
    uuid_time_trigger('id', 'at', '2 days');
  FOR i IN 1..300 LOOP
    given := timestamptz '1999-12-29' + random() * interval '7 days';
    INSERT INTO event VALUES (i, nullif(repeat('x', i % 7), ''),
      CASE WHEN i % 5 > 0 THEN uuid_v7_at(given) END, nullif(repeat('y', i % 3), ''),
      CASE WHEN i % 7 > 0 THEN given + (random() - 0.5) * interval '2 days' END);
  END LOOP;
  UPDATE event SET at = at + interval '20 hours', n = -n WHERE n % 2 = 0;
  UPDATE event SET id = NULL, text = NULL WHERE n % 9 = 0;
  UPDATE event SET id = NULL, at = NULL WHERE n % 11 = 0;
  UPDATE event SET id = uuid_v7(), at = NULL WHERE n % 13 = 0;
  FOR i IN 1..20 LOOP
    BEGIN
      UPDATE event SET at = at + (i % 2 * 2 - 1) * interval '73 hours' WHERE n = 301 - i * 2;
      ASSERT NOT FOUND;
    EXCEPTION WHEN check_violation THEN
      rejected := rejected + 1;
    END;
  END LOOP;
  EXECUTE 'ALTER TABLE event ADD CHECK (' || condition || ')';
  ASSERT rejected = 20, rejected;
  ASSERT (SELECT count(*) = 300 AND count(*) FILTER (WHERE at IS NULL OR id IS NULL) = 0
    AND count(*) FILTER (WHERE text = repeat('x', abs(n) % 7)) > 200 AND bool_and(uuid_is_v7(id) AND last = 7)
    FROM event);
END $$;
CALL try('uuid', 'timestamptz', 'at = uuid_extract_v7_time(id)');
CALL try('uuid', 'timestamptz',
  'uuid_extract_time(id) IS NOT DISTINCT FROM at AND (n IS NOT NULL OR at < uuid_extract_time(id))');
CALL try('uuid', 'timestamptz', '(at = uuid_extract_time_precise(id)) IS TRUE');
CALL try('uuid', 'timestamptz', $$at BETWEEN uuid_extract_v7_time(id) - interval '1h' AND uuid_extract_v7_time(id)$$);
CALL try('uuid', 'timestamptz', 'at >= uuid_extract_time_precise(id)');
CALL try('uuid', 'timestamptz', 'id = id');
CALL try('uuid', 'timestamptz(6)', 'at = uuid_extract_time_precise(id)');
CALL try('uuid', 'timestamptz(3)', 'at = uuid_extract_v7_time(id)');
CALL try('uuid', 'timestamptz(3)', 'at = uuid_extract_time_precise(id)::timestamptz(3)');
CALL try('uuid', 'timestamptz(0)', 'at = uuid_extract_v7_time(id)::timestamptz(0)');
CALL try('uuid', 'timestamp', $$at = uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC'$$);
CALL try('uuid', 'timestamp(1)', $$at = (uuid_extract_time_precise(id) AT TIME ZONE 'Etc/UTC')::timestamp(1)$$);
INSERT INTO event VALUES (0, '', uuid_v7_at('1999-12-30 12:00:00.2507Z'), '');
CALL try('uuid', 'date', $$at = (uuid_extract_v7_time(id) AT TIME ZONE 'Etc/UTC')::date$$);
INSERT INTO event VALUES (0, '', uuid_v7_at('2026-01-04Z'), '', '2026-01-01');
-- Messages, with a time before and after that of the key, and all that is no time of a version 7 key.
\set VERBOSITY default
CREATE TABLE given (id uuid PRIMARY KEY DEFAULT uuid_v7(), at timestamptz DEFAULT now(), day date,
  CHECK (at = uuid_extract_v7_time(id)));
CREATE TRIGGER given BEFORE INSERT OR UPDATE OF id, at ON given FOR EACH ROW EXECUTE FUNCTION
  uuid_time_trigger('id', 'at');
INSERT INTO given VALUES (uuid_v7_at('2026-01-01 12:00:00.5'), '2026-01-01 13:00:00.500');
INSERT INTO given VALUES (uuid_v7_at('2026-01-01 12:00:00.5'), '2026-01-01 13:00:00.500001');
UPDATE given SET at = '2026-01-01 11:00:00.500' RETURNING at;
UPDATE given SET at = '2026-01-01 13:00:00.500001';
UPDATE given SET at = '2026-01-01 10:59:59.9';
UPDATE given SET id = uuid_v7_at('2026-01-01 13:00:00.501');
UPDATE given SET id = uuid_v7_at('2026-01-01 12:00:00.501') RETURNING at;
-- PostgreSQL inserts a row that an UPDATE moves to a partition.
CREATE TABLE moved (id uuid, at timestamptz) PARTITION BY LIST (at);
CREATE TABLE moved_1 PARTITION OF moved DEFAULT;
CREATE TRIGGER moved BEFORE INSERT ON moved FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'at');
INSERT INTO moved VALUES (uuid_v7_at('2026-01-01'), '2026-01-03');
DROP TABLE moved;
\set VERBOSITY sqlstate
INSERT INTO given SELECT id, at FROM unnest(ARRAY[uuid_v4(), nil_uuid(), max_uuid(), uuid_v1(), uuid_v6()]) AS id,
  unnest(ARRAY[NULL, now()]) AS at;
INSERT INTO given SELECT uuid_v7(), '-infinity';
INSERT INTO given SELECT uuid_v7(), 'infinity';
INSERT INTO given SELECT uuid_v7(), '4713-01-01 BC';
INSERT INTO given SELECT max(id), '294276-12-31' FROM given;
INSERT INTO given SELECT NULL, '1969-12-31 UTC';
INSERT INTO given SELECT NULL, 'infinity';
-- A key for a time has its microseconds; for now, it is the session's next.
INSERT INTO given VALUES (NULL, '2026-01-02 00:00:00.123456') RETURNING at, uuid_extract_time_precise(id);
INSERT INTO given VALUES (NULL, NULL), (NULL, now()), (NULL, clock_timestamp()), (NULL, DEFAULT);
INSERT INTO given SELECT NULL, CASE i % 2 WHEN 0 THEN now() ELSE clock_timestamp() END
  FROM pg_sleep(1.1), generate_series(1, 40) AS i;
SELECT count(*), bool_and(id > before AND id < uuid_v7()) FROM (
  SELECT id, lag(id, 1, uuid_v7_min(now() - interval '1 minute')) OVER (ORDER BY ctid) AS before
  FROM given WHERE at > '2026-06-01') AS ids;
-- An upsert of an old key with now(), as of an ORM, keeps the time. Another time is not lost silently.
INSERT INTO given SELECT id, now() FROM given WHERE at < '2026-01-03' AND at > '2026-01-02'
  ON CONFLICT (id) DO UPDATE SET at = EXCLUDED.at RETURNING at;
INSERT INTO given SELECT id, '2026-01-05' FROM given WHERE at < '2026-01-03' AND at > '2026-01-02'
  ON CONFLICT DO NOTHING;
-- DEFAULT now() is the start of the transaction, however long it takes.
CREATE TABLE strict (id uuid DEFAULT uuid_v7(), at timestamptz DEFAULT now());
CREATE TRIGGER strict BEFORE INSERT ON strict FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'at', '0');
BEGIN;
SELECT FROM pg_sleep(0.01);
INSERT INTO strict DEFAULT VALUES;
INSERT INTO strict VALUES (DEFAULT, now() - interval '3 seconds');
ROLLBACK;
-- A key of old with the time of now is an upsert if a unique index of all rows has the key, and only that.
CREATE TABLE upsert (id uuid, other uuid, at timestamptz);
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON upsert FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'at', '0');
INSERT INTO upsert SELECT id, id FROM uuid_v7_at('2026-01-01') AS id;
DO $$
DECLARE change text;
BEGIN
  FOREACH change IN ARRAY ARRAY['CREATE INDEX ON upsert (id)', 'CREATE UNIQUE INDEX ON upsert (id, other)',
      'CREATE UNIQUE INDEX ON upsert (id) WHERE other IS NOT NULL', 'CREATE UNIQUE INDEX ON upsert (other)',
      'ALTER TABLE upsert ADD UNIQUE (id) DEFERRABLE', 'CREATE UNIQUE INDEX ON upsert (id)'] LOOP
    BEGIN
      EXECUTE change;
      INSERT INTO upsert SELECT id, NULL, now() FROM upsert ON CONFLICT DO NOTHING;
      ASSERT change = 'CREATE UNIQUE INDEX ON upsert (id)', change;
    EXCEPTION WHEN check_violation THEN
    END;
  END LOOP;
END $$;
CREATE UNIQUE INDEX ON upsert (id);
UPDATE upsert SET at = now();
-- A row that is equal is returned as it is: PostgreSQL moves none to another partition. Names are looked up in each
-- partition, also with an empty search_path.
SET search_path = '';
CREATE TABLE public.part (id uuid, n int GENERATED ALWAYS AS (extract(year FROM at AT TIME ZONE 'UTC')) STORED,
  at timestamptz, PRIMARY KEY (id, at), CONSTRAINT same CHECK (at = public.uuid_extract_v7_time(id)))
  PARTITION BY RANGE (at);
CREATE TABLE public.part_1 (at timestamptz NOT NULL, x int, n int GENERATED ALWAYS AS (extract(year FROM at
  AT TIME ZONE 'UTC')) STORED, id uuid NOT NULL, CONSTRAINT same CHECK (at = public.uuid_extract_v7_time(id)));
ALTER TABLE public.part_1 DROP x;
ALTER TABLE public.part ATTACH PARTITION public.part_1 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE public.part_2 PARTITION OF public.part FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TRIGGER part BEFORE INSERT OR UPDATE ON public.part FOR EACH ROW EXECUTE FUNCTION
  public.uuid_time_trigger('id', 'at');
INSERT INTO public.part (id, at) SELECT public.uuid_v7_at(at), at + interval '30 minutes'
  FROM pg_catalog.generate_series('2026-01-01'::timestamptz, '2026-02-28', '1 day') AS at;
INSERT INTO public.part (id, at) VALUES (public.uuid_v7_at('2026-01-31 23:59'), '2026-02-01 00:01');
INSERT INTO public.part (id, at) VALUES (NULL, '2026-01-31 23:59');
COPY public.part (id, at) FROM stdin;
019ba014-e007-7000-8000-000000000000	2026-01-09 05:45
\.
MERGE INTO public.part USING (VALUES ('2026-01-10'::timestamptz), ('2026-01-10 00:10')) AS v (at) ON part.at = v.at
WHEN MATCHED THEN UPDATE SET at = part.at + interval '1 minute'
WHEN NOT MATCHED THEN INSERT (id, at) VALUES (public.uuid_v7_at(v.at), v.at + interval '1 minute');
INSERT INTO public.part (id, at) SELECT id, at FROM public.part WHERE at = '2026-01-11'
  ON CONFLICT (id, at) DO UPDATE SET at = excluded.at - interval '1 minute' RETURNING at, n;
SELECT tableoid::regclass, count(*), pg_catalog.min(at),
  pg_catalog.bool_and(n = extract(year FROM at AT TIME ZONE 'UTC'))
FROM public.part GROUP BY 1 ORDER BY 1;
RESET search_path;
-- Other BEFORE triggers, by name, and a key that one of them sets.
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := coalesce(NEW.id, uuid_v7_at('2026-05-01')); NEW.at := NEW.at + interval '1 minute'; RETURN NEW;
END $$;
CREATE TRIGGER a BEFORE INSERT ON given FOR EACH ROW EXECUTE FUNCTION change();
INSERT INTO given VALUES (NULL, '2026-05-01') RETURNING at;
CREATE TRIGGER z BEFORE INSERT ON given FOR EACH ROW EXECUTE FUNCTION change();
INSERT INTO given VALUES (NULL, '2026-05-01') RETURNING at;
-- Columns that cannot be set, and changes of the table between statements.
CREATE DOMAIN moment AS timestamptz;
CREATE TABLE odd (id uuid, at timestamptz, text text, made timestamptz GENERATED ALWAYS AS (at) STORED, gone uuid,
  of_domain moment);
ALTER TABLE odd DROP gone;
CREATE PROCEDURE fire(timing text, function text, statement text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER t %s EXECUTE FUNCTION %s', timing, function);
  EXECUTE statement;
END $$;
\set row '\'BEFORE INSERT OR UPDATE ON odd FOR EACH ROW\''
\set insert '\'INSERT INTO odd VALUES (uuid_v7())\''
CALL fire(:row, $$uuid_time_trigger('id', 'of_domain')$$, :insert);
\set VERBOSITY terse
CALL fire(:row, 'uuid_time_trigger()', :insert);
CALL fire(:row, $$uuid_time_trigger('id')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'at', '1 h', '')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('Id', 'at')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('........pg.dropped.5........', 'at')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'ctid')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('text', 'at')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'text')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'id')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'made')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'at', '')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'at', '1 month')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'at', '-1 us')$$, :insert);
CALL fire(:row, $$uuid_time_trigger('id', 'at', '2147483647 days')$$, :insert);
CALL fire('AFTER INSERT ON odd FOR EACH ROW', $$uuid_time_trigger('id', 'at')$$, :insert);
CALL fire('BEFORE INSERT ON odd', $$uuid_time_trigger('id', 'at')$$, :insert);
CALL fire('BEFORE TRUNCATE ON odd', $$uuid_time_trigger('id', 'at')$$, 'TRUNCATE odd');
INSERT INTO odd VALUES (uuid_v7());
CALL fire('BEFORE DELETE ON odd FOR EACH ROW', $$uuid_time_trigger('id', 'at')$$, 'DELETE FROM odd');
SELECT uuid_time_trigger();
CREATE TRIGGER u BEFORE INSERT ON odd FOR EACH ROW EXECUTE FUNCTION
  uuid_time_trigger('id', 'at', '106751991 days -1 h');
PREPARE add AS INSERT INTO odd VALUES (uuid_v7_at('2026-01-01 00:00:00.123456'), '10000-01-01');
EXECUTE add;
INSERT INTO odd VALUES (uuid_v7(), 'infinity');
ALTER TABLE odd DROP made, DROP at, ADD at timestamptz, ADD CHECK (at = uuid_extract_time_precise(id)) NOT VALID;
ALTER TABLE odd DROP text, ADD text timestamptz;
EXECUTE add;
SELECT at FROM odd WHERE at IS NOT NULL ORDER BY at;
ALTER TABLE odd RENAME at TO made;
EXECUTE add;
-- Names that need quotes.
CREATE TABLE "%s ""odd" ("the ""key" uuid, "%at" timestamptz, CHECK ("%at" = uuid_extract_v7_time("the ""key")));
CREATE TRIGGER t BEFORE INSERT ON "%s ""odd" FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('the "key', '%at');
INSERT INTO "%s ""odd" VALUES (uuid_v7_at('2026-01-01'), NULL), (NULL, '2026-01-01 00:00:00.123') RETURNING "%at";
INSERT INTO "%s ""odd" VALUES (uuid_v7_at('2026-01-01'), '2026-01-02');
-- The time has microseconds only if a CHECK has those of the key beside the column.
CREATE TABLE other_check (id uuid, at timestamptz CHECK (at = uuid_extract_v7_time(id)), other uuid);
ALTER TABLE other_check ADD CHECK (uuid_extract_time_precise(id) > '1970-01-01'),
  ADD CHECK (at IS NULL OR uuid_extract_time_precise(other) IS NULL);
DO $$
BEGIN
  EXECUTE 'ALTER TABLE other_check ADD CHECK (at = uuid_extract_time_precise(id)) NOT ENFORCED';
EXCEPTION WHEN syntax_error THEN
END $$;
CREATE TRIGGER at BEFORE INSERT ON other_check FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'at');
INSERT INTO other_check VALUES (uuid_v7_at('2020-05-05 12:00:00.000500'));
DROP TABLE IF EXISTS event, given, strict, upsert, part, odd, other_check, "%s ""odd";
DROP PROCEDURE try, fire;
DROP FUNCTION change;
DROP DOMAIN moment;
