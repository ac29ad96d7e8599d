# Only the roles that the pages name may create, move and call the extension, even under a hostile search_path.

use Helpers;
use Traps;

# Required by some functions.
my $node = start_node('privileges', "shared_preload_libraries = 'uuidx'\nuuidx.node_id = 7\n");
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN');
$node->safe_psql('postgres', 'CREATE ROLE guest LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE tenancy OWNER tenant');

# Runs SQL as a role without privileges; returns the output, or messages if it failed.
sub run_as($role, $sql) { return outcome_of($node, 'tenancy', $sql, '--username', $role) }

# An argument for each type, or for a name and type or a function that needs another, to call every function.
my %argument = (
  uuid => q{pg_catalog.uuid '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'},
  text => q{pg_catalog.text 'dns'},
  bytea => q{pg_catalog.bytea '\x000102030405060708090a0b0c0d0e0f'},
  boolean => q{true},
  '"any"' => q{timestamp with time zone '2024-02-29 12:00 UTC'},
  'steps text' => q{pg_catalog.text '86400000000;zone;local=UTC'},
  regclass => q{NULL},
  integer => q{7},
  bigint => q{7},
  interval => q{interval '1 hour'},
  'timestamp with time zone' => q{timestamp with time zone '2024-02-29 12:00 UTC'},
  tstzrange => q{pg_catalog.tstzrange '[2022-02-22,2022-02-23)'},
  uuid_time_range => q{pg_catalog.tstzrange '[2022-02-22,2022-02-23)'},
  'algorithm text' => q{pg_catalog.text 'sha256'},
  'id text' => q{pg_catalog.text '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'},
  'format text' => q{pg_catalog.text 'ulid'},
  'data text' => q{pg_catalog.text '01ARZ3NDEKTSV4RRFFQ69G5FAV'},
  'prefix text' => q{pg_catalog.text ''},
  'typeid text' => q{pg_catalog.text '01h455vb4pex5vsknk084sn02q'},
  'uuid_v1_to_v6 id uuid' => q{pg_catalog.uuid 'c232ab00-9414-11ec-b3c8-9f6bdeced846'},
  'uuid_v6_to_v1 id uuid' => q{pg_catalog.uuid '1ec9414c-232a-6b00-b3c8-9f6bdeced846'},
  'uuid_to_v7 id uuid' => q{pg_catalog.uuid '1ec9414c-232a-6b00-b3c8-9f6bdeced846'},
  'uuid_v47_unmask id uuid' => q{pg_catalog.uuid 'f47ac10b-58cc-4372-a567-0e02b2c3d479'});

# Statements that call each function and aggregate of the extension with its schema and show the
# result; of a random one only whether it is NULL.
sub calls {
  my $functions = $node->safe_psql('tenancy', qq{
    SELECT quote_ident(nspname), quote_ident(proname), provolatile, (
        SELECT string_agg(coalesce(proargnames[n], '') || '='
          || format_type(proargtypes[n - 1], NULL), ',' ORDER BY n)
        FROM generate_series(1, pronargs) AS n)
    FROM pg_proc JOIN $members ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
      JOIN pg_namespace AS n ON n.oid = pronamespace
    -- Except those that only the planner or a table can call, or not everybody.
    WHERE NOT 'internal'::regtype = ANY (proargtypes::oid[]) AND prorettype <> 'trigger'::regtype
      AND has_function_privilege('guest', pg_proc.oid, 'EXECUTE')
    ORDER BY 2, 4});
  my @calls;
  for (split /\n/, $functions) {
    my ($schema, $name, $volatile, $parameters) = split /\|/;
    my @arguments = map {
      my ($of, $type) = /^(\w*)=(?:.*\.)?(.*)$/;
      my $value = $argument{"$name $of $type"} // $argument{"$of $type"} // $argument{$type}
        // die "no argument to call $name with for $of $type: add one above";
      $of ? "$of => $value" : $value;
    } split /,/, $parameters;
    my $call = "$schema.$name(" . join(', ', @arguments) . ')';
    $call .= ' IS NOT NULL' if $volatile eq 'v';
    push @calls, "SELECT '$name', $call;";
  }
  return @calls;
}

