-- A database with the extension in a schema outside the search path.
CREATE SCHEMA ids;
CREATE EXTENSION uuidx SCHEMA ids;
CREATE TABLE kept (id uuid PRIMARY KEY DEFAULT ids.uuid_v7(), note text);
INSERT INTO kept SELECT ids.uuid_v7_at(timestamptz '2024-01-01 UTC' + n * interval '1 hour')
    FROM generate_series(0, 4999) AS n;
CREATE VIEW day AS SELECT count(*) FROM kept
    WHERE id OPERATOR(ids.<@) tstzrange '[2024-06-10 UTC,2024-06-11 UTC)';
VACUUM ANALYZE kept;
