# The promises of doc/security.md about roles, settings and messages. 009_privileges.pl tests who may create the
# extension, and a hostile search_path.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('security');
$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'uuidx, pg_stat_statements'
log_statement = 'none'
log_min_duration_statement = -1
});
$node->start;
$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE EXTENSION pg_stat_statements;
  CREATE ROLE guest LOGIN;
  CREATE ROLE operator LOGIN;
  GRANT EXECUTE ON FUNCTION uuid_v7_advance(uuid) TO operator;
  GRANT SET ON PARAMETER uuidx.node_id TO operator;
});

# Runs SQL as a role; returns output, or messages with SQLSTATE if it fails.
sub run_as {
  my ($role, $sql) = @_;
  my ($code, $output, $message) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql",
    extra_params => [ '--username', $role ]);
  return $code == 0 ? $output : $message;
}

# Advancing the server and the settings need privileges.
my $advance = 'SELECT uuid_v7_advance(uuid_v7_at(now()))';
like(run_as('guest', $advance), qr/ERROR:  42501: /, 'a guest may not advance the server');
unlike(run_as('operator', $advance), qr/ERROR/, 'a role with the privilege may advance the server');
for my $setting ('uuidx.node_id', 'uuidx.max_clock_lead') {
  like(run_as('guest', "SET $setting = 1"), qr/ERROR:  42501: /, "a guest may not set $setting");
  like(run_as('guest', "ALTER ROLE guest SET $setting = 1"), qr/ERROR:  42501: /,
    "a guest may not set $setting for later sessions");
  unlike(run_as('guest', "SHOW $setting"), qr/ERROR/, "a guest may read $setting");
}
is(run_as('operator', 'SET uuidx.node_id = 7; SELECT uuid_extract_version(uuid_v8_node())'), 8,
  'a role with the privilege may set it');
like(run_as('guest', 'SET uuidx.unknown = 1'), qr/ERROR:  42602: /, 'there are no other settings');
is(run_as('guest', 'SELECT count(*) > 0 FROM uuid_generator_state()'), 't', 'a guest may read the state');
is( run_as('guest', 'SELECT uuid_v7_cluster() < uuid_v7_cluster()'),
  't', 'a guest may call uuid_v7_cluster()');

# No function runs with another role's privileges; all C functions are in this library.
is( $node->safe_psql('postgres', q{
    SELECT count(*), count(*) FILTER (WHERE prosecdef),
      count(*) FILTER (WHERE probin IS NOT NULL AND probin <> 'uuidx')
    FROM pg_proc JOIN pg_depend AS d ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
    JOIN pg_extension AS e ON d.deptype = 'e' AND refobjid = e.oid AND extname = 'uuidx'}) =~
    s/^[1-9]\d+\|//r, '0|0', 'no SECURITY DEFINER, no other library');

# Leakproof functions take only UUIDs, times and time ranges, and raise no error for any of them.
my $leakproof = $node->safe_psql('postgres', q{
  SELECT DISTINCT format_type(t, NULL) FROM pg_proc JOIN pg_depend AS d
    ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND d.deptype = 'e'
  JOIN pg_extension AS e ON refobjid = e.oid AND extname = 'uuidx', unnest(proargtypes) AS t
  WHERE proleakproof ORDER BY 1});
is($leakproof, "timestamp with time zone\ntstzmultirange\ntstzrange\nuuid\nuuid_time_range\nuuid_time_ranges",
  'leakproof functions take only UUIDs, times and time ranges');
my $odd = q{(VALUES ('00000000-0000-0000-0000-000000000000'::uuid),
  ('ffffffff-ffff-ffff-ffff-ffffffffffff'), ('919108f7-52d1-4320-9bac-f847db4148a8'),
  ('c232ab00-9414-11ec-b3c8-9f6bdeced846'), ('017f22e2-79b0-7cc3-18c4-dc0c0c07398f'),
  ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')) AS ids (id),
  (VALUES ('-infinity'::timestamptz), ('infinity'), ('4713-01-01 BC'), ('294276-12-31'),
  ('1969-12-31 23:59:59.999999+00'), ('10889-08-02 05:31:50.656+00')) AS times (t)};
my $calls = $node->safe_psql('postgres', q{
  SELECT format('SELECT count(%I.%I(%s)) FROM ', nspname, proname, (
    SELECT string_agg(CASE format_type(proargtypes[n - 1], NULL)
      WHEN 'uuid' THEN 'id' WHEN 'timestamp with time zone' THEN 't'
      WHEN 'tstzrange' THEN 'tstzrange(t, t, ''[]'')' WHEN 'uuid_time_range' THEN 'tstzrange(t, t, ''[]'')'
      ELSE 'tstzmultirange(tstzrange(t, t, ''[]''))' END, ', ' ORDER BY n)
    FROM generate_series(1, pronargs) AS n))
  FROM pg_proc JOIN pg_namespace AS s ON s.oid = pronamespace JOIN pg_depend AS d
    ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND d.deptype = 'e'
  JOIN pg_extension AS e ON refobjid = e.oid AND extname = 'uuidx'
  WHERE proleakproof AND prokind = 'f'});
for my $call (split /\n/, $calls) {
  unlike(run_as('guest', "$call $odd"), qr/ERROR/, "no error: $call");
}

# No message has a masking key or a hashed name.
my $key    = q{'\x5ec4e75ec4e75ec4e75ec4e75ec4e700'};
my $secret = qr/5ec4e7|hush/i;
for my $call (
  "uuid_v47_mask(uuid_v4(), $key)", "uuid_v47_unmask(uuid_v7(), $key)",
  q{uuid_v47_mask(uuid_v7(), '\x5ec4e7')}, q{uuid_v8_hash('no such digest', uuid_v4(), 'hush')})
{
  my ($code, undef, $message) = $node->psql('postgres', "SELECT $call");
  isnt($code, 0, "fails: $call");
  # Without the line of a syntax error, which psql repeats.
  unlike($message =~ s/^LINE .*\n.*\n?//mr, $secret, "shows no secret: $call");
}

# The statistics of statements have no constants.
$node->safe_psql('postgres', "SELECT uuid_v47_mask(uuid_v7(), $key), uuid_v5(uuid_namespace('dns'), 'hush')");
my $statements = $node->safe_psql('postgres', q{
  SELECT query FROM pg_stat_statements WHERE query LIKE 'SELECT uuid_v47_mask%uuid_v5%'});
is($statements, 'SELECT uuid_v47_mask(uuid_v7(), $1), uuid_v5(uuid_namespace($2), $3)',
  'statistics show no constant');

done_testing();
