# What a role without privileges plants is neither run nor read when another role checks time columns.

use Helpers;

my $node = start_node('attacks');
$node->safe_psql('postgres', q{
  CREATE ROLE app_user LOGIN;
  GRANT CREATE ON SCHEMA public TO app_user});

# Runs SQL as the role without privileges.
sub plant($sql) {
  return $node->safe_psql('postgres', $sql, extra_params => [ '-U', 'app_user' ]);
}

# Tests that a statement of a superuser does not run what is planted, and that its result has what is expected.
sub is_harmless($sql, $expected, $what) {
  my ($code, $output, $messages) = $node->psql('postgres', $sql);
  is("$code $output", "0 $expected", $what) or diag($messages);
  unlike($messages, qr/evil runs/, "$what: nothing of another role runs");
}

plant(q{
  CREATE FUNCTION evil(n int DEFAULT 1) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
  BEGIN
    -- A function that is not volatile may not run RESET.
    BEGIN PERFORM set_config('role', 'none', false); EXCEPTION WHEN OTHERS THEN END;
    RAISE WARNING 'evil runs as %', current_user;
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
  my $relation = $planted{$what} =~ /VIEW t/ ? 'view' : 'table';
  is_harmless(q{SELECT problem FROM uuidx_check('t'); SELECT * FROM uuidx_check()}, "must be owner of $relation t",
    "uuidx_check(), $what");
  is_harmless('SET client_min_messages = error; CREATE VIEW above AS SELECT *, now() AS at FROM t;
      RESET client_min_messages; SELECT * FROM uuidx_check();'
      . q{SELECT DISTINCT problem FROM uuidx_check('above')}, "must be owner of $relation t",
    "uuidx_check(), superuser's view, $what");
  $node->safe_psql('postgres', "DROP $relation t CASCADE; DROP TABLE IF EXISTS d");
}
# In a session of a superuser who has become the owner, it cannot end that.
plant('CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int); CREATE INDEX ON t (n) WHERE evil()');
my (undef, undef, $messages) = $node->psql('postgres', 'SET ROLE app_user; SELECT * FROM uuidx_check()');
like($messages, qr/\A(?:.*evil runs as app_user(?:\n|\z))+\z/, 'uuidx_check() after SET ROLE');
plant('DROP TABLE t');
# Nor is a table of a superuser planned with what another role's child, view or domain has.
$node->safe_psql('postgres', q{
  CREATE TABLE d (id uuid PRIMARY KEY DEFAULT uuid_v7());
  CREATE TABLE child () INHERITS (d);
  ALTER TABLE child OWNER TO app_user});
plant('ALTER TABLE child ADD CHECK (evil())');
is_harmless('SELECT problem FROM uuidx_check(); DROP TABLE d CASCADE', 'must be owner of table child',
  "uuidx_check(), another role's child of a superuser's table");
$node->safe_psql('postgres', 'CREATE TABLE d (id uuid PRIMARY KEY)');
plant(q{
  CREATE FUNCTION time_of(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN evil() THEN uuid_extract_v7_time(id) END;
  CREATE VIEW other AS SELECT time_of(id) AS created_at FROM d});
is_harmless(q{SELECT problem FROM uuidx_check('other'); DROP VIEW other; DROP TABLE d}, 'must be owner of view other',
  "uuidx_check(), another role's view of a superuser's table");
plant(q{
  CREATE DOMAIN key AS uuid;
  CREATE FUNCTION uuid_extract_v7_time(id key) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN evil() THEN now() END});
is_harmless(q{
  CREATE TABLE d (id key);
  CREATE VIEW t AS SELECT uuid_extract_v7_time(id::uuid) AS created_at FROM d;
  SELECT problem FROM uuidx_check('t')}, 'the type of id is not uuid',
  'uuidx_check(), a key of a domain with a function of its own');
$node->safe_psql('postgres', q{
  CREATE TABLE kept (id uuid PRIMARY KEY DEFAULT uuid_v7());
  GRANT SELECT ON kept TO app_user});
is(plant(q{SELECT problem FROM uuidx_check('kept')}), 'must be owner of table kept', 'a table that is not owned');

# A function of another language with the text of a C function's symbol is not taken for it.
plant(q{
  SET check_function_bodies = off;
  CREATE FUNCTION aaa_uuid(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'uuidx_is_v7';
  REVOKE EXECUTE ON FUNCTION aaa_uuid(uuid) FROM PUBLIC});
$node->safe_psql('postgres', q{
  CREATE TABLE orders (id uuid DEFAULT uuid_v7() PRIMARY KEY,
    created timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED)});
is($node->safe_psql('postgres', q{SELECT remedy FROM uuidx_check('orders')}),
  'ALTER TABLE public.orders ADD CHECK (public.uuid_is_v7(id))', 'no function of another role is recommended');

# Nor is one that reads like it in a CHECK, an older overload for any type.
$node->safe_psql('postgres', 'CREATE DATABASE own OWNER app_user');
$node->safe_psql('own', q{
  CREATE FUNCTION public.uuid_is_v7(anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
  CREATE TABLE t (id uuid PRIMARY KEY);
  ALTER TABLE t ADD CONSTRAINT planted CHECK (uuid_is_v7(id)) NOT VALID;
  CREATE EXTENSION uuidx;
  ALTER TABLE t ALTER id SET DEFAULT uuid_v7();
  CREATE VIEW v AS SELECT uuid_extract_time(id) AS created_at FROM t;
  CREATE TABLE t2 (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)),
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED)}, extra_params => [ '-U', 'app_user' ]);
my $remedies = $node->safe_psql('own', 'SELECT remedy FROM uuidx_check()', extra_params => [ '-U', 'app_user' ]);
like($remedies, qr/^(?!.*planted).*ADD CHECK .*public\.uuid_is_v7.*$/m, 'there are remedies');
unlike($remedies, qr/planted/, 'remedies run nothing planted');

# A cycle of views, which PostgreSQL lets one create, and a few views, or policies, that stand for more tables than fit
# into memory: the rewriter cannot be canceled. Neither matters to others.
plant(q{
  SET client_min_messages = error;
  CREATE VIEW v1 AS SELECT now() AS t;
  CREATE VIEW v2 AS SELECT t FROM v1;
  CREATE OR REPLACE VIEW v1 AS SELECT t FROM v2;
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
my $all = q{
  SET statement_timeout = '60s';
  SELECT string_agg(relation::text, ' ' ORDER BY relation::text) FROM uuidx_check()};
is(plant("$all WHERE relation::text ~ '^w'"), 'w0 w1 w2 w3 w4 w5 w6 w7 w8', 'views of many tables are left out');
is(plant("SELECT problem FROM uuidx_check('$_')"), 'definition has more than 1000 tables', "$_ is left out")
  for 'v1', 'w40', 'h40';
is_harmless($all, 'kept orders t', 'uuidx_check() of a superuser');

# No helper of uuidx_check() can be called.
is($node->safe_psql('postgres', q{SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc
    WHERE proname LIKE 'uuidx\_%'}), 'uuidx_check(regclass) uuidx_version()', 'uuidx_check() has no helpers in SQL');

done_testing();
