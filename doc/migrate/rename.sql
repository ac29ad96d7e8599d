-- Replaces your own function of keys by one of the extension, in one transaction, which creates the extension if it is
-- not there. Fails, and changes nothing, if anything but a default that is a call of it depends on your function:
--   psql -d mydb -X -v function='public.uuid_v7()' -f rename.sql
-- function  your function, without arguments
-- new       what replaces it (uuid_v7())
-- schema    of the extension (public)

\set ON_ERROR_STOP on
\ir search_path.sql
\if :{?new} \else \set new 'uuid_v7()' \endif
\if :{?schema} \else \set schema public \endif
BEGIN;
SET LOCAL lock_timeout = '500ms';
SELECT format('%s.replaced_function()', pronamespace::regnamespace) AS old FROM pg_proc
WHERE oid = :'function'::regprocedure \gset
ALTER FUNCTION :function RENAME TO replaced_function;
CREATE EXTENSION IF NOT EXISTS uuidx SCHEMA :schema;
\ir defaults.sql
DROP FUNCTION :old;
COMMIT;