# Returns the results of all functions for a role, or the messages if one fails.
sub answers($role, $search_path) {
  return run_as($role, join "\n", "SET search_path = $search_path;", 'SET timezone = UTC;', calls());
}

# The database's owner, though not a superuser, may create the extension; others may not.
like(run_as('guest', 'CREATE EXTENSION uuidx'), qr/permission denied/, 'a guest may not create the extension');
is(run_as('tenant', 'CREATE EXTENSION uuidx'), '', 'the owner of the database may create the extension');
is( $node->safe_psql('tenancy', q{
    SELECT extowner::regrole, extnamespace::regnamespace, rolsuper FROM pg_extension
      JOIN pg_roles ON pg_roles.oid = extowner WHERE extname = 'uuidx'}),
  'tenant|public|f', 'the owner of the database owns the extension');

is( $node->safe_psql('tenancy', qq{
    SELECT proname, has_function_privilege('tenant', pg_proc.oid, 'EXECUTE')
    FROM pg_proc JOIN $members ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
    WHERE NOT has_function_privilege('guest', pg_proc.oid, 'EXECUTE')}),
  'uuid_v7_advance|f', 'only a superuser may advance the mark');
# After a value, as uuid_generator_state() then has all columns of the server.
run_as('guest', 'SELECT uuid_v7_server()');
my $answers = answers('guest', 'public');
my $answered = () = $answers =~ /^\w+\|./mg;
cmp_ok($answered, '>=', 30, 'at least 30 functions return results');
unlike($answers, qr/ERROR/, 'a role without privileges calls every function');

is( run_as('tenant', 'CREATE TABLE made (n int, id uuid DEFAULT uuid_v7()); DROP EXTENSION uuidx CASCADE'), '',
  'the owner of the database drops the extension with the default that uses it');
# It can be created again, in a schema whose name needs quotes, and works there.
is( run_as('tenant', q{
    CREATE SCHEMA "Other ids";
    GRANT USAGE ON SCHEMA "Other ids" TO guest;
    CREATE EXTENSION uuidx SCHEMA "Other ids";
    ALTER TABLE made ALTER id SET DEFAULT "Other ids".uuid_v7();
    INSERT INTO made VALUES (2) RETURNING "Other ids".uuid_extract_version(id)}),
  '7', 'the extension is created again in another schema');
is(answers('guest', 'public'), $answers, 'every function works in another schema');

# SET SCHEMA moves all functions, and a default follows. Only a superuser may move a trusted
# extension, as its functions are not the owner's.
$node->safe_psql('tenancy', q{
  CREATE SCHEMA third;
  GRANT USAGE ON SCHEMA third TO PUBLIC;
  ALTER EXTENSION uuidx SET SCHEMA third});
is(scalar(grep { !/, third\./ } calls()), 0, 'SET SCHEMA moves every function');
is(answers('guest', 'public'), $answers, 'every function works after SET SCHEMA');
is( run_as('tenant', 'INSERT INTO made VALUES (3) RETURNING third.uuid_extract_version(id)'),
  '7', 'a default works after SET SCHEMA');

