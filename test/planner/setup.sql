-- What the tables of schemas.py and the statements of statements.py need in a database.
CREATE EXTENSION uuidx;
CREATE ACCESS METHOD heap_too TYPE TABLE HANDLER heap_tableam_handler;
-- Functions that return their argument, of all kinds that the planner treats differently.
CREATE FUNCTION stable(x anyelement) RETURNS anyelement LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1
  AS 'BEGIN RETURN x; END';
CREATE FUNCTION costly(x anyelement) RETURNS anyelement LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
  AS 'BEGIN RETURN x; END';
CREATE FUNCTION changing(x anyelement) RETURNS anyelement LANGUAGE plpgsql COST 1
  AS 'BEGIN RETURN x; END';
-- UUIDs and times in the reverse order.
SELECT format('CREATE FUNCTION %1$s(%4$s, %4$s) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS ''SELECT $2 %2$s $1'';
  CREATE OPERATOR %3$s (LEFTARG = %4$s, RIGHTARG = %4$s, FUNCTION = %1$s)', 'reverse_' || n, operator, reverse, type)
FROM unnest('{<,<=,>=,>}'::text[], '{<<<,<<<=,>>>=,>>>}'::text[]) WITH ORDINALITY v (operator, reverse, n),
  unnest('{uuid,timestamptz}'::text[]) type \gexec
SELECT format('CREATE FUNCTION reverse_cmp(%1$s, %1$s) RETURNS int LANGUAGE sql IMMUTABLE STRICT
    AS ''SELECT %1$s_cmp($2, $1)'';
  CREATE OPERATOR CLASS %1$s_reverse_ops FOR TYPE %1$s USING btree AS OPERATOR 1 <<<, OPERATOR 2 <<<=, OPERATOR 3 =,
    OPERATOR 4 >>>=, OPERATOR 5 >>>, FUNCTION 1 reverse_cmp(%1$s, %1$s)', type)
FROM unnest('{uuid,timestamptz}'::text[]) type \gexec
-- Domains, and a type of the same form as timestamptz that is in the reverse order.
SELECT format('CREATE DOMAIN a_%1$s AS %1$s', type)
FROM unnest('{timestamptz,timestamp,date,numeric}'::text[]) type \gexec
CREATE TYPE backward;
CREATE FUNCTION backward_in(cstring, oid, int) RETURNS backward LANGUAGE internal STABLE STRICT AS 'timestamptz_in';
CREATE FUNCTION backward_out(backward) RETURNS cstring LANGUAGE internal STABLE STRICT AS 'timestamptz_out';
CREATE TYPE backward (INPUT = backward_in, OUTPUT = backward_out, LIKE = timestamptz);
CREATE CAST (timestamptz AS backward) WITHOUT FUNCTION;
SELECT format('CREATE FUNCTION backward_%1$s(backward, backward) RETURNS bool LANGUAGE internal IMMUTABLE STRICT
  AS ''timestamp_%1$s''', name)
FROM unnest('{lt,le,eq,ge,gt}'::text[]) name \gexec
CREATE FUNCTION backward_cmp(backward, backward) RETURNS int LANGUAGE sql IMMUTABLE STRICT
  AS 'SELECT CASE WHEN backward_lt($1, $2) THEN 1 WHEN backward_eq($1, $2) THEN 0 ELSE -1 END';
SELECT format('CREATE OPERATOR %s (LEFTARG = backward, RIGHTARG = backward, FUNCTION = backward_%s)', operator, name)
FROM unnest('{<,<=,=,>=,>}'::text[], '{gt,ge,eq,le,lt}'::text[]) AS v (operator, name) \gexec
CREATE OPERATOR CLASS backward_ops DEFAULT FOR TYPE backward USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =,
  OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 backward_cmp(backward, backward);
-- Tables without uuid.
CREATE TABLE plain (n int PRIMARY KEY, b int, t timestamptz, name text);
CREATE TABLE parted (LIKE plain) PARTITION BY LIST (b);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
CREATE INDEX ON parted (n);
INSERT INTO plain SELECT n, n % 3, '2026-01-01Z'::timestamptz + n * interval '1 day', md5(n::text)
  FROM generate_series(0, 40) n;
INSERT INTO parted SELECT n * 2, b, nullif(t, '2026-01-03Z'), name FROM plain;
VACUUM ANALYZE plain, parted;
-- A role that may read, and may be there of another database.
DO $$ BEGIN CREATE ROLE planner_reader; EXCEPTION WHEN duplicate_object THEN END $$;
GRANT SELECT ON plain, parted TO planner_reader;
-- Foreign tables are tables of the same database, on a server that is said to have the extension or is not.
SELECT count(*) > 0 AS foreign FROM pg_available_extensions WHERE name = 'postgres_fdw' \gset
\if :foreign
  CREATE EXTENSION postgres_fdw;
  SELECT current_setting('unix_socket_directories') AS host, current_setting('port') AS port,
    current_database() AS base \gset
  CREATE SERVER plain FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname :'base');
  CREATE SERVER same FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname :'base',
    extensions 'uuidx');
  CREATE USER MAPPING FOR CURRENT_USER SERVER plain OPTIONS (password_required 'false');
  CREATE USER MAPPING FOR CURRENT_USER SERVER same OPTIONS (password_required 'false');
\endif
SELECT current_setting('server_version_num'), extname FROM pg_extension;
