\set since 1767225600 + 3600 * random(0, 1000)
INSERT INTO event (client, what) VALUES (:client_id, 'new') RETURNING id;
SELECT count(*) AS found FROM event WHERE id >= to_timestamp(:since) AND id < to_timestamp(:since + 3600) \gset
-- An hour of given.sql has 12 rows; an error ends the run.
\if :found <> 12
SELECT 'an hour has ' || :found || ' rows' :: integer;
\endif
