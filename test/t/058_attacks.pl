# What a role without privileges plants does not run as the role that checks time columns, nor make the check hang.

use FindBin;
use lib $FindBin::RealBin;
use Helpers;

my $node = start_node('attacks');
$node->safe_psql('postgres', q{
  CREATE ROLE app_user LOGIN;
  GRANT CREATE ON SCHEMA public TO app_user});

# Runs SQL as the role without privileges.
sub plant {
  my ($sql) = @_;
  return $node->safe_psql('postgres', $sql, extra_params => [ '-U', 'app_user' ]);
}

# Tests that a statement of a superuser runs what is planted only as its owner, if at all. Returns its result.
sub is_harmless {
  my ($sql, $what) = @_;
  my ($code, $output, $messages) = $node->psql('postgres', $sql);
  is($code, 0, "$what: no error") or diag($messages);
  unlike($messages, qr/(?:evil runs as|identity) (?!app_user)/, "$what: nothing of another role runs as the superuser");
  return $output;
}

# A function says as whom it runs, and uses what the role may do.
plant(q{
  CREATE FUNCTION public.use_it() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE app_user SUPERUSER; END IF;
  END $$;
  CREATE FUNCTION evil(n int DEFAULT 1) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
  BEGIN
    RAISE WARNING 'evil runs as %', current_user;
    PERFORM public.use_it();
    BEGIN RESET ROLE; EXCEPTION WHEN OTHERS THEN END;
    BEGIN RESET SESSION AUTHORIZATION; EXCEPTION WHEN OTHERS THEN END;
    RAISE WARNING 'identity %', current_user;
    RETURN true;
  END $$});

# Each has a time column or a key of version 7, and calls the function where planning computes it.
my %planted = (
  check => 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_v7(), CHECK (uuid_is_v7(id) AND evil()))',
  'check of a child' => 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_v7());
    CREATE TABLE t1 (CHECK (evil())) INHERITS (t)',
  index => 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
    CREATE INDEX ON t (n) WHERE evil()',
  view => 'CREATE TABLE d (id uuid PRIMARY KEY);
    CREATE VIEW t AS SELECT uuid_extract_v7_time(id) AS created_at FROM d WHERE evil()');
