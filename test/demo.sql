CREATE EXTENSION uuidx;

CREATE TABLE event (
    id   uuid PRIMARY KEY DEFAULT uuid_v7(),
    what text NOT NULL
);

INSERT INTO event (what) VALUES ('first'), ('second'), ('third');

-- The time of a row is in its key.
SELECT id, uuid_extract_time(id) AS "time", what FROM event ORDER BY id;

-- History, with keys of its own time: 100 days, one row a minute.
INSERT INTO event (id, what)
SELECT uuid_v7_at(t), 'history'
FROM generate_series('2026-01-01 00:00+00'::timestamptz, '2026-04-10 23:59+00', '1 minute') AS t;

VACUUM ANALYZE event;

-- One day of it, by the index of the primary key.
SELECT count(*), min(uuid_extract_time(id)) AS first, max(uuid_extract_time(id)) AS last
FROM event
WHERE id <@ tstzrange('2026-03-01 00:00+00', '2026-03-02 00:00+00');

EXPLAIN (COSTS off)
SELECT count(*) FROM event
WHERE id <@ tstzrange('2026-03-01 00:00+00', '2026-03-02 00:00+00');
