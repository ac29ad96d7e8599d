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