for my $what (sort keys %planted) {
  plant("SET client_min_messages = error; $planted{$what}");
  is_harmless("SELECT * FROM uuidx_check('t'); SELECT * FROM uuidx_check()", "uuidx_check(), $what");
  # A superuser's view of it is not planned as the superuser, either.
  is_harmless('SET client_min_messages = error; CREATE VIEW above AS SELECT * FROM t; RESET client_min_messages;'
      . q{SELECT * FROM uuidx_check('above')}, "uuidx_check(), superuser's view, $what");
  my $kind = $planted{$what} =~ /VIEW t/ ? 'VIEW' : 'TABLE';
  $node->safe_psql('postgres', "DROP $kind t CASCADE; DROP TABLE IF EXISTS d");
}
# Nor is a table of a superuser planned with what another role's view or domain has.
$node->safe_psql('postgres', 'CREATE TABLE d (id uuid PRIMARY KEY)');
plant(q{
  CREATE FUNCTION time_of(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN evil() THEN uuid_extract_v7_time(id) END;
  CREATE VIEW other AS SELECT time_of(id) AS created_at FROM d});
is_harmless(q{SELECT * FROM uuidx_check('other'); DROP VIEW other; DROP TABLE d},
  "uuidx_check(), another role's view of a superuser's table");
plant(q{
  CREATE DOMAIN key AS uuid;
  CREATE FUNCTION uuid_extract_v7_time(id key) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN evil() THEN now() END});
is_harmless(q{
  CREATE TABLE d (id key);
  CREATE VIEW t AS SELECT uuid_extract_v7_time(id::uuid) AS created_at FROM d;
  SELECT * FROM uuidx_check('t')}, 'uuidx_check(), a key of a domain with a function of its own');
is($node->safe_psql('postgres', q{SELECT rolsuper FROM pg_roles WHERE rolname = 'app_user'}), 'f',
  'the role is not a superuser');

# Nor does what a role has in its session run as the owner of a table: a relation that a policy's function reads.
$node->safe_psql('postgres', q{
  CREATE ROLE keeper; GRANT CREATE ON SCHEMA public TO keeper; SET ROLE keeper;
  CREATE FUNCTION tenant() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT n FROM current_tenant); END';
  CREATE TABLE kept (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
  ALTER TABLE kept ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
  CREATE POLICY p ON kept USING (n = tenant());
  GRANT SELECT ON kept TO app_user});
my ($code, $problem, $messages) = $node->psql('postgres', q{
  SET client_min_messages = error;
  CREATE TEMP VIEW current_tenant AS SELECT evil()::int AS n; GRANT SELECT ON current_tenant TO PUBLIC;
  RESET client_min_messages; SELECT problem FROM uuidx_check('kept')}, extra_params => [ '-U', 'app_user' ]);
is("$problem$messages", 'must be owner of table kept', 'uuidx_check() plans a table only for its owner');

# A function of another language with the text of a C function's symbol is not taken for it.
plant(q{
  SET check_function_bodies = off;
  CREATE FUNCTION aaa(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'uuidx_is_v7';
  REVOKE EXECUTE ON FUNCTION aaa(uuid) FROM PUBLIC});
$node->safe_psql('postgres', q{
  CREATE TABLE orders (id uuid DEFAULT uuid_v7() PRIMARY KEY,
    created timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED)});
is($node->safe_psql('postgres', q{SELECT remedy FROM uuidx_check('orders')}),
  'ALTER TABLE public.orders ADD CHECK (public.uuid_is_v7(id))', 'no function of another role is recommended');

# Nor is one that reads like it in a CHECK, an older overload for any type, and no setting becomes part of the SQL.
$node->safe_psql('postgres', 'CREATE DATABASE own OWNER app_user');
$node->safe_psql('own', q{
  CREATE FUNCTION public.uuid_is_v7(anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
  CREATE TABLE t (id uuid PRIMARY KEY);
  ALTER TABLE t ADD CONSTRAINT planted CHECK (uuid_is_v7(id)) NOT VALID;
  CREATE EXTENSION uuidx;
  ALTER TABLE t ALTER id SET DEFAULT uuid_v7();
  CREATE VIEW v AS SELECT uuid_extract_time(id) AS created_at FROM t;
  CREATE TABLE t2 (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)),
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED);
  SELECT set_config('local_preload_libraries', 'x; ALTER ROLE app_user SUPERUSER; --,,', false);
  ALTER DATABASE own SET local_preload_libraries FROM CURRENT}, extra_params => [ '-U', 'app_user' ]);
unlike($node->safe_psql('own', 'SELECT remedy FROM uuidx_check()'), qr/planted|= x;/, 'remedies run nothing planted');

# A cycle of views, which PostgreSQL lets one create.
plant(q{
  CREATE VIEW v1 AS SELECT now() AS t;
  CREATE VIEW v2 AS SELECT t FROM v1;
  CREATE OR REPLACE VIEW v1 AS SELECT t FROM v2});
for my $role ('app_user', $node->safe_psql('postgres', 'SELECT current_user')) {
  my ($code, $output) = $node->psql('postgres', q{SELECT count(*) FROM uuidx_check('v1')}, timeout => 30,
    timed_out => \my $timed_out, extra_params => [ '-U', $role ]);
  is($output, '0', "a cycle of views ends for $role");
}

# A few views, or policies, that stand for more tables than fit into memory: the rewriter cannot be canceled.
plant(q{
  SET client_min_messages = error;
  CREATE TABLE h0 (id uuid PRIMARY KEY, t timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED);
  CREATE VIEW w0 AS SELECT t FROM h0;
  DO $$ BEGIN
    FOR i IN 1..40 LOOP
      EXECUTE format('CREATE VIEW w%1$s AS SELECT a.t FROM w%2$s AS a, w%2$s AS b;
        CREATE TABLE h%1$s (LIKE h0 INCLUDING ALL);
        ALTER TABLE h%1$s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
        CREATE POLICY p ON h%1$s USING (EXISTS (SELECT FROM h%2$s) AND EXISTS (SELECT FROM h%2$s))', i, i - 1);
    END LOOP;
  END $$});
is($node->safe_psql('postgres', q{SET statement_timeout = '60s'; SELECT string_agg(relation::text, ' '),
      (SELECT problem FROM uuidx_check('h40')) FROM uuidx_check() WHERE relation::text ~ '^w'}),
  'w0 w1 w2 w3 w4 w5 w6 w7 w8|definition has more than 1000 tables', 'views of many tables are left out');
# Nor does it look into a table that becomes such a view while it is planned.
plant(q{
  CREATE FUNCTION swap() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF to_regclass('public.w40') IS NOT NULL AND current_setting('enable_tidscan') = 'off' THEN  -- not by CREATE INDEX
      ALTER TABLE public.h0 RENAME TO h;
      ALTER VIEW public.w40 RENAME TO h0;
    END IF;
  END $$;
  CREATE FUNCTION swaps() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.swap(); RETURN true; END';
  CREATE INDEX ON h0 (t) WHERE swaps()});
is($node->safe_psql('postgres', q{SET statement_timeout = '60s'; SELECT problem FROM uuidx_check('h0')}),
  'definition has more than 1000 tables', 'a table that becomes a view of many tables is left out');
plant('DROP TABLE ' . join(', ', map { "h$_" } 0 .. 40) . ' CASCADE');
# Or for fewer tables with a long condition or constant.
for my $condition (q{string_agg('n = ' || i, ' OR ')}, q{format('%L <> %L', repeat(min(i)::text, 100000), '')}) {
  plant(qq{
    CREATE TABLE large (id uuid PRIMARY KEY, t timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED);
    ALTER TABLE large ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    DO \$\$ BEGIN
      EXECUTE (SELECT 'CREATE VIEW long AS SELECT FROM (SELECT 1 AS n) AS q WHERE ' || $condition
        FROM generate_series(1, 1000) AS i);
      EXECUTE (SELECT format('CREATE POLICY p ON large USING (EXISTS (SELECT FROM %s))',
        string_agg('long AS a' || i, ', ')) FROM generate_series(1, 500) AS i);
    END \$\$});
  is($node->safe_psql('postgres', q{SELECT problem FROM uuidx_check('large')}),
    'definition has more than 500000 nodes', "a policy of a large definition is left out, $condition");
  plant('DROP TABLE large; DROP VIEW long');
}

# An error with the code of a cancel ends the check of a table, not of all.
plant(q{
  CREATE FUNCTION cancel() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
  CREATE TABLE canceled (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
  CREATE INDEX ON canceled (n) WHERE cancel();
  CREATE OR REPLACE FUNCTION cancel() RETURNS boolean LANGUAGE plpgsql IMMUTABLE
    AS $$ BEGIN RAISE 'planted' USING ERRCODE = 'query_canceled'; END $$});
is($node->safe_psql('postgres', q{SELECT problem FROM uuidx_check() WHERE relation = 'canceled'::regclass}), 'planted',
  'an error with the code of a cancel is one of the table');

# No helper of uuidx_check() can be called.
is($node->safe_psql('postgres', q{SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc
    WHERE proname LIKE 'uuidx\_%'}), 'uuidx_check(regclass) uuidx_version()', 'uuidx_check() has no helpers in SQL');

done_testing();
