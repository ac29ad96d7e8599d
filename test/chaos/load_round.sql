-- One round of a lasting session: statements of an application, handled errors included.
INSERT INTO event (id, kind) SELECT uuid_v7(), 7 FROM generate_series(1, 500);
INSERT INTO event (id, kind) SELECT uuid_v4(), 4 FROM generate_series(1, 100);
INSERT INTO event (id, kind) SELECT uuid_v6(), 6 FROM generate_series(1, 100);
INSERT INTO event (id, kind) SELECT uuid_v1(), 1 FROM generate_series(1, 100);
INSERT INTO event (id, kind) SELECT uuid_v7_server(), 8 FROM generate_series(1, 10);
INSERT INTO event (id, kind) VALUES (uuid_v7(), 7);
BEGIN;
INSERT INTO event (id, kind) SELECT uuid_v7_at(now() - n * interval '1 hour'), 9 FROM generate_series(1, 100) AS n;
ROLLBACK;
SELECT count(*), min(id), max(id) FROM event WHERE id >= now() - interval '1 second';
SELECT count(*) FROM event WHERE id <@ tstzrange(now() - interval '10 seconds', now());
SELECT id FROM event ORDER BY id DESC LIMIT 10;
SELECT count(*), max(uuid_extract_v7_time(id)) FROM event WHERE uuid_extract_v7_time(id) >= now() - interval '1 second';
SELECT count(uuid_decode(uuid_encode(id, form), form)), count(uuid_v5(id, form)),
  count(uuid_v8_hash('sha256', id, form))
FROM (SELECT id FROM event LIMIT 200) AS e, unnest('{ulid,base58,base64url,decimal,urn}'::text[]) AS form;
SELECT count(i.*) FROM (SELECT id FROM event LIMIT 200) AS e, uuid_inspect(id) AS i;
DO $$
BEGIN
  PERFORM uuid_decode('?', 'ulid');
EXCEPTION WHEN invalid_text_representation THEN
  INSERT INTO event (id, kind) VALUES (uuid_v7(), 7);
END $$;
-- Rows that the other session deletes are left to it, as two plans may meet them in different orders. Not many at
-- once, so that each round needs the same memory.
DELETE FROM event
WHERE id IN (SELECT id FROM event WHERE id < now() - interval '20 seconds' LIMIT 5000 FOR UPDATE SKIP LOCKED);
DELETE FROM event
WHERE id IN (SELECT id FROM event WHERE kind IN (1, 2, 4, 6) AND random() < 0.2 LIMIT 5000 FOR UPDATE SKIP LOCKED);
SELECT 'used ' || sum(used_bytes) FROM pg_backend_memory_contexts;
