CREATE EXTENSION uuidx;

CREATE TABLE event (
    id   uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)),
    what text NOT NULL
);

-- The time of a row is in its key. On PostgreSQL 18, created_at can be a virtual column of the table.
CREATE VIEW events WITH (security_invoker) AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event;

INSERT INTO events (what) VALUES ('first'), ('second'), ('third');
SELECT * FROM events ORDER BY created_at DESC, id DESC;

-- History, with keys of its own time: 100 days, one row a minute.
INSERT INTO event (id, what)
SELECT uuid_v7_at(t), 'history'
FROM generate_series('2026-01-01 00:00+00'::timestamptz, '2026-04-10 23:59+00', '1 minute') AS t;

VACUUM ANALYZE event;

-- One day of it, by the index of the primary key.
SELECT count(*), min(created_at) AS first, max(created_at) AS last
FROM events
WHERE created_at >= '2026-03-01 00:00+00' AND created_at < '2026-03-02 00:00+00';

EXPLAIN (COSTS off)
SELECT count(*) FROM events
WHERE created_at >= '2026-03-01 00:00+00' AND created_at < '2026-03-02 00:00+00';

-- The same, planned without uuidx.
SET uuidx.enable_time_columns = off;
EXPLAIN (COSTS off)
SELECT count(*) FROM events
WHERE created_at >= '2026-03-01 00:00+00' AND created_at < '2026-03-02 00:00+00';