like( $node->safe_psql('tenancy', q{
    CREATE TABLE key (id uuid PRIMARY KEY);
    SET enable_seqscan = off;
    EXPLAIN (COSTS off) SELECT id FROM key WHERE id OPERATOR(third.<@) tstzrange(now(), NULL)}),
  qr/Index Cond: .*third\.uuid_v7_lower\(/, '<@ uses an index after SET SCHEMA');

# Traps for lookups by search_path: schema trap has a function for each of uuidx, with its name and
# arguments; schema home, where the extension is created, has similar ones. Both have comparison
# operators and tables named like types. There is an implicit cast, too.
my $body = q{LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END'};
my $traps = qq{
  CREATE SCHEMA trap;
  CREATE SCHEMA home;
  GRANT USAGE ON SCHEMA trap, home TO guest;
  SELECT format('CREATE FUNCTION trap.%I(%s) RETURNS %s ', proname,
      array_to_string(proargtypes::regtype[], ', '), prorettype::regtype) || \$\$$body\$\$
    FROM pg_proc WHERE pronamespace = 'third'::regnamespace
      AND NOT ARRAY['internal', '"any"']::regtype[]::oid[] && proargtypes::oid[] \\gexec
  DROP EXTENSION uuidx CASCADE;
  CREATE FUNCTION home.uuid_min_transfn(anyelement, anyelement) RETURNS anyelement $body;
  CREATE FUNCTION home.uuid_max_transfn(uuid, text) RETURNS uuid $body;
};
$traps .= join "\n", map {
  my $schema = $_;
  "CREATE FUNCTION $schema.compare(uuid, uuid) RETURNS bool $body;",
  (map { "CREATE OPERATOR $schema.$_ (FUNCTION = $schema.compare, LEFTARG = uuid, RIGHTARG = uuid);" } qw(< > <= >=)),
  map { "CREATE TABLE $schema.$_ (n int);" } qw(uuid text timestamptz tstzrange)
} 'trap', 'home';
is(run_as('tenant', $traps), '', 'traps for lookups by search_path are set');
$node->safe_psql('tenancy', qq{
  CREATE FUNCTION trap.cast(text) RETURNS uuid $body;
  CREATE CAST (text AS uuid) WITH FUNCTION trap.cast(text) AS IMPLICIT});
# The schema of the extension also has better matches for what its script calls, except for what it creates itself.
Traps::plant_operators($node, 'tenancy', 'home', 'false');
Traps::plant_functions($node, 'tenancy', 'home', 'tenant', "$tree/sql/uuidx--1.0.sql");
$node->safe_psql('tenancy', q{
  DROP FUNCTION home.min(uuid), home.max(uuid);
  SELECT format('DROP OPERATOR %s', oid::regoperator) FROM pg_operator
    WHERE oprnamespace = 'home'::regnamespace AND oprname ~ '[<>]=?'
      AND ARRAY[oprleft, oprright] @> '{uuid,timestamptz}'::regtype[]::oid[] \gexec});
like(run_as('guest', 'SET search_path = trap, pg_catalog; SELECT uuid_v7()'), qr/ERROR:  trapped/,
  'an unqualified call is trapped');

is(run_as('tenant', 'SET search_path = trap, home, pg_catalog; CREATE EXTENSION uuidx SCHEMA home'),
  '', 'the extension is created with a hostile search_path in a hostile schema');
is(Traps::outside($node, 'tenancy', 'home'), '', 'its names resolve within pg_catalog and the extension');
my $core = $node->safe_psql('tenancy', q{SELECT to_regprocedure('pg_catalog.max(uuid)')}) ne '';
is( $node->safe_psql('tenancy', q{
    SELECT proname, aggtransfn::regprocedure, aggcombinefn::regprocedure, oprnamespace::regnamespace, oprname,
      (SELECT count(*) FROM pg_depend WHERE classid = 'pg_proc'::regclass AND deptype = 'e'
        AND objid IN (aggtransfn, aggcombinefn, aggserialfn, aggdeserialfn, aggfinalfn))
    FROM pg_aggregate JOIN pg_proc ON pg_proc.oid = aggfnoid
      JOIN pg_operator ON pg_operator.oid = aggsortop
    WHERE pronamespace = 'home'::regnamespace ORDER BY 1}),
  $core ? '' : join("\n", map { my ($name, $operator) = @$_;
    join '|', $name, "home.uuid_${name}_transfn(internal,uuid)", "home.uuid_${name}_combine(internal,internal)",
      'pg_catalog', $operator, 5 }
    ['max', '>'], ['min', '<']),
  'the aggregates, if core has none, have functions of the extension and operators of pg_catalog');

# Later calls return the same results with any search_path: a function with one of those types would not match the
# arguments.
is(answers('guest', 'trap, home, pg_catalog'), $answers, 'every function works with a hostile path');

done_testing();
