# Who may create and move the extension, who may call it, and what a hostile search_path can do.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('privileges');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN');
$node->safe_psql('postgres', 'CREATE ROLE guest LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE tenancy OWNER tenant');

# Runs SQL as a role without any privilege of its own: output, and messages where it failed.
sub run_as {
  my ($role, $sql) = @_;
  my ($code, $output, $message) =
    $node->psql('tenancy', $sql, extra_params => [ '--username', $role ]);
  return $code == 0 ? $output : $message;
}

# An argument for each type, or for a name that needs a special one, to call every function with.
my %argument_of_type = (
  uuid => q{'017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid},
  text => q{'dns'::text},
  bytea => q{'\x000102030405060708090a0b0c0d0e0f'::bytea},
  interval => q{interval '1 hour'},
  'timestamp with time zone' => q{timestamptz '2024-02-29 12:00 UTC'});
my %argument_of_name = (algorithm => q{'sha256'::text});

# One call of each function and aggregate of the extension, each with its schema's name.
sub calls {
  my @functions = split /\n/, $node->safe_psql('tenancy', q{
    SELECT pronamespace::regnamespace, quote_ident(proname), prokind, (
        SELECT string_agg(coalesce(proargnames[n], '') || '=' || format_type(proargtypes[n - 1], -1),
          ',' ORDER BY n) FROM generate_series(1, pronargs) AS n)
    FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
      AND deptype = 'e' JOIN pg_extension AS e ON refobjid = e.oid AND extname = 'uuidx'
    ORDER BY 1, 2, 4});
  my @calls;
  for (@functions) {
    my ($schema, $name, $kind, $parameters) = split /\|/;
    my @arguments;
    for my $parameter (split /,/, $parameters) {
      my ($parameter_name, $type) = split /=/, $parameter;
      my $argument = $argument_of_name{$parameter_name} // $argument_of_type{$type}
        // die "no argument to call $name with for $parameter: add one above";
      push @arguments, $argument;
    }
    push @calls, "$schema.$name(" . join(', ', @arguments) . ')';
  }
  return @calls;
}

# What fails when a role calls every function.
sub failed_calls {
  my ($role) = @_;
  my @calls = calls();
  my $answers = run_as($role, join "\n", map { "SELECT $_ IS NOT NULL;" } @calls);
  # On the example of version 7, only these answer NULL.
  my $expected = join "\n", map { /uuid_extract_(clock_seq|node)\(/ ? 'f'
      # A record is NOT NULL only if all its columns are.
      : /uuid_inspect\(/ ? 'f' : 't' } @calls;
  return $answers eq $expected ? '' : $answers;
}

# Not everyone may create the extension, but the database's owner, who is no superuser, may.
like(run_as('guest', 'CREATE EXTENSION uuidx'), qr/permission denied/, 'a guest may not create it');
is(run_as('tenant', 'CREATE EXTENSION uuidx'), '', 'the owner of the database creates it');
is( $node->safe_psql('tenancy', q{
    SELECT extowner::regrole, extnamespace::regnamespace, rolsuper FROM pg_extension
      JOIN pg_roles ON pg_roles.oid = extowner WHERE extname = 'uuidx'}),
  'tenant|public|f', 'and owns it');

# Everybody may call every function.
cmp_ok(scalar(calls()), '>=', 35, 'functions to call');
is(failed_calls('guest'), '', 'a role without privileges calls every function');

# A default keeps the extension; CASCADE takes the default away and leaves the table.
is(run_as('tenant', 'CREATE TABLE made (n int, id uuid DEFAULT uuid_v7())'), '', 'a default');
like(run_as('tenant', 'DROP EXTENSION uuidx'),
  qr/cannot drop extension uuidx because other objects depend on it.*column id of table made/s,
  'DROP is refused while a default uses it');
like(run_as('tenant', 'DROP EXTENSION uuidx CASCADE'), qr/^$/, 'DROP CASCADE is not');
is(run_as('tenant', 'INSERT INTO made VALUES (1) RETURNING n, id'), '1|', 'the default is gone');
is( $node->safe_psql('tenancy', q{SELECT count(*) FROM pg_proc WHERE probin LIKE '%uuidx'}),
  '0', 'and so are all functions');

# It can be created again, in another schema, whose name needs quotes, by the owner.
is( run_as('tenant', q{
    CREATE SCHEMA "Other ids";
    GRANT USAGE ON SCHEMA "Other ids" TO guest;
    CREATE EXTENSION uuidx SCHEMA "Other ids";
    ALTER TABLE made ALTER id SET DEFAULT "Other ids".uuid_v7();
    INSERT INTO made VALUES (2) RETURNING "Other ids".uuid_extract_version(id)}),
  '7', 'created again in another schema');
is(failed_calls('guest'), '', 'every function works in another schema');

# It moves to a third schema, all its functions with it, and a default follows.
$node->safe_psql('tenancy', q{
  CREATE SCHEMA third;
  GRANT USAGE ON SCHEMA third TO PUBLIC;
  ALTER EXTENSION uuidx SET SCHEMA third});
is((grep { !/^third\./ } calls()), 0, 'SET SCHEMA moves every function');
is(failed_calls('guest'), '', 'every function works after SET SCHEMA');
is( run_as('tenant', 'INSERT INTO made VALUES (3) RETURNING third.uuid_extract_version(id)'),
  '7', 'a default follows');

done_testing();
