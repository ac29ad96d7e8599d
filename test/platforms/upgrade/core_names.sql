-- A database with core's names in pg_catalog, where core has them later.
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_compat SCHEMA pg_catalog;
CREATE TABLE core_name (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    due uuid NOT NULL DEFAULT uuidv7('1 day'),
    token uuid NOT NULL DEFAULT uuidv4(),
    old uuid NOT NULL DEFAULT uuid_v1(),
    made_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(old)) STORED
);
INSERT INTO core_name DEFAULT VALUES;
INSERT INTO core_name DEFAULT VALUES;
